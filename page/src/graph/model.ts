// Which tables, columns and keys a diagram shows.
import type {Key, Keys} from "../data/keys";
import {shortType, visible} from "../text";
import {type Arranged, arrange, type Box, type Link, type Row, sized} from "./layout";
import type {DiagramProps, GraphColumn} from "./props";

/** Tables in a diagram; a domain of more shows its most connected ones. */
const MOST = 100,
  NEIGHBOURS = 60,
  ALONE = 40,
  ROWS = 14,
  HUB = 8;

export interface Selection {
  /** Tables with keys between them, and some without. */
  names: string[];
  keys: Key[];
  /** Tables that are only in the list. */
  left: string[];
}

export interface Drawing extends Arranged {
  boxes: Box[];
  keys: Key[];
  /** Tables that so many others refer to that these lines are only drawn for a table that is pointed at. */
  hubs: string[];
  aside: Set<Key>;
}

/** Keys to hubs, from tables that have other keys too. */
function keysToHubs(keys: Key[], focus: string | undefined): Set<Key> {
  const children = new Map<string, Set<string>>();
  for (const {from, to} of keys) children.set(to, (children.get(to) ?? new Set()).add(from));
  const isHub = (name: string) => name !== focus && (children.get(name)?.size ?? 0) > HUB;
  const bound = new Set(keys.filter(key => !isHub(key.to)).flatMap(({from, to}) => (from === to ? [] : [from, to])));
  return new Set(keys.filter(key => isHub(key.to) && bound.has(key.from)));
}

const keyId = (key: Key) => JSON.stringify([key.from, key.to, key.own, key.other, key.kind]);

/** The keys between tables, each once. */
function keysBetween(names: Set<string>, keys: Keys): Key[] {
  const found = new Map<string, Key>();
  for (const name of names) {
    for (const key of keys.of(name)) if (names.has(key.from) && names.has(key.to)) found.set(keyId(key), key);
  }
  return [...found.values()];
}

/** The tables around one, nearest and best connected first. */
function around(focus: string, steps: number, keys: Keys): {names: string[]; left: string[]} {
  const names = [focus];
  const known = new Set(names);
  let edge = names.slice();
  const left: string[] = [];
  for (let step = 0; step < steps; step++) {
    const next = new Set<string>();
    for (const name of edge) {
      for (const {from, to} of keys.of(name)) for (const end of [from, to]) if (!known.has(end)) next.add(end);
    }
    const degree = new Map([...next].map(name => [name, keys.of(name).length]));
    const ranked = [...next].sort((a, b) => (degree.get(b) ?? 0) - (degree.get(a) ?? 0));
    edge = ranked.slice(0, Math.max(0, NEIGHBOURS - names.length));
    left.push(...ranked.slice(edge.length));
    for (const name of ranked) known.add(name);
    names.push(...edge);
  }
  return {names, left};
}

/** The tables of a domain: the connected ones, most keys first, then those without keys if they are few. */
function inside(start: string[], keys: Keys): {names: string[]; left: string[]} {
  const degree = new Map(start.map(name => [name, 0]));
  const add = (name: string, weight: number) => degree.set(name, (degree.get(name) ?? 0) + weight);
  for (const {from, to, kind} of keysBetween(new Set(start), keys)) {
    add(from, kind === "likely" ? 0.01 : 1);
    if (to !== from) add(to, kind === "likely" ? 0.01 : 1);
  }
  const ranked = start.filter(name => degree.get(name)).sort((a, b) => (degree.get(b) ?? 0) - (degree.get(a) ?? 0));
  const alone = start.filter(name => !degree.get(name));
  const drawn = ranked.slice(0, MOST);
  const few = alone.length <= ALONE && drawn.length + alone.length <= MOST ? alone : [];
  return {names: [...drawn, ...few], left: [...ranked.slice(MOST), ...(few.length ? [] : alone)]};
}

export function selected({start, focus, keys}: DiagramProps, steps: number): Selection {
  const {names, left} = focus === undefined ? inside(start, keys) : around(focus, steps, keys);
  return {names, left, keys: keysBetween(new Set(names), keys)};
}

const mark = ({primary, foreign}: {primary: boolean; foreign: boolean}) =>
  [primary ? "PK" : "", foreign ? "FK" : ""].filter(Boolean).join(" ");

/** The rows of a box: its key columns and those that keys to it use, or all columns. */
function rowsOf(
  name: string,
  used: Set<string>,
  keys: Keys,
  all: GraphColumn[] | undefined,
): {rows: Row[]; more: number} {
  if (all) return {rows: all.map(column => ({name: column.name, type: column.type, mark: mark(column)})), more: 0};
  const known = keys.columns(name);
  const rows: Row[] = known.map(column => ({name: column.name, mark: mark(column)}));
  const listed = new Set(known.map(column => column.name));
  for (const column of used) if (!listed.has(column)) rows.push({name: column, mark: ""});
  if (rows.length <= ROWS) return {rows, more: 0};
  const needed = rows.filter(row => used.has(row.name) || row.mark.startsWith("PK"));
  const others = rows.filter(row => !needed.includes(row)).slice(0, Math.max(0, ROWS - needed.length));
  const shown = rows.filter(row => needed.includes(row) || others.includes(row));
  return {rows: shown, more: rows.length - shown.length};
}

/** How far below the middle of a row its lines end: those of optional keys and others are apart where there are both. */
function shifts(keys: Key[]): (key: Key) => number {
  const row = (key: Key) => JSON.stringify([key.to, key.other[0]]);
  const [open, closed] = [keys.filter(key => key.kind), keys.filter(key => !key.kind)].map(
    some => new Set(some.map(row)),
  );
  return key => (open?.has(row(key)) && closed?.has(row(key)) ? (key.kind ? 5 : -5) : 0);
}

/** What boxes show; "columns" are all of them. */
export type Detail = "names" | "keys" | "columns";

/** Lay out a selection; `columns` are those of its tables where all are shown. */
export function drawn(
  {names, keys: links}: Selection,
  {tables, keys, focus}: DiagramProps,
  detail: Detail,
  columns: Map<string, GraphColumn[]> | undefined,
): Drawing {
  const used = new Map(names.map(name => [name, new Set<string>()]));
  for (const {from, to, own, other} of links) {
    if (own[0] !== undefined) used.get(from)?.add(own[0]);
    if (other[0] !== undefined) used.get(to)?.add(other[0]);
  }
  const none = {rows: [], more: 0};
  const raw = new Map(
    names.map(name => [
      name,
      detail === "names" ? none : rowsOf(name, used.get(name) ?? new Set(), keys, columns?.get(name)),
    ]),
  );
  const boxes = names.map(name => {
    const {rows, more} = raw.get(name) ?? {rows: [], more: 0};
    const table = tables(name);
    const connected = used.get(name)?.size || detail === "columns";
    const shown = rows.map(row => ({
      ...row,
      name: visible(row.name),
      ...(row.type && {type: visible(shortType(row.type))}),
    }));
    return sized({...table, name, label: visible(table.label)}, connected ? shown : [], more);
  });
  const row = (name: string, column: string | undefined) =>
    raw.get(name)?.rows.findIndex(each => each.name === column) ?? -1;
  const aside = keysToHubs(links, focus);
  const toShift = shifts(links);
  const lines: Link[] = links.map(key => ({
    from: key.from,
    to: key.to,
    fromRow: row(key.from, key.own[0]),
    toRow: row(key.to, key.other[0]),
    weight: key.kind === "likely" ? 1 : 3,
    aside: aside.has(key),
    toShift: toShift(key),
  }));
  const hubs = [...new Set([...aside].map(key => key.to))];
  return {boxes, keys: links, hubs, aside, ...arrange(boxes, lines, 1.7)};
}
