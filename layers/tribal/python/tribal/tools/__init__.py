"""The tools that people and agents call: the list, the call and the published schemas. Importing it loads nothing."""
