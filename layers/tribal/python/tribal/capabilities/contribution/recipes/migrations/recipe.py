"""Recipes for SQL migrations: one new file with `COMMENT ON` statements under the next version."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tribal.capabilities.contribution.recipes.comment_texts import (
    CommentRecipe,
    CommentWriter,
    compared,
    description_of,
    only_new_files,
)
from tribal.capabilities.contribution.recipes.migrations.file_names import next_version, slug_of
from tribal.capabilities.contribution.recipes.migrations.flyway import FlywaySettings, flyway_settings
from tribal.capabilities.contribution.recipes.migrations.markers import (
    PAIR_MARKS,
    MarkedText,
    Markers,
    read_parts,
    write_parts,
)
from tribal.capabilities.contribution.recipes.migrations.versioned_files import (
    VersionedFile,
    flyway_files,
    numbered_files,
)
from tribal.capabilities.contribution.recipes.paths import is_inside
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
from tribal.sql.comments import changes_in
from tribal_contracts.contribution.cycles import RecipeName


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the files of a folder are named and what is in them."""

    versioned: Sequence[VersionedFile]
    """All files with a version, in the order in which they run."""
    newest: VersionedFile
    """The SQL file with the highest version."""
    texts: dict[str, MarkedText]
    """The content of SQL files that run forward, in the order in which they run."""
    markers: Markers | None
    has_down_part: bool
    down_suffix: str | None
    """The end of the names of files that run backward."""


class MigrationsRecipe(CommentRecipe):
    """Migrations in SQL that Flyway, or a tool for numbered or timestamped files, runs in order of version."""

    def __init__(self, files: Files, name: RecipeName, folder: str, options: RecipeOptions) -> None:
        self._files = files
        self._name = name
        self._folder = folder
        self._options = options
        self._flyway = flyway_settings(files, folder, options.dialect) if name == "flyway" else FlywaySettings()
        self._layout = self._read_layout()
        unqualified = self._flyway.default_schema or default_schema(options.dialect)
        self._history = SchemaHistory(options, unqualified)
        for path, text in self._layout.texts.items():
            self._history.apply(changes_in(text.text, options.dialect, unqualified), path)
        marks = (*(self._layout.markers.marks if self._layout.markers else ()), self._flyway.placeholder_prefix)
        if self._layout.down_suffix:
            marks += PAIR_MARKS
        self._writer = CommentWriter(options.dialect, marks)

    @classmethod
    def open(cls, files: Files, name: RecipeName, folder: str, options: RecipeOptions) -> Self:
        """Open the migrations in a folder.

        Args:
            files: of the repository.
            name: `flyway`, `numbered` or `timestamped`.
            folder: of the migrations; empty for the root.
            options: of the repository's entry.

        Raises:
            RecipeBlocked: the form of the next file cannot be decided.
        """
        return cls(files, name, folder, options)

    @property
    def name(self) -> RecipeName:
        """Its name in settings."""
        return self._name

    def edits(self, texts: Sequence[OfferedText], context: EditContext) -> Edits:
        """Return one new file with the comments, and its down file where siblings have one.

        Raises:
            RecipeBlocked: there is no version left, or the file already exists.
        """
        layout = self._layout
        path = self._new_path(context)
        up = [self._writer.statement(each.relation, each.column, each.text) for each in texts]
        down = [self._writer.statement(each.relation, each.column, each.comment) for each in reversed(texts)]
        edits = [self._edit(path, write_parts(up, down if layout.has_down_part else (), layout.markers), texts)]
        if layout.down_suffix:
            down_path = path.removesuffix(layout.newest.suffix) + layout.down_suffix
            edits.append(self._edit(down_path, "\n".join(down), None))
        written = SchemaHistory(self._options, "")
        content = edits[0].after.decode()
        written.apply(changes_in(read_parts(content).text, self._options.dialect, ""), path)
        return Edits(
            edits, [self._writer.parsed(texts), compared(texts, written), only_new_files(edits, self._files.paths)]
        )

    def _read_layout(self) -> _Layout:
        if self._name == "flyway":
            found = flyway_files(self._files.paths, self._flyway, self._folder).get(self._folder, [])
        else:
            found = numbered_files(self._files.paths, self._folder).get(self._folder, [])
        versioned = sorted(found, key=lambda file: (file.version.order, file.path))
        forward = [file for file in versioned if file.is_sql]
        own = [file for file in forward if self._name != "flyway" or file.prefix == self._flyway.prefix]
        if not own:
            raise RecipeBlocked(
                f"{self._folder or 'the root'} has no versioned SQL file to continue from; "
                "set `folder` to the folder of the migrations, or add the first one yourself"
            )
        if self._name == "flyway":
            _refuse_equal_versions(own)
        else:
            _refuse_two_styles(self._name, versioned)
        texts = {file.path: self._read(file.path) for file in forward}
        parts = [texts[file.path] for file in own]
        if len(tools := {part.markers for part in parts}) > 1:
            names = sorted(each.tool if each else "no tool" for each in tools)
            raise RecipeBlocked(f"files in {self._folder or 'the root'} have markers of {' and '.join(names)}")
        downs = [file.suffix for file in versioned if file.suffix.startswith(".down.")]
        return _Layout(
            versioned=versioned,
            newest=own[-1],
            texts=texts | {path: self._read(path) for path in self._repeatable_paths()},
            markers=parts[-1].markers,
            has_down_part=any(part.has_down for part in parts),
            down_suffix=downs[-1] if downs else None,
        )

    def _repeatable_paths(self) -> list[str]:
        start = f"{self._flyway.repeatable_prefix}{self._flyway.separator}"
        return sorted(
            path
            for path in (self._files.paths if self._name == "flyway" else ())
            if is_inside(path, self._folder)
            and path.rpartition("/")[2].startswith(start)
            and path.endswith(self._flyway.suffixes)
        )

    def _read(self, path: str) -> MarkedText:
        return read_parts(self._files.read(path).decode("utf-8-sig", "replace"))

    def _new_path(self, context: EditContext) -> str:
        newest = self._layout.newest
        versions = [file.version for file in (*self._layout.versioned, *self._taken(context))]
        # Flyway's separator is fixed; that of other tools is the sign between words where a slug has only one.
        slugs = [
            file.slug + (file.separator if len(file.separator) == 1 else "")
            for file in self._layout.versioned
            if file.is_sql
        ]
        return newest.named(next_version(versions, context.at), slug_of(context.title, slugs))

    def _taken(self, context: EditContext) -> list[VersionedFile]:
        """Return the files that our open contributions add to the folder."""
        paths = sorted(context.taken)
        if self._name == "flyway":
            return flyway_files(paths, self._flyway, self._folder).get(self._folder, [])
        return numbered_files(paths, self._folder).get(self._folder, [])

    def _edit(self, path: str, text: str, texts: Sequence[OfferedText] | None) -> Edit:
        sibling = self._files.read(self._layout.newest.path)
        text += "\n" if sibling.endswith(b"\n") or not sibling else ""
        content = text.encode()
        if b"\r\n" in sibling:
            content = content.replace(b"\n", b"\r\n")
        return Edit(path, None, content, description_of(texts) if texts else "restore the previous comments")


def _refuse_equal_versions(files: Sequence[VersionedFile]) -> None:
    for one, other in itertools.pairwise(files):
        if one.version.order == other.version.order:
            raise RecipeBlocked(
                f"{one.path} and {other.path} have the same version; set `folder` to the folder of this database"
            )


def _refuse_two_styles(name: RecipeName, files: Sequence[VersionedFile]) -> None:
    # A first file that is all zeros fits every style.
    styles = {
        (file.version.style, 0 if file.version.style == "number" else len("".join(file.version.parts)))
        for file in files
        if file.version.order != (0,)
    }
    if len(styles) > 1:
        raise RecipeBlocked(f"{files[0].folder or 'the root'} has versions in two styles; use one, and try again")
    if styles and (name == "numbered") != ("number" in {style for style, _ in styles}):
        raise RecipeBlocked(f"the versions in {files[0].folder or 'the root'} are not {name}; leave out `recipe`")
    suffixes = {file.suffix.count(".") for file in files if file.suffix.endswith(".sql")}
    if len(suffixes) > 1:
        raise RecipeBlocked(f"only some files in {files[0].folder or 'the root'} end in `.up.sql`; name all alike")
