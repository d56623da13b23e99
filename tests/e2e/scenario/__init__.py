"""The scenario of all five systems in a simulated AWS."""
