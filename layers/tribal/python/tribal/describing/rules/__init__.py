"""The describer that derives its texts by rules, without a model."""
