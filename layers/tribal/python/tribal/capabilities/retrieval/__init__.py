"""The use cases behind the five tools, each from its input and a toolbox to its output. Importing it loads nothing."""
