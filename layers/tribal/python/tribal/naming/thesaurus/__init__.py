"""Synonyms of English nouns, from WordNet."""
