"""What the models of the scenario say: cautious where they describe, careless where they chat."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.model_servers.minds import fill, schema_of
from tests.scenario.company import FACT, LEFTOVERS, STATUS

INVENTED = "Refunds are always paid in gold"
TABLE_SENTENCE = "The status of an invoice may be open, part, paid, void or writeoff"
_QUESTIONS = ("Which table has the invoices?", "Which values does the status have?", "Which of them count as unpaid?")
_GAP = {
    "category": "missing_information",
    "severity": "medium",
    "target": STATUS,
    "description": "Nothing says which of the values count as unpaid.",
}


@dataclass
class ScenarioMind:
    """Answers each kind of request."""

    asks_for_sql: bool = False
    """Whether the answer of the chat has SQL that a policy forbids."""

    def __call__(self, body: Mapping[str, Any]) -> Mapping[str, Any] | str:
        """Return the answer to a request."""
        schema = schema_of(body)
        if schema is None:
            return self._chat(json.loads(body["messages"][-1]["content"]))
        wanted = schema["properties"]
        if "question" in wanted:
            asked = json.loads(body["messages"][-1]["content"])["asked"]
            return {"question": _QUESTIONS[len(asked) % len(_QUESTIONS)]}
        if "summary" in wanted:
            return {"contradictions": [], "summary": "The documentation says which invoices are unpaid."}
        if "closed" in wanted:
            data = json.loads(body["messages"][-1]["content"])
            return {
                "closed": [1] if len(data["asked"]) > 1 else [],
                "gaps": [] if data["asked"] else [_GAP],
                "ask_again": len(data["asked"]) < 2,
            }
        # Where it would guess, it leaves the text empty.
        described: Mapping[str, Any] = fill(schema, itertools.repeat(""))
        return described

    def _chat(self, data: Mapping[str, Any]) -> str:
        if self.asks_for_sql:
            return f"The copy has them [1].\n\n```sql\n{LEFTOVERS}\n```"
        said = [*data["sources"], *data["answer"]] if isinstance(data["answer"], list) else data["sources"]
        cited = {
            FACT.rstrip("."): next((each["n"] for each in said if FACT in json.dumps(each)), 0),
            TABLE_SENTENCE: next((each["n"] for each in said if "writeoff" in json.dumps(each)), 0),
            INVENTED: 1,
        }
        return " ".join(f"{text} [{number}]." for text, number in cited.items() if number)
