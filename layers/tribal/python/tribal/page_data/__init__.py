"""Use case: what people look through on the page, part by part, as far as each may see it."""
