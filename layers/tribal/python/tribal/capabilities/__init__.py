"""The capabilities of the product, one package each. They do not import each other."""
