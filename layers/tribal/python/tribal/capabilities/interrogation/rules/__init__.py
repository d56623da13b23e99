"""The detective and the witness that ask no model and use only the documentation."""
