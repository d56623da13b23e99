"""What a scope keeps from an answer, beyond the tables that it leaves out. Importing it loads nothing."""
