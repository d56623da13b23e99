"""The part `caller` of a served page."""
