"""Language models as detective and witness: their requests, and the checks of their answers."""
