// Keys and key columns by table, for diagrams.
import {grouped} from "../grouped";
import {type Columns, GUESSED, INFERRED, type KeysPart, NULLABLE, ONE} from "../joins/types";

export interface Key {
  /** The table that holds the key. */
  from: string;
  to: string;
  own: string[];
  other: string[];
  kind: "" | "optional" | "likely";
  /** At most one row of `from` per row of `to`. */
  one: boolean;
}

export interface KeyColumn {
  name: string;
  primary: boolean;
  foreign: boolean;
}

export interface Keys {
  /** Keys from or to a table. */
  of(table: string): Key[];
  /** Columns of keys of a table, and those that others reference; primary ones first. */
  columns(table: string): KeyColumn[];
}

export function keysOfPart(part: KeysPart, names: readonly string[]): Keys {
  const columnNames = (columns: Columns) =>
    [columns].flat().map(number => {
      const name = part.c[number] ?? "";
      return typeof name === "string" ? name : name[0];
    });
  const keys = part.k.flatMap(([from, to, own, other, flags]): Key[] => {
    const [child, parent] = [names[from], names[to]];
    if (flags & GUESSED || child === undefined || parent === undefined) return [];
    const kind = flags & INFERRED ? "likely" : flags & NULLABLE ? "optional" : "";
    const [mine, theirs] = [columnNames(own), columnNames(other)];
    return [{from: child, to: parent, own: mine, other: theirs, kind, one: Boolean(flags & ONE)}];
  });
  const places = new Map(names.map((name, place) => [name, place]));
  return keysOf(keys, table => columnNames(part.p[places.get(table) ?? -1] ?? []));
}

/** Keys by table; `primaryOf` gives the columns of a table's primary key. */
export function keysOf(keys: Key[], primaryOf: (table: string) => string[]): Keys {
  const ends = keys.flatMap(key => [...new Set([key.from, key.to])].map(table => ({table, key})));
  const byTable = grouped(ends, end => end.table);
  const of = (table: string) => (byTable.get(table) ?? []).map(end => end.key);
  const columns = (table: string) => {
    const primary = new Set(primaryOf(table));
    const foreign = new Set(of(table).flatMap(key => (key.from === table ? key.own : [])));
    const referenced = of(table).flatMap(key => (key.to === table ? key.other : []));
    const all = new Set([...primary, ...foreign, ...referenced]);
    return [...all].map(name => ({name, primary: primary.has(name), foreign: foreign.has(name)}));
  };
  return {of, columns};
}
