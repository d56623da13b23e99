"""What language models over HTTP have in common, whichever vendor serves them."""
