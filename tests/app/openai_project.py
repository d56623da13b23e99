"""A documented project that asks a model of OpenAI."""

from __future__ import annotations

from pathlib import Path

from tests.edges.mcp.asked import index_project

KEY = "sk-test-Zq7Zq7Zq7Zq7Zq7Zq7"
_MODELS = """models:
  large:
    provider: openai
    name: gpt-6-luna
    api_key_secret: OPENAI
    base_url: {address}
    price: {{input_usd: 1, output_usd: 10}}
"""


def write_project(folder: Path, address: str, sections: str, databases: str = "databases: []\n") -> Path:
    """Write the documentation and `databases.yaml`, with the model `large` at an address and more sections."""
    index_project(folder)
    text = databases + _MODELS.format(address=address) + sections
    (folder / "databases.yaml").write_text(text, encoding="utf-8")
    return folder
