"""Cut the plan into work units and slices, and store plans."""
