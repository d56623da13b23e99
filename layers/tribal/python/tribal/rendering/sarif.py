"""Violations in SARIF 2.1.0, for code hosts.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, sections 3.13, 3.19, 3.27 and 3.49.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tribal.identity.hashing import object_hash
from tribal_contracts import SqlFinding
from tribal_contracts.knowledge import PolicyViolation, Severity

_LEVELS: dict[Severity, str] = {"info": "note", "warn": "warning", "block": "error"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(violations: Sequence[PolicyViolation], version: str) -> dict[str, Any]:
    """A log of one run: a rule for each item that is violated, a result for each violation, in their order.

    The fingerprint of a result stays when lines are moved.
    """
    titles = {each.knowledge_item_id: each.knowledge_item_title for each in violations}
    places = {item: number for number, item in enumerate(titles)}
    known: Counter[str] = Counter()
    results = []
    for each in violations:
        where = each.location.file if each.location else ""
        fingerprint = object_hash([each.knowledge_item_id, where, each.constraint.model_dump(), each.message])
        known[fingerprint] += 1
        results.append(_result(each, places[each.knowledge_item_id], f"{fingerprint}:{known[fingerprint]}"))
    rules = [{"id": item, "shortDescription": {"text": title}} for item, title in titles.items()]
    driver = {"name": "tribal", "semanticVersion": version, "rules": rules}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(violation: PolicyViolation, rule: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": violation.knowledge_item_id,
        "ruleIndex": rule,
        "level": _LEVELS[violation.severity],
        "message": {"text": violation.message},
        "partialFingerprints": {"tribalPolicy/v1": fingerprint},
        "properties": {"constraint": violation.constraint.model_dump()},
    }
    if violation.location is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": quote(violation.location.file, safe="/")}}
        if violation.location.line is not None:
            place["region"] = {"startLine": violation.location.line}
        result["locations"] = [{"physicalLocation": place}]
    return result


def sql_sarif(findings: Sequence[tuple[str, SqlFinding]], version: str) -> dict[str, Any]:
    """The same for what `check_sql` finds in files: a rule for each code."""
    codes = list(dict.fromkeys(finding.code for _, finding in findings))
    known: Counter[str] = Counter()
    results = []
    for file, finding in findings:
        fingerprint = object_hash([finding.code, file, finding.message])
        known[fingerprint] += 1
        place = {
            "artifactLocation": {"uri": quote(file, safe="/")},
            "region": {"startLine": finding.line, "startColumn": finding.column},
        }
        results.append(
            {
                "ruleId": finding.code,
                "ruleIndex": codes.index(finding.code),
                "level": finding.severity,
                "message": {"text": finding.message},
                "partialFingerprints": {"tribalSql/v1": f"{fingerprint}:{known[fingerprint]}"},
                "locations": [{"physicalLocation": place}],
            }
        )
    rules = [{"id": code, "shortDescription": {"text": code.replace("_", " ")}} for code in codes]
    driver = {"name": "tribal", "semanticVersion": version, "rules": rules}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
