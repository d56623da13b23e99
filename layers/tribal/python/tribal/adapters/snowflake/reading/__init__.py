"""Reading the structure of one database whole: what one answer does not hold is asked for in parts."""
