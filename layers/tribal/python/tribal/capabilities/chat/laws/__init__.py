"""The laws: pure rules that decide whether a question is answered. Source: chat specification, 2."""
