"""Stand-ins for OpenAI, Gemini, Groq and Ollama on a real port."""

from tests.fakes.openai.server import KEY, Call, FakeOpenAI

__all__ = ["KEY", "Call", "FakeOpenAI"]
