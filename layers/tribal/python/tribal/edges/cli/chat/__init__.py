"""The commands of the chat: asking, uploading, and what was uploaded."""
