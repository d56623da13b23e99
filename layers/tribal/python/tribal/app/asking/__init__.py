"""Models and embedders that capabilities ask."""
