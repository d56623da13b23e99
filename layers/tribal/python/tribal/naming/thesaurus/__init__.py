"""What English nouns are called otherwise, by WordNet."""
