"""A detective and a witness that are language models: what they are asked, and how their answers are checked."""
