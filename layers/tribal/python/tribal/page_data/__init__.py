"""Use case: the data of the page, part by part, within the scope of the caller."""
