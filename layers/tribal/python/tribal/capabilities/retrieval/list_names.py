"""Lists the names of databases, schemas, domains and tables that a caller may see, in pages, for servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal.identity.table_names import format_name
from tribal.ports import IndexedTable
from tribal_contracts import ListNamesInput, ListNamesOutput, NameKind

Name = tuple[str, ...]

_PARTS: Mapping[NameKind, Callable[[IndexedTable], Name]] = {
    "database": lambda entry: (entry.database,),
    "schema": lambda entry: (entry.database, entry.schema),
    "domain": lambda entry: (entry.database, entry.domain),
    "table": lambda entry: (entry.database, entry.schema, entry.table),
}


def list_names(request: ListNamesInput, toolbox: Toolbox) -> ListNamesOutput:
    """List the names of one kind; `total` counts all matches, on every page.

    Raises:
        IndexNotReady: when there is no finished index.
    """
    parts, prefix = _PARTS[request.kind], request.prefix.casefold()
    found = {
        parts(entry)
        for entry in open_index(toolbox).tables
        if request.database in (None, entry.database) and request.schema_ in (None, entry.schema)
    }
    fitting = sorted(name for name in found if _begins(request.kind, name, prefix))
    rest = [name for name in fitting if request.after is None or name > tuple(request.after)]
    page = rest[: request.limit]
    return ListNamesOutput(
        success=True,
        tokens_used=0,
        names=[list(name) for name in page],
        total=len(fitting),
        returned=len(page),
        truncated=len(page) < len(rest),
    )


def _begins(kind: NameKind, name: Name, prefix: str) -> bool:
    if kind != "table":
        return name[-1].casefold().startswith(prefix)
    spellings = (name[-1], *(format_name(name[start:]) for start in range(len(name))))
    return any(spelling.casefold().startswith(prefix) for spelling in spellings)
