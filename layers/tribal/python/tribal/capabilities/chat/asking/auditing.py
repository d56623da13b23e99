"""Questions and answers that are stored if `chat.audit` is on. Source: docs/contracts.md, Chat."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from tribal.capabilities.chat.errors import AnswerNotFound
from tribal.capabilities.chat.parts import chat_parts
from tribal.capabilities.chat.rights import READ_AUDIT
from tribal.ports import Application, Caller
from tribal.store import put_record, read_record
from tribal_contracts.chat.audit import AuditedAnswer
from tribal_contracts.chat.state import AgentState

FOLDER = "audit/chat/"


_DATED = re.compile(rf"{FOLDER}(\d{{4}}-\d{{2}}-\d{{2}})/([0-9a-z-]+)\.json")


@dataclass(frozen=True, slots=True)
class AuditedAnswers:
    """Stored answers that one caller may see: the caller's own, or all of them with the right to read them."""

    caller: Caller
    app: Application

    def store(self, state: AgentState) -> None:
        """Store a question and its outcome."""
        now, settings = self.app.clock.real(), chat_parts(self.app).settings
        today = f"{FOLDER}{now:%Y-%m-%d}/"
        if next(iter(self.app.store().keys(today)), None) is None:
            self.remove_old(settings.audit_days)
        answer = AuditedAnswer(
            id=f"{now:%H%M%S}-{secrets.token_hex(6)}",
            at=now.isoformat(timespec="seconds").replace("+00:00", "Z"),
            subject=self.caller.subject,
            collection=state.collection,
            question=state.query,
            intent=state.intent,
            approved=state.governor_approved,
            law_violated=state.law_violated,
            model=state.model_selected,
            answer=state.response or "",
            error=state.error,
        )
        put_record(self.app.store(), f"{today}{answer.id}.json", answer)

    def list(self, limit: int) -> list[AuditedAnswer]:
        """Return the newest answers that the caller may see."""
        found: list[AuditedAnswer] = []
        for key in self._keys():
            answer = read_record(self.app.store(), key, AuditedAnswer)
            if answer is not None and self._may_see(answer):
                found.append(answer)
                if len(found) == limit:
                    break
        return found

    def remove(self, answer_id: str) -> None:
        """Delete one of the caller's own answers.

        Raises:
            AnswerNotFound: when the caller has no such answer.
        """
        for key in self._keys():
            named = _DATED.fullmatch(key)
            if named is None or named[2] != answer_id:
                continue
            answer = read_record(self.app.store(), key, AuditedAnswer)
            if answer is not None and answer.subject == self.caller.subject:
                self.app.store().erase(key)
                return
        raise AnswerNotFound(f"you have no stored answer {answer_id[:80]!r}; `tribal answers` lists yours")

    def remove_old(self, days: int) -> int:
        """Delete answers older than this many days; return how many were deleted."""
        first = (self.app.clock.real() - timedelta(days=days)).strftime("%Y-%m-%d")
        old = [key for key in self._keys() if (named := _DATED.fullmatch(key)) and named[1] < first]
        for key in old:
            self.app.store().erase(key)
        return len(old)

    def _keys(self) -> Iterator[str]:
        return reversed(list(self.app.store().keys(FOLDER)))

    def _may_see(self, answer: AuditedAnswer) -> bool:
        return answer.subject == self.caller.subject or self.caller.may(READ_AUDIT)
