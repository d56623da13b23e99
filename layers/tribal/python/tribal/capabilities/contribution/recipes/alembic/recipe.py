"""Recipe for Alembic: one new revision that sets the comments and continues from the only head."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Self

from tribal.capabilities.contribution.recipes.alembic.layout import alembic_layout
from tribal.capabilities.contribution.recipes.alembic.models import comments_of_models, compares_models
from tribal.capabilities.contribution.recipes.alembic.operations import operations_of
from tribal.capabilities.contribution.recipes.alembic.revision_file import is_executed, write_revision
from tribal.capabilities.contribution.recipes.alembic.revisions import chain_of, read_revision
from tribal.capabilities.contribution.recipes.comment_texts import (
    CommentRecipe,
    CommentWriter,
    compared,
    description_of,
    only_new_files,
)
from tribal.capabilities.contribution.recipes.paths import join
from tribal.capabilities.contribution.recipes.recipe import (
    Edit,
    EditContext,
    Edits,
    Files,
    OfferedText,
    RecipeBlocked,
    RecipeOptions,
)
from tribal.capabilities.contribution.recipes.schema_history import SchemaHistory, default_schema
from tribal.rendering.markdown import code_span
from tribal_contracts.contribution.cycles import RecipeName

_ID_DIGITS = 12


class AlembicRecipe(CommentRecipe):
    """Revisions of one Alembic environment, in the order in which they run."""

    def __init__(self, files: Files, folder: str, options: RecipeOptions) -> None:
        self._files = files
        self._folder = folder
        self._options = options
        self._schema = default_schema(options.dialect)
        self._layout = alembic_layout(files, folder)
        scripts = [path for path in files.paths if self._layout.holds(path)]
        self._chain = chain_of([each for path in scripts if (each := read_revision(path, files.read(path)))])
        self._history = SchemaHistory(options, self._schema)
        for revision in self._chain:
            self._history.apply(operations_of(revision, options.dialect, self._schema), revision.path)
        self._writer = CommentWriter(options.dialect)

    @classmethod
    def open(cls, files: Files, folder: str, options: RecipeOptions) -> Self:
        """Open the environment that a folder configures or holds.

        Args:
            files: of the repository.
            folder: with `alembic.ini`, `pyproject.toml` or `env.py`; empty for the root.
            options: of the repository's entry.

        Raises:
            RecipeBlocked: there is no environment, or not exactly one head.
        """
        return cls(files, folder, options)

    @property
    def name(self) -> RecipeName:
        """Its name in settings."""
        return "alembic"

    def edits(self, texts: Sequence[OfferedText], context: EditContext) -> Edits:
        """Return one new revision with the comments.

        Raises:
            RecipeBlocked: an open contribution already continues from the head, or a text cannot be written.
        """
        if taken := next(filter(self._layout.holds, sorted(context.taken)), None):
            raise RecipeBlocked(
                f"an open contribution adds {taken!r}, and two revisions would continue from {self._chain[-1].id!r}; "
                "merge or close it first"
            )
        head = self._chain[-1]
        seed = f"{context.swarm_id}:{context.cycle}".encode()
        revision = hashlib.sha256(seed).hexdigest()[:_ID_DIGITS]
        path = self._layout.path_of(head.path, revision, context.title, context.at)
        content = write_revision(revision, head.id, texts, context, self._writer).encode()
        if b"\r\n" in self._files.read(head.path):
            content = content.replace(b"\n", b"\r\n")
        edits = [Edit(path, None, content, description_of(texts))]
        executed = [each for each in texts if is_executed(each, self._options.dialect)]
        written = SchemaHistory(self._options, "")
        if script := read_revision(path, content):
            chain_of([*self._chain, script])
            written.apply(operations_of(script, self._options.dialect, self._schema), path)
        parsed = self._writer.parsed(executed)
        if parsed.passed:
            parsed = dataclasses.replace(parsed, output=f"the revision was parsed as Python, and {parsed.output}")
        checks = [
            parsed,
            compared(texts, written),
            only_new_files(edits, self._files.paths),
        ]
        warnings, notes = self._missing_in_models(texts)
        if any("%" in each.text for each in texts):
            warnings.append("`alembic upgrade --sql` prints each percent sign twice; `alembic upgrade` does not")
        return Edits(edits, checks, warnings, notes, [revision, head.id])

    def _missing_in_models(self, texts: Sequence[OfferedText]) -> tuple[list[str], list[str]]:
        """Return a warning, and a note with the comments that models lack, where Alembic compares them."""
        env = join(self._layout.script, "env.py")
        if env not in self._files.paths or not compares_models(self._files.read(env)):
            return [], []
        models = comments_of_models(self._files)
        missing = [
            each
            for each in texts
            if not is_executed(each, self._options.dialect)
            and models.get((each.relation.name, each.column)) != each.text
        ]
        if not missing:
            return [], []
        lines = [
            f"- {code_span('.'.join(filter(None, each.target)))}: {code_span(f'comment={each.text!r}')}"
            for each in missing
        ]
        warning = (
            f"{env} gives Alembic models, {len(missing)} of which lack the comment: "
            "the next revision by --autogenerate would drop them from the database"
        )
        return [warning], [
            "`alembic revision --autogenerate` drops comments that models lack. Add to the models:",
            *lines,
        ]
