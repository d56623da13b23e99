"""The words and signs of SQL that say what belongs together."""

from __future__ import annotations

QUERIES = frozenset({"SELECT", "WITH", "VALUES"})
"""Words that begin a query."""
CLAUSES = frozenset("FROM WHERE ON GROUP HAVING WINDOW ORDER LIMIT OFFSET FETCH".split())
"""Words that end a SELECT list or another clause of a query."""
SETS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
"""Words between two queries with the same columns."""
JOINS = frozenset({"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL"})
"""Words between two sources of a query."""
CASES = frozenset({"CASE", "WHEN", "THEN", "ELSE", "END"})
CONDITIONS = frozenset({"LIKE", "ILIKE", "SIMILAR", "IN", "IS", "ISNULL", "NOTNULL", "EXISTS"})
"""Words that make the text around them a condition."""

KEYWORDS = (
    QUERIES
    | CLAUSES
    | SETS
    | JOINS
    | CASES
    | CONDITIONS
    | frozenset(
        """
        ALL AND ANY ARRAY AS ASC AT BETWEEN BY COLLATE CURRENT_CATALOG CURRENT_DATE CURRENT_ROLE CURRENT_SCHEMA
        CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DESC DISTINCT ESCAPE FALSE LATERAL LOCALTIME LOCALTIMESTAMP
        MATERIALIZED NOT NULL NULLS ONLY OR OUTER RECURSIVE ROW SESSION_USER SOME SYMMETRIC SYSTEM_USER TABLESAMPLE TRUE
        USER USING WITHIN
        """.split()
    )
)
"""Unquoted words that name no column."""
TYPE_WORDS = frozenset("VARYING PRECISION WITH WITHOUT TIME ZONE DAY TO SECOND YEAR MONTH HOUR MINUTE".split())
"""Words behind the first one of a type's name."""

VALUE_SIGNS = frozenset("+ - * / % ^ | || & # << >> -> ->> #> #>> #- @ |/ ||/ => := : <-> <#> <=>".split())
"""Operators whose result is a value; that of all others is a condition."""
ARROWS = frozenset({"->", "->>", "#>", "#>>"})
"""Operators that look a key up in a JSON document."""

MEASURING_CALLS = frozenset(
    """
    length char_length character_length octet_length bit_length len count cardinality array_length array_position over
    jsonb_array_length json_array_length num_nonnulls num_nulls position strpos charindex regexp_count
    """.split()
)
"""Functions whose result is a number about their arguments: what it is compared with says nothing of those."""
BUILDING_CALLS = frozenset(
    "json_build_object jsonb_build_object json_object jsonb_object hstore object_construct set_config".split()
)
"""Functions whose arguments are keys and values by turns."""
CIPHER_PARTS = ("encrypt", "decrypt", "crypt", "hmac", "cipher")
"""Parts of the names of functions that take a key."""
