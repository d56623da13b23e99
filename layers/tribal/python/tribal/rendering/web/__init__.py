"""The HTML page of the documentation: markup, style and script as files, and the code that assembles them."""
