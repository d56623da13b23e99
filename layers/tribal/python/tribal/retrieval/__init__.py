"""Use cases: the five tools, each from its input and a toolbox to its output. Importing this package loads nothing."""
