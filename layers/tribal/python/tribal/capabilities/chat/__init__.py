"""Chat: questions under laws, streamed answers with sources, and the collections that people upload."""
