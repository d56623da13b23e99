// Selects the tables, columns and keys of a diagram, and lays them out.
import type {Key, KeyColumn, Keys} from "../data/keys";
import {grouped} from "../grouped";
import {cut, shortType, visible} from "../text";
import {arrange, boxOf, LONGEST_NAME, type Row} from "./layout";
import type {DiagramProps, GraphColumn} from "./props";

/** Tables that are drawn: of a domain the most connected ones, and around a table the nearest ones. */
const MOST = 100,
  NEIGHBOURS = 60,
  /** Tables that refer to a hub, at least. */
  HUB = 9;

export type Selection = ReturnType<typeof selectTables>;

/** Select the tables to draw, with the keys between them, and those that are only in the list. */
export function selectTables({start, focus, keys}: DiagramProps, steps: number) {
  const ranked = focus === undefined ? inside(start, keys) : around(focus, steps, keys);
  const most = focus === undefined ? MOST : NEIGHBOURS;
  const names = ranked.slice(0, most);
  return {names, left: ranked.slice(most), keys: keysBetween(names, keys)};
}

/** Return a table and those to which some steps lead, nearest and best connected first. */
function around(focus: string, steps: number, keys: Keys): string[] {
  const names = new Set([focus]);
  for (let step = 0; step < steps; step++) {
    const near = [...names].slice(0, NEIGHBOURS).flatMap(name => keys.of(name));
    const ends = near.flatMap(({from, to}) => [from, to]);
    for (const name of ends.sort((a, b) => keys.of(b).length - keys.of(a).length)) names.add(name);
  }
  return [...names];
}

/** Rank the tables of a domain by the number of keys between them. */
function inside(start: string[], keys: Keys): string[] {
  const ends = grouped(
    keysBetween(start, keys).flatMap(({from, to}) => [from, to]),
    name => name,
  );
  const number = (name: string) => ends.get(name)?.length ?? 0;
  return start.toSorted((a, b) => number(b) - number(a));
}

/** Return the keys between tables, each once. */
function keysBetween(names: string[], keys: Keys): Key[] {
  const drawn = new Set(names);
  const all = names.flatMap(keys.of).filter(({from, to}) => drawn.has(from) && drawn.has(to));
  return [...new Map(all.map(key => [JSON.stringify(key), key])).values()];
}

/** Find keys to tables that many others refer to, from tables that have other keys too. */
function keysToHubs(keys: Key[], focus: string | undefined): Set<Key> {
  const children = (name: string) => new Set(keys.filter(key => key.to === name).map(key => key.from)).size;
  const hubs = new Set(keys.map(key => key.to).filter(name => name !== focus && children(name) >= HUB));
  const others = keys.filter(({from, to}) => from !== to && !hubs.has(to));
  const bound = new Set(others.flatMap(({from, to}) => [from, to]));
  return new Set(keys.filter(({from, to}) => hubs.has(to) && bound.has(from)));
}

/** Contents of boxes: names of tables, also the columns of keys, or all columns. */
export type Detail = "names" | "keys" | "columns";

export type Drawing = ReturnType<typeof layOut>;
export type Line = Drawing["lines"][number];

/** Lay out a selection; `columns` are those of its tables where all are shown. */
export function layOut(
  {names, keys: drawn}: Selection,
  {tables, keys, focus}: DiagramProps,
  detail: Detail,
  columns: Map<string, GraphColumn[]> | undefined,
) {
  const joined = new Set(drawn.flatMap(({from, to}) => [from, to]));
  const boxes = names.map(name => {
    const shown = columns?.get(name) ?? (detail === "keys" && joined.has(name) ? keys.columns(name) : []);
    const table = tables(name);
    return boxOf({...table, name, label: visible(table.label)}, shown.map(rowOf));
  });
  const byName = new Map(boxes.map(box => [box.table.name, box]));
  const place = (rows: Row[], [column]: string[]) => rows.findIndex(row => row.column === column);
  const toHubs = keysToHubs(drawn, focus);
  const links = drawn.flatMap((key, id) => {
    const [from, to] = [byName.get(key.from), byName.get(key.to)];
    if (!from || !to) return [];
    const rows = {fromRow: place(from.rows, key.own), toRow: place(to.rows, key.other)};
    return [{id, key, from, to, ...rows, toShift: 0, isAside: toHubs.has(key)}];
  });
  for (const some of grouped(links, ({key, toRow}) => `${toRow} ${key.to}`).values()) {
    const isMixed = new Set(some.map(({key}) => key.kind === "")).size > 1;
    for (const link of some) link.toShift = !isMixed ? 0 : link.key.kind ? 5 : -5;
  }
  return {boxes, ...arrange(boxes, links)};
}

function rowOf({name, primary, foreign, type = ""}: KeyColumn & Partial<GraphColumn>): Row {
  const marks = [primary ? "PK" : "", foreign ? "FK" : ""].filter(Boolean);
  return {column: name, name: cut(visible(name), LONGEST_NAME), marks, type: cut(visible(shortType(type)), 24)};
}
