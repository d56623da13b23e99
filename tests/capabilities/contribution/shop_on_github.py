"""A documented shop whose migrations are in a repository on GitHub."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.adapters.github.clients import forge_of, repository_of
from tests.capabilities.contribution.shop_with_clone import FILES, ShopWithClone
from tests.fakes.github.server import WRITE_TOKEN, WRITES, FakeGitHub
from tribal_contracts.contribution.reviews import ReviewActivity
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry


@dataclass
class ShopOnGitHub(ShopWithClone):
    """The shop, whose migrations are in a repository on GitHub."""

    github: FakeGitHub = field(default_factory=lambda: FakeGitHub(FILES))

    def use(self, **entry: object) -> None:
        """Configure the repository."""
        found = RepositoryEntry.model_validate(
            {"name": "migrations", "url": self.github.page, "databases": ["shop"], "read_secret": "R", **entry}
        )
        self.parts = replace(
            self.parts,
            settings=ContributionSettings(repositories=[found]),
            open_repository=lambda _: repository_of(self.github),
            open_forge=lambda *_: forge_of(self.github),
        )

    def ask(self, title: str, body: str | None = None, **fields: object) -> str:
        """Open issue 7, and return its address."""
        self.github.tokens[WRITE_TOKEN] = {**WRITES, "issues": "read"}
        return self.github.pulls.ask(7, title, body, **fields)

    def activity(self) -> ReviewActivity:
        """What agent 8 saw last."""
        found = self.contributions().files.handoffs(1)["agent-8-reviews"]
        assert isinstance(found, ReviewActivity)
        return found
