"""Reads the text of files: PDF by pypdfium2, .docx by mammoth, HTML and text by the standard library."""
