"""Which relations' rows a join repeats, and what that does to aggregates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tribal.sql.checking.grouping import aggregates_in, grouped_parts, output_at
from tribal.sql.checking.names import Names, offset_of
from tribal.sql.checking.relations import Relation, Repeat, Use
from tribal.sql.checking.selection import Place, Selection, column_of, uses_in
from tribal.sql.parsing import exp

_SUMMING = (exp.Sum, exp.Avg, exp.Count, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop)

_NUMBERING = (exp.RowNumber, exp.Rank, exp.DenseRank)


class Repetition:
    """Judges aggregates by keys.

    A relation is determined by others if, for each combination of their rows, the conditions leave at most one of its
    rows: the columns of one of its keys are equal to columns of theirs, or constant.
    """

    def __init__(self, names: Names) -> None:
        self._names = names

    def check(self, selection: Selection) -> None:
        """Report aggregates over rows that a join repeats, here or in a query that is selected from."""
        relations = selection.item.every
        groups = self._group_places(selection)
        for node in self._aggregates(selection):
            if (repeat := self._repeated_before(node, selection, groups | self._partition(node))) is not None:
                self._report(node, *repeat)
                continue
            if len(relations) < 2 or any(each.is_open for each in relations):
                continue
            counted = {relation for relation, _ in uses_in([node.this], self._names) if relation in relations}
            within = groups | self._partition(node)
            if isinstance(node.this, exp.Star) or not counted:
                if not any(self._leaves(each, selection, within) == () for each in ([one] for one in relations)):
                    self._report_rows(node, selection)
                continue
            left = self._leaves(counted, selection, within)
            # It is certain that several rows of a relation can belong to one if it has keys, and none is joined.
            many = [each for each in left if each.keys]
            if many:
                self._report(node, [each.shown for each in counted], [each.shown for each in many])

    def mark(self, selection: Selection, result: Relation, sources: Sequence[exp.Expr | Use]) -> None:
        """Note in the columns of a result which tables' rows have repeated their values.

        Not where the query drops repeated rows, or numbers rows so that one around it can.

        Args:
            selection: the query.
            result: of the query.
            sources: for each column its expression, or the column that `*` means.
        """
        node = selection.node
        is_reduced = any(node.args.get(key) for key in ("distinct", "group", "limit", "qualify"))
        if is_reduced or any(True for _ in aggregates_in(grouped_parts(node))) or node.find(*_NUMBERING):
            return
        relations = selection.item.every
        is_known = len(relations) > 1 and not any(each.is_open for each in relations)
        used = [[each] if isinstance(each, tuple) else list(uses_in([each], self._names)) for each in sources]
        places = {
            (uses[0][0], uses[0][1].name): number
            for number, (source, uses) in enumerate(zip(sources, used, strict=True))
            if isinstance(source, tuple) or (uses and column_of(source, self._names) is not None)
        }
        for column, uses in zip(result.columns, used, strict=True):
            own = {relation for relation, _ in uses if relation in relations}
            repeats = [self._passed(repeat, relation, places) for relation, each in uses for repeat in each.repeats]
            left = self._leaves(own, selection, set()) if own and is_known else ()
            repeats += [Repeat(each.shown, self._missing(each, own, selection, places)) for each in left if each.keys]
            column.repeats = repeats

    def _missing(
        self, relation: Relation, own: Collection[Relation], selection: Selection, places: Mapping[Place, int]
    ) -> frozenset[int] | None:
        """The outputs that identify a row of a relation, together with a row of those that are given."""
        classes = selection.classes
        known = {classes.of((each, column.name)) for each in own for column in each.columns}
        known |= {classes.of(each) for each in selection.constant}
        key = min(relation.keys, key=len)
        left = [name for name in key if classes.of((relation, name)) not in known]
        return _outputs_of(((relation, name) for name in left), places)

    def _passed(self, repeat: Repeat, relation: Relation, places: Mapping[Place, int]) -> Repeat:
        """A repeat of an earlier query, with the places of its keys in this one."""
        if repeat.keys is None:
            return repeat
        keys = ((relation, relation.columns[number].name) for number in repeat.keys)
        return Repeat(repeat.by, _outputs_of(keys, places))

    def _repeated_before(
        self, node: exp.Expr, selection: Selection, fixed: Collection[Place]
    ) -> tuple[list[str], list[str]] | None:
        """Of an aggregate, which values an earlier query has repeated, and for each row of which tables."""
        uses = list(uses_in([node.this], self._names)) if isinstance(node.this, exp.Expr) else []
        for relation, column in uses:
            by = [
                repeat.by
                for repeat in column.repeats
                if repeat.keys is None
                or not all(self._is_fixed((relation, relation.columns[n].name), selection, fixed) for n in repeat.keys)
            ]
            if by:
                return [column.name], by
        return None

    def _is_fixed(self, place: Place, selection: Selection, fixed: Collection[Place]) -> bool:
        return place in fixed or selection.is_constant(place)

    def keys_of(self, selection: Selection, result: Relation) -> Sequence[frozenset[str]]:
        """Sets of columns of which each identifies a row of the result."""
        node = selection.node
        outputs = self._places(node)
        distinct = node.args.get("distinct")
        names = [column.name for column in result.columns]
        keys: list[frozenset[str]] = []
        if distinct is not None and not distinct.args.get("on") and not result.is_open:
            keys.append(frozenset(names))
        if node.args.get("group") is not None:
            key = self._group_key(selection, outputs)
            return [*keys, *([key] if key is not None else [])]
        if any(True for _ in aggregates_in(grouped_parts(node))):
            return [frozenset()]
        if any(each.is_open for each in selection.item.every):
            return keys
        for relation in selection.item.every:
            if self._leaves([relation], selection, set()) == ():
                shown = {place[1]: name for name, place in outputs.items() if place[0] is relation}
                keys += [frozenset(shown[each] for each in key) for key in relation.keys if key <= shown.keys()]
        return keys

    def _group_key(self, selection: Selection, outputs: dict[str, Place]) -> frozenset[str] | None:
        """The outputs that a query groups by, if all of them are outputs."""
        group = selection.node.args["group"]
        if any(group.args.get(each) for each in ("grouping_sets", "cube", "rollup", "totals")):
            return None
        listed = {place: name for name, place in outputs.items()}
        selects = selection.node.selects
        found: set[str] = set()
        for each in group.expressions:
            use = column_of(each, self._names)
            place = (use[0], use[1].name) if use is not None else None
            by_alias = (one for one in selects if isinstance(each, exp.Column) and one.alias and one.alias == each.name)
            same = (one for one in selects if one.unalias() == each)
            output = output_at(each, selection.node) or next(by_alias, None) or next(same, None)
            if place is not None and place in listed:
                found.add(listed[place])
            elif output is not None and output.alias_or_name:
                found.add(self._output(output))
            else:
                return None
        return frozenset(found)

    def _output(self, node: exp.Expr) -> str:
        named = node.args.get("alias") if isinstance(node, exp.Alias) else node.this
        return self._names.stored(named) if isinstance(named, exp.Identifier) else node.alias_or_name

    def _places(self, node: exp.Select) -> dict[str, Place]:
        """The outputs that are columns, by name."""
        found: dict[str, Place] = {}
        for each in node.selects:
            use = column_of(each.unalias(), self._names)
            if use is not None:
                found[self._output(each) if isinstance(each, exp.Alias) else use[1].name] = use[0], use[1].name
        return found

    def _leaves(
        self, start: Iterable[Relation], selection: Selection, fixed: Collection[Place]
    ) -> tuple[Relation, ...]:
        """The relations that some relations, and columns with fixed values, do not determine."""
        classes = selection.classes
        known = {classes.of(each) for each in (*selection.constant, *fixed)}
        left = [each for each in selection.item.every if each.columns]
        waiting = list(start)
        while waiting:
            for each in waiting:
                known |= {classes.of((each, column.name)) for column in each.columns}
            left = [each for each in left if each not in waiting]
            waiting = [
                each
                for each in left
                if any(all(classes.of((each, name)) in known for name in key) for key in each.keys)
            ]
        return tuple(left)

    def _group_places(self, selection: Selection) -> set[Place]:
        group = selection.node.args.get("group")
        aliases = {each.alias: each.this for each in selection.node.selects if each.alias}
        places: set[Place] = set()
        for each in group.expressions if group is not None else ():
            value = (output_at(each, selection.node) or each).unalias()
            if isinstance(value, exp.Column) and id(value) not in self._names.uses:
                value = aliases.get(value.name, value)
            if (use := column_of(value, self._names)) is not None:
                places.add((use[0], use[1].name))
        return places

    def _partition(self, node: exp.Expr) -> set[Place]:
        window = node.parent
        listed = window.args.get("partition_by") or () if isinstance(window, exp.Window) else ()
        uses = (column_of(each, self._names) for each in listed)
        return {(use[0], use[1].name) for use in uses if use is not None}

    def _aggregates(self, selection: Selection) -> Iterator[exp.Expr]:
        """The aggregates of a query whose result depends on how often a row occurs, also those over windows."""
        waiting = grouped_parts(selection.node)
        while waiting:
            each = waiting.pop()
            if isinstance(each, _SUMMING) and not isinstance(each.this, exp.Distinct):
                yield each
            elif not isinstance(each, exp.Query):
                waiting += each.iter_expressions()

    def _report(self, node: exp.Expr, counted: Sequence[str], many: Sequence[str]) -> None:
        of = " and ".join(sorted(counted))
        by = " and ".join(many[:3])
        call = node.key.upper()
        repair = "COUNT(DISTINCT ...)" if isinstance(node, exp.Count) else f"aggregate {many[0]} in a subquery first"
        self._names.notes.report(
            offset_of(node),
            "fan_out",
            f"{call} counts rows of {of} several times: the join repeats them for each row of {by}",
            repair,
        )

    def _report_rows(self, node: exp.Expr, selection: Selection) -> None:
        """Report a count of rows where no relation is counted once."""
        relations = selection.item.every
        if not all(each.keys for each in relations):
            return
        names = " and ".join(each.shown for each in relations[:4])
        self._names.notes.report(
            offset_of(node),
            "fan_out",
            f"{node.key.upper()} counts combinations of rows of {names}: the joins repeat the rows of each",
            None,
        )


def _outputs_of(columns: Iterable[Place], places: Mapping[Place, int]) -> frozenset[int] | None:
    """The places of columns in a result; `None` if it lacks one of them."""
    found = [places.get(each) for each in columns]
    return None if None in found else frozenset(each for each in found if each is not None)
