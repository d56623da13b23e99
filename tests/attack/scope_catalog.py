"""A company of two databases, made by a seed: every schema has words that no one may see who may not see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.fakes.catalogs import column, table
from tribal.identity.table_names import format_name
from tribal_contracts import CatalogCheck, CatalogColumn, CatalogIndex, CatalogTable

_HARD, _SOFT = "bdfgklmnprstvz", "aeiou"


class Inventor:
    """Makes words that no language has, each once."""

    def __init__(self, seed: str) -> None:
        self._random = Random(f"words {seed}")
        self.random = Random(f"choices {seed}")
        """Decides everything but words, so that the same words come whatever else is decided."""
        self._made: set[str] = set()

    def word(self, syllables: int = 3) -> str:
        """A pronounceable word that ends in a consonant."""
        while True:
            parts = [self._random.choice(_HARD) + self._random.choice(_SOFT) for _ in range(syllables)]
            made = "".join(parts) + self._random.choice("kvzd")
            if made not in self._made:
                self._made.add(made)
                return made


@dataclass
class Company:
    """The tables of each database, and the words of each place that only who sees the place may see."""

    tables: dict[str, list[CatalogTable]] = field(default_factory=dict)
    secrets: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """By database and schema, the words that only its objects have."""
    seen: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The names of the tables of each place."""
    columns: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Words of columns of each place, which no sentence says."""
    annotations: dict[str, str] = field(default_factory=dict)
    domains: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def words_outside(self, allows: Callable[[str, str], bool]) -> set[str]:
        """The words of all places that a scope does not allow."""
        return {word for place, words in self.secrets.items() if not allows(*place) for word in words}

    def without(self, allows: Callable[[str, str], bool], bare: Company) -> Company:
        """The company that has only what a scope allows, and of it nothing that names anything else.

        Keys between what it has stay: they say how much a question needs a table.
        """
        keys = {
            (database, table.schema_name, table.table_name): [
                key for key in table.foreign_keys if allows(database, key.references_schema)
            ]
            for database, tables in self.tables.items()
            for table in tables
        }
        tables = {
            database: [
                table.model_copy(update={"foreign_keys": keys[database, table.schema_name, table.table_name]})
                for table in tables
                if allows(database, table.schema_name)
            ]
            for database, tables in bare.tables.items()
        }
        return replace(bare, tables={name: some for name, some in tables.items() if some})


@dataclass(frozen=True)
class Place:
    """A schema with the names of its objects."""

    database: str
    schema: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    sequence: str
    function: str
    kind: str

    def qualified(self, name: str) -> str:
        return format_name((self.schema, name))


def invent(seed: str, *, tables_a_schema: int, telling: bool = True) -> Company:
    """Make a company; not `telling`, objects of one schema say nothing of those of others, all else alike."""
    make = Inventor(seed)
    company = Company()
    databases = [make.word(2) for _ in range(2)]
    places = [_place(make, database, tables_a_schema) for database in databases for _ in range(3)]
    for place in places:
        own = {place.schema, place.sequence, place.function, place.kind, *place.columns, *place.tables}
        company.secrets[place.database, place.schema] = {_bare(word) for word in own}
        company.seen[place.database, place.schema] = list(place.tables)
        company.columns[place.database, place.schema] = [_bare(name) for name in place.columns]
    for database in databases:
        company.secrets[database, ""] = {database}
    for place in places:
        others = [other for other in places if other is not place]
        made = [_table(make, place, number, others, company, telling) for number in range(tables_a_schema)]
        made.append(_view(make, place, others, company, telling))
        company.tables.setdefault(place.database, []).extend(made)
    for database in databases:
        inside = [place for place in places if place.database == database]
        company.domains[database] = {inside[1].schema: [f"{inside[0].schema}.{inside[0].tables[0]}"]}
        company.annotations[database] = _annotations(make, inside, places) if telling else ""
    return company


def _bare(word: str) -> str:
    return word.partition("_")[0].partition(" ")[0].lower()


def _place(make: Inventor, database: str, tables: int) -> Place:
    shapes: Sequence[Callable[[str], str]] = (
        lambda word: word,
        lambda word: f"{word}_order_line",
        lambda word: f"{word.capitalize()}Entry",
        lambda word: f"{word} of the year",
        lambda word: f"{word}s",
    )
    names = tuple(make.random.choice(shapes)(make.word()) for _ in range(tables))
    columns = tuple(f"{make.word()}_{make.random.choice(('id', 'at', 'total'))}" for _ in range(3))
    return Place(
        database, make.word(), names, columns, f"{make.word()}_seq", f"{make.word()}_of", f"{make.word()}_kind"
    )


def _table(
    make: Inventor, place: Place, number: int, others: Sequence[Place], company: Company, telling: bool
) -> CatalogTable:
    """A table whose every field tells of another schema."""
    choose = make.random
    near = [other for other in others if other.database == place.database]
    other = choose.choice(near)
    keys = [(f"to_{n}", place.qualified(place.tables[0])) for n in range(1 if number else 0)]
    made = table(f"{place.schema}.x", *(column(name, "text") for name in place.columns), references=keys)
    secret = {make.word() for _ in range(4)}
    company.secrets[place.database, place.schema] |= secret
    said = sorted(secret)
    comments: list[str | None] = [None, None]
    if telling:
        comments = [_sentence(choose, choose.choice(list(others)), choose.choice(("table", "place"))) for _ in range(2)]
    spoken_of = [f"About {said[1]}.", *comments]
    columns = [
        made.columns[0],
        *(item.model_copy(update={"comment": text}) for item, text in zip(made.columns[1:], spoken_of, strict=False)),
        # A note on keys that may be empty names all of them together, and is withheld as one.
        *(item.model_copy(update={"nullable": False}) for item in made.columns[4:]),
    ]
    silent = [column(item.name, "text") for item in _telling_columns(choose, place, other)]
    columns += _telling_columns(choose, place, other) if telling else silent
    foreign = [_key(key, other, place) for key in made.foreign_keys]
    if telling:
        far = table("a.x", references=[("far_id", other.qualified(other.tables[0]))]).foreign_keys[0]
        foreign.append(_key(far, other, place, to=other.tables[0]).model_copy(update={"name": f"fk_{other.tables[0]}"}))
    return made.model_copy(
        update={
            "table_name": place.tables[number],
            "comment": comments[0],
            "columns": columns,
            "foreign_keys": foreign,
            "indexes": [_index(other)] if telling else [],
            "checks": [CatalogCheck(name="c", expression=f"({other.schema}.{other.function}(far_id) > 0)")]
            if telling
            else [],
        }
    )


def _key(key, other: Place, place: Place, to: str | None = None):  # type: ignore[no-untyped-def]
    schema, name = (other.schema, to) if to else (place.schema, place.tables[0])
    return key.model_copy(update={"references_schema": schema, "references_table": name})


def _index(other: Place) -> CatalogIndex:
    call = f"{other.schema}.{other.function}(far_id)"
    return CatalogIndex(name=f"x_{other.function}_idx", columns=["id", call], unique=False, predicate=f"{call} > 0")


def _telling_columns(choose: Random, place: Place, other: Place) -> list[CatalogColumn]:
    function = f"{other.schema}.{other.function}"
    labels = [f"{_bare(other.kind)} {n}" for n in range(3)]
    return [
        column("far_id", nullable=choose.random() < 0.5),
        column("number").model_copy(update={"default_value": f"nextval('{other.schema}.{other.sequence}'::regclass)"}),
        column("made", "text").model_copy(update={"default_value": f"{function}('x'::text)"}),
        column("state", f"{other.schema}.{other.kind}").model_copy(update={"enum_values": labels}),
        column("states", f"{other.schema}.{other.kind}[]"),
        column("worked_out").model_copy(update={"generated": f"({function}(far_id) + 1)"}),
        column("told", "text").model_copy(update={"default_value": f"'{choose.choice(other.tables)}'::text"}),
    ]


def _sentence(choose: Random, other: Place, what: str) -> str:
    """A sentence as people write it that names a table or a schema."""
    name = choose.choice(other.tables) if what == "table" else other.schema
    plain = " " not in name
    ways = [
        f'Copied from "{name}" every night.',
        f"see `{name}`",
        f"As in {other.qualified(name)}." if what == "table" else f"As in the schema {name}.",
        f"{other.database}.{other.schema} has more",
        *([f"Fed by {name}; check twice.", f"({name.upper()})", f"joins {name}'s rows"] if plain else []),
    ]
    return choose.choice(ways)


def _view(make: Inventor, place: Place, others: Sequence[Place], company: Company, telling: bool) -> CatalogTable:
    """A view that hands the columns of another schema's table on."""
    other = next(other for other in others if other.database == place.database)
    name = f"{make.word()}_seen"
    company.secrets[place.database, place.schema].add(_bare(name))
    company.seen[place.database, place.schema].append(name)
    source = other.qualified(other.tables[0])
    made = table(f"{place.schema}.{name}", column("taken", "text"))
    return made.model_copy(
        update={
            "kind": "view",
            "primary_key": None,
            "columns": [column("taken", "text")],
            "view_definition": f' SELECT t."{other.columns[0]}" AS taken\n   FROM {source} t;' if telling else None,
        }
    )


def _annotations(make: Inventor, inside: Sequence[Place], places: Sequence[Place]) -> str:
    """A person's words on a table, a column and a domain, which name others."""
    lines = ["tables:"]
    for place in inside:
        other = make.random.choice([other for other in places if other is not place])
        name = format_name((place.schema, place.tables[-1])).replace("'", "''")
        words = [_sentence(make.random, other, what).replace("'", "''") for what in ("table", "place")]
        lines += [f"  '{name}':", f"    description: '{words[0]}'", f"    columns: {{id: '{words[1]}'}}"]
    first, other = inside[0], places[0] if inside[0] is not places[0] else places[-1]
    domain = inside[1].schema
    lines += ["domains:", f"  {domain}:", f"    description: 'Told by {other.schema} of {first.schema}.'"]
    return "\n".join(lines) + "\n"
