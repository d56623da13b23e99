"""Models over OpenAI's protocol: OpenAI, Gemini, Groq, Ollama, and every server that speaks it."""
