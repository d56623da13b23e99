"""What the fakes of model vendors share: a server, its script, its minds, and checks against an SDK's types."""
