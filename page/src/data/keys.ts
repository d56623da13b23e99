// Keys and key columns by table, for diagrams.
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
  const byTable = new Map<string, Key[]>();
  for (const [from, to, own, other, flags] of part.k) {
    const [child, parent] = [names[from], names[to]];
    if (flags & GUESSED || child === undefined || parent === undefined) continue;
    const kind = flags & INFERRED ? "likely" : flags & NULLABLE ? "optional" : "";
    const [mine, theirs] = [columnNames(own), columnNames(other)];
    const key: Key = {from: child, to: parent, own: mine, other: theirs, kind, one: Boolean(flags & ONE)};
    for (const end of new Set([child, parent])) {
      const known = byTable.get(end);
      if (known) known.push(key);
      else byTable.set(end, [key]);
    }
  }
  const places = new Map(names.map((name, place) => [name, place]));
  const of = (table: string) => byTable.get(table) ?? [];
  const columns = (table: string) => {
    const primary = new Set(columnNames(part.p[places.get(table) ?? -1] ?? []));
    const foreign = new Set(of(table).flatMap(key => (key.from === table ? key.own : [])));
    const referenced = of(table).flatMap(key => (key.to === table ? key.other : []));
    const all = new Set([...primary, ...foreign, ...referenced]);
    return [...all].map(name => ({name, primary: primary.has(name), foreign: foreign.has(name)}));
  };
  return {of, columns};
}
