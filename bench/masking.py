"""How often does masking miss or overreach where no pattern decides? On made-up values, always the same.

`python -m bench.masking`
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from bench.harness import Bench, Row, Table, run
from tests.edges.cli.planted_values import WITHOUT_PATTERN
from tests.masking.harmless import HARMLESS_COLUMNS, HARMLESS_TEXTS
from tribal.masking import mask_samples, redact_text

VALUES = 200


def tables(_: Bench) -> Iterator[Table]:
    """Count names and addresses that are redacted in comments, and harmless texts and columns that are changed."""
    changed = sum(redact_text(text) != text for text in HARMLESS_TEXTS)
    hidden = sum(map(_is_hidden, HARMLESS_COLUMNS))
    yield Table(
        "masking without a pattern",
        [
            *(_redacted(name, WITHOUT_PATTERN[name]) for name in ("person", "address")),
            {"what": "harmless comments changed", "count": changed, "of": len(HARMLESS_TEXTS), "better": "lower"},
            {"what": "harmless columns hidden", "count": hidden, "of": len(HARMLESS_COLUMNS), "better": "lower"},
        ],
    )


def _redacted(name: str, make: Callable[[int], str]) -> Row:
    values = [make(n) for n in range(VALUES)]
    count = sum(value not in redact_text(f"Ask {value} before you change this.") for value in values)
    return {"what": f"{name} in comments redacted", "count": count, "of": VALUES, "better": "higher"}


def _is_hidden(column: str) -> bool:
    values = HARMLESS_COLUMNS[column]
    return set(mask_samples(column, "thing", values * 4, type_name="text", is_key=False).values) != set(values)


if __name__ == "__main__":
    sys.exit(run("masking", tables))
