"""The detective and the witness that ask no model: both go by what is documented."""
