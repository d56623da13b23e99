"""All five systems as one product: twelve steps, the same on one machine and in a simulated AWS."""
