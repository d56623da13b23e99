"""Who a caller is in the layers of memory, and the index of memories."""
