"""How large an answer is: whole items in pages, and what is left out where there is no room."""
