"""The columns of functions in FROM."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.sql.checking.language.families import family_of_type, type_name
from tribal.sql.checking.names import Names, offset_of, written
from tribal.sql.checking.relations import Column, Relation
from tribal.sql.parsing import exp

_FLATTENED = ("SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS")
"""Columns of Snowflake's FLATTEN."""
_OUTPUTS = {
    **dict.fromkeys(("json_each", "jsonb_each", "json_each_text", "jsonb_each_text"), ("key", "value")),
    **dict.fromkeys(("json_array_elements", "jsonb_array_elements"), ("value",)),
    **dict.fromkeys(("json_array_elements_text", "jsonb_array_elements_text"), ("value",)),
}
"""Columns of PostgreSQL's functions that name them. Source: `proargnames` of set-returning functions in `pg_proc`."""
_OF_ONE_VALUE = frozenset(
    """
    generate_series generate_subscripts json_object_keys jsonb_object_keys jsonb_path_query regexp_matches
    regexp_split_to_table string_to_table
    """.split()
)
"""Functions whose column has the name of the function, or of its alias."""


def function_relation(called: exp.Expr | None, node: exp.Expr, names: Names) -> Relation:
    """What a function in FROM returns.

    Args:
        called: the call; `None` for ROWS FROM.
        node: the item of FROM, with its alias.
        names: of the columns in it are resolved.
    """
    alias = node.args.get("alias")
    listed = [] if alias is None else alias.columns
    given = [names.stored(each.this if isinstance(each, exp.ColumnDef) else each) for each in listed]
    name = names.stored(alias.this) if alias is not None and alias.this else ""
    is_postgres = names.known.dialect == "postgres"
    known = _outputs(called, node, name, names)
    has_types = any(isinstance(each, exp.ColumnDef) for each in listed)
    offset = node.args.get("offset")
    if isinstance(offset, exp.Identifier):
        # The last name of the alias is that of the numbers.
        given.append(names.stored(offset))
    if known is not None and is_postgres and (node.args.get("ordinality") or offset):
        known = [*known, "ordinality"]
    if known is None or has_types:
        # What it returns is not known, unless the alias says so.
        columns = given or ([name] if name else [])
        is_open = not has_types and (not given or is_postgres or isinstance(called, exp.Anonymous))
    else:
        columns, is_open = [*given, *known[len(given) :]], False
        if len(given) > len(known):
            message = f"{written([name], 'postgres')} has {len(known)} columns, but its alias names {len(given)}"
            names.notes.report(offset_of(node), "unknown_column", message)
    if not name and isinstance(called, exp.Anonymous | exp.Unnest | exp.ExplodingGenerateSeries) and is_postgres:
        name = _name_of(called)
    return Relation(name, [Column(each) for each in columns], is_open, is_joined=True, offset=offset_of(node))


def _outputs(called: exp.Expr | None, node: exp.Expr, alias: str, names: Names) -> Sequence[str] | None:
    """The columns that a function returns; `None` if they are not known."""
    if called is None:
        return None
    if names.known.dialect == "snowflake":
        return _FLATTENED if isinstance(called, exp.Explode) or called.name.upper() == "FLATTEN" else None
    if isinstance(called, exp.Unnest):
        columns = [alias or "unnest"] if len(called.expressions) == 1 else ["unnest"] * len(called.expressions)
        return columns if all(_is_list_of_values(each, names) for each in called.expressions) else None
    schema = node.args.get("db")
    if schema is not None and names.stored(schema) != "pg_catalog":
        return None
    name = _name_of(called)
    return [alias or name] if name in _OF_ONE_VALUE else _OUTPUTS.get(name)


def _name_of(called: exp.Expr) -> str:
    if isinstance(called, exp.Unnest):
        return "unnest"
    return "generate_series" if isinstance(called, exp.ExplodingGenerateSeries) else called.name.lower()


def _is_list_of_values(node: exp.Expr, names: Names) -> bool:
    """Whether it is certain that the elements of an array have no columns of their own."""
    if isinstance(node, exp.Array):
        return all(isinstance(each, exp.Literal) for each in node.expressions)
    use = names.uses.get(id(node))
    element = type_name(use[1]) if use is not None else ""
    return element.endswith("[]") and family_of_type(element.removesuffix("[]")) is not None
