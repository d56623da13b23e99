"""The gaps that questions found and nobody has closed: one file, made from sessions and exams."""
