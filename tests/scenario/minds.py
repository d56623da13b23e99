"""What the models of the scenario say: cautious where they describe, careless where they chat."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.model_servers.minds import fill, schema_of
from tests.scenario.company import FACT, LEFTOVERS, STATUS

INVENTED = "Refunds are always paid in gold"
TABLE_SENTENCE = "The status of an invoice may be open, part, paid, void or writeoff"
_QUESTIONS = (
    "Which table has the invoices?",
    "Which values does invoice.status have?",
    "What does part mean in invoice.status?",
)
_GAP = {
    "category": "missing_information",
    "severity": "medium",
    "target": STATUS,
    "description": "Nothing says which of the values count as unpaid.",
}
_ENOUGH = 2
"""Earlier questions."""


def mind(body: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """Answer a request of any kind."""
    schema = schema_of(body)
    data = json.loads(body["messages"][-1]["content"]) if schema is None or "question" in schema["properties"] else {}
    if schema is None:
        return _chat(data)
    wanted = schema["properties"]
    if "question" in wanted:
        return {"question": _QUESTIONS[len(data["asked"]) % len(_QUESTIONS)]}
    if "summary" in wanted:
        return {"contradictions": [], "summary": "The documentation says which invoices are unpaid."}
    if "closed" in wanted:
        asked = json.loads(body["messages"][-1]["content"])["asked"]
        return {
            "closed": [1] if len(asked) > 1 else [],
            "gaps": [] if asked else [_GAP],
            "ask_again": len(asked) < _ENOUGH,
        }
    # Where it would guess, it leaves the text empty.
    described: Mapping[str, Any] = fill(schema, itertools.repeat(""))
    return described


def _chat(data: Mapping[str, Any]) -> str:
    if "query" in data["question"]:
        return f"The copy has them [1].\n\n```sql\n{LEFTOVERS}\n```"
    cited = {
        FACT.rstrip("."): next((each["n"] for each in data["sources"] if FACT in each["says"]), 0),
        TABLE_SENTENCE: next((each["n"] for each in data["sources"] if "writeoff" in each["says"]), 0),
        INVENTED: 1,
    }
    return " ".join(f"{text} [{number}]." for text, number in cited.items() if number)
