"""Open gaps: one file, derived from sessions, exams and marks, with the gaps that no one has closed."""
