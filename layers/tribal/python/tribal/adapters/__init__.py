"""One module a vendor: what stands behind the ports."""
