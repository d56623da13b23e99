"""The tools that people and agents call: names, contracts and functions. Importing this package loads nothing."""
