"""Changes that a language model writes for issues: no tools, typed answers, edits by search and replace."""
