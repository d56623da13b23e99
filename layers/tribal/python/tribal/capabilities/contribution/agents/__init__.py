"""The agents of a contribution: each reads earlier hand-offs and makes one."""
