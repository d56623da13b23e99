"""The describer that asks a language model: what is asked, and what is kept of the answer."""
