"""The describer that derives texts by rules, without a model."""
