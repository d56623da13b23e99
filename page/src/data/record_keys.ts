// The keys of the one file, from the records of its tables.
import type {Table} from "./catalog";
import {type Key, type Keys, keysOf} from "./keys";

export function keysOfRecords(tables: Table[]): Keys {
  const byName = new Map(tables.map(table => [table.n, table]));
  const keys = tables.flatMap(table => [
    ...(table.e ?? []).flatMap(([name, out, own, other, , optional]) =>
      keyOf(byName, table, {name, out, own, other}, optional ? "optional" : ""),
    ),
    ...(table.lk ?? []).flatMap(([name, out, own, other]) => keyOf(byName, table, {name, out, own, other}, "likely")),
  ]);
  return keysOf(keys, name => byName.get(name)?.pk ?? []);
}

interface Relation {
  name: string;
  out: 0 | 1;
  own: string[];
  other: string[];
}

/** A key as one of its ends lists it; nothing where the table that holds it lists it too. */
function keyOf(tables: Map<string, Table>, table: Table, relation: Relation, kind: Key["kind"]): Key[] {
  const {name, out, own, other} = relation;
  if (out) return [{from: table.n, to: name, own, other, kind, one: identifies(table, own)}];
  return tables.has(name) ? [] : [{from: name, to: table.n, own: other, other: own, kind, one: false}];
}

/** Whether a table has at most one row for each value of some columns. */
const identifies = (table: Table, columns: string[]) =>
  [table.pk ?? [], ...(table.u ?? []).map(([, key]) => key)].some(
    key => key.length > 0 && key.every(column => columns.includes(column)),
  );
