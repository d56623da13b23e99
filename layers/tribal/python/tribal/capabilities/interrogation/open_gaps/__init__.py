"""The gaps that questions found and no one has closed: one file, made from sessions and exams."""
