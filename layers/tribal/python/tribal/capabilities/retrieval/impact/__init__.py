"""What a change of the databases affects."""
