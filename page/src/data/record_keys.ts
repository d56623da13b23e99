// The keys of the one file, from the records of its tables.
import type {Table} from "./catalog";
import type {Key, KeyColumn, Keys} from "./keys";

const isOf = (columns: string[], key: string[]) => key.length > 0 && key.every(column => columns.includes(column));

/** Whether a table has at most one row for each value of some columns. */
const identifies = (table: Table | undefined, columns: string[]) =>
  Boolean(table) && [table?.pk ?? [], ...(table?.u ?? []).map(([, key]) => key)].some(key => isOf(columns, key));

export function keysOfRecords(tables: Table[]): Keys {
  const byName = new Map(tables.map(table => [table.n, table]));
  const outgoing = tables.flatMap(table => [
    ...(table.e ?? []).map(([name, out, own, other, , optional]): [Key, boolean] => [
      keyOf(byName, out ? [table.n, name, own, other] : [name, table.n, other, own], optional ? "optional" : ""),
      Boolean(out),
    ]),
    ...(table.lk ?? []).map(([name, out, own, other]): [Key, boolean] => [
      keyOf(byName, out ? [table.n, name, own, other] : [name, table.n, other, own], "likely"),
      Boolean(out),
    ]),
  ]);
  const of = new Map<string, Key[]>();
  for (const [key, isOut] of outgoing) {
    // Both ends list a key.
    if (!isOut && byName.has(key.from)) continue;
    for (const end of new Set([key.from, key.to])) of.set(end, [...(of.get(end) ?? []), key]);
  }
  return {of: name => of.get(name) ?? [], columns: name => keyColumns(byName.get(name), of.get(name) ?? [])};
}

function keyOf(
  tables: Map<string, Table>,
  [from, to, own, other]: [string, string, string[], string[]],
  kind: Key["kind"],
): Key {
  return {from, to, own, other, kind, one: identifies(tables.get(from), own)};
}

function keyColumns(table: Table | undefined, keys: Key[]): KeyColumn[] {
  const primary = new Set(table?.pk ?? []);
  const foreign = new Set(keys.flatMap(key => (key.from === table?.n ? key.own : [])));
  const referenced = keys.flatMap(key => (key.to === table?.n ? key.other : []));
  const names = new Set([...primary, ...foreign, ...referenced]);
  return [...names].map(name => ({name, primary: primary.has(name), foreign: foreign.has(name)}));
}
