"""Vectors by a sentence-transformers model in a folder, run by onnxruntime."""
