// Boxes of domains, the lines between them, and the tables of one that is open, in pixels.
import {visible} from "../text";
import {fitted, textWidth} from "./measure";
import {arrangeGrid, type Pair} from "./places";
import type {GraphTable, MapDomain} from "./props";
import type {Rect, Size} from "./zoom";

const PAD = 10,
  LINE = 17,
  SMALLEST = 48,
  HEAD = 40,
  CHIP = 24,
  CHIP_GAP = 6;
export const OPEN_TABLES = 40;

export interface DomainBox extends Rect {
  domain: MapDomain;
  title: string;
  /** The number of tables, and names of as many as fit. */
  lines: string[];
}
export interface DomainMap extends Size {
  boxes: DomainBox[];
  /** All pairs of domains that keys join. */
  pairs: Pair[];
  /** Those that are always drawn. */
  strongest: Set<Pair>;
  rows: {bottom: number; boxes: DomainBox[]}[];
}
interface Sizes {
  least: number;
  most: number;
  across: number;
  down: number;
  tall: number;
  aspect: number;
}

/** Sizes that suit the number of domains and the width of the frame. */
function sizesFor(count: number, width: number, small: boolean): Sizes {
  if (width < 600) return {least: 140, most: 260, across: 26, down: 30, tall: 84, aspect: 1};
  if (count > 60) return {least: 150, most: 200, across: 32, down: 30, tall: 84, aspect: 4};
  return {least: 190, most: 270, across: 64, down: 44, tall: small ? 84 : 102, aspect: small ? 2.4 : 2};
}

/** Each pair of domains that keys join, once. */
export function pairsOf(domains: MapDomain[]): Pair[] {
  const places = new Map(domains.map((domain, number) => [domain.name, number]));
  const found = new Map<string, Pair>();
  domains.forEach((domain, number) => {
    for (const [name, keys] of domain.links) {
      const place = places.get(name);
      if (place === undefined || place === number) continue;
      const [one, other] = [Math.min(number, place), Math.max(number, place)];
      const known = found.get(`${one} ${other}`)?.keys ?? 0;
      found.set(`${one} ${other}`, {one, other, keys: Math.max(known, keys)});
    }
  });
  return [...found.values()].sort((a, b) => b.keys - a.keys);
}

/** The strongest pairs of each domain. */
function strongestOf(pairs: Pair[], count: number): Set<Pair> {
  const most = count > 60 ? 1 : count > 16 ? 2 : 3;
  const drawn = new Map<number, number>();
  const number = (domain: number) => drawn.get(domain) ?? 0;
  const found = pairs.filter(({one, other}) => {
    if (number(one) >= most && number(other) >= most) return false;
    for (const each of [one, other]) drawn.set(each, number(each) + 1);
    return true;
  });
  return new Set(found);
}

export function layMap(domains: MapDomain[], width: number, small: boolean): DomainMap {
  const sizes = sizesFor(domains.length, width, small);
  const pairs = pairsOf(domains);
  const strongest = strongestOf(pairs, domains.length);
  const fit = Math.max(1, Math.floor((width + sizes.across) / (sizes.least + sizes.across)));
  const wide = Math.min(fit, Math.max(1, Math.ceil(Math.sqrt(domains.length * sizes.aspect))), domains.length);
  const column = Math.min(sizes.most, (width - (wide - 1) * sizes.across) / wide);
  const across = wide > 1 ? Math.min(180, (width - wide * column) / (wide - 1)) : 0;
  const cells = arrangeGrid(domains.length, wide, [...strongest], (column + across) / (sizes.tall + sizes.down));
  const largest = Math.max(...domains.map(domain => domain.tables.length));
  const boxes = domains.map(domain => boxOf(domain, column, sizes.tall, largest));
  const rows: DomainMap["rows"] = [];
  let y = 0;
  for (let row = 0; row * wide < Math.max(...cells) + 1; row++) {
    const members = boxes.filter((_, number) => Math.floor((cells[number] ?? 0) / wide) === row);
    if (!members.length) continue;
    const height = Math.max(...members.map(box => box.height));
    for (const box of members) box.y = y + (height - box.height) / 2;
    rows.push({bottom: y + height, boxes: members});
    y += height + sizes.down;
  }
  boxes.forEach((box, number) => {
    box.x = ((cells[number] ?? 0) % wide) * (column + across) + (column - box.width) / 2;
  });
  return {boxes, pairs, strongest, rows, width: wide * column + (wide - 1) * across, height: y - sizes.down};
}

/** A box whose area grows with the number of tables. */
function boxOf(domain: MapDomain, column: number, tall: number, largest: number): DomainBox {
  const share = Math.sqrt(domain.tables.length / Math.max(1, largest));
  const width = Math.round(column * (0.78 + 0.22 * share)),
    height = Math.round(SMALLEST + (tall - SMALLEST) * share);
  const room = width - 2 * PAD;
  const lines = nameLines(domain, room, Math.floor((height - 14) / LINE) - 1);
  return {domain, title: fitted(visible(domain.title), room, "title"), lines, width, height, x: 0, y: 0};
}

/** The last part of a dotted name, whose parts may be quoted. */
const shortName = (label: string) => visible(/(?:"(?:[^"]|"")*"|[^."]*)$/.exec(label)?.[0] || label);

/** "8 · customer, address" in at most `most` lines. */
function nameLines({tables}: MapDomain, room: number, most: number): string[] {
  const lines: string[] = [];
  let line = tables.length.toLocaleString("en-US");
  let separator = " \u00b7 ";
  for (const table of tables.slice(0, 12)) {
    const name = shortName(table.label);
    if (textWidth(`${line}${separator}${name},`, "code") <= room) {
      line += separator + name;
    } else if (lines.length + 1 < most && separator === ", ") {
      lines.push(`${line},`);
      line = fitted(name, room, "code");
    } else if (separator === ", ") break;
    else line = fitted(line + separator + name, room, "code");
    separator = ", ";
  }
  return [...lines, line];
}

export interface Chip extends Rect {
  table: GraphTable;
  text: string;
}
export interface Band extends Rect {
  box: DomainBox;
  chips: Chip[];
  left: number;
}

/** The tables of an open domain, below its row; `tables` are in the order in which they are shown. */
export function bandOf(map: DomainMap, box: DomainBox, tables: GraphTable[], width: number): Band {
  const shown = tables.slice(0, OPEN_TABLES);
  const columns = Math.max(1, Math.min(6, Math.floor((width - 2 * PAD) / 150), Math.ceil(shown.length / 2)));
  const each = (width - 2 * PAD - (columns - 1) * CHIP_GAP) / columns;
  const bottom = map.rows.find(row => row.boxes.includes(box))?.bottom ?? 0;
  const y = bottom + 14;
  const prefix = commonPrefix(tables);
  const chips = shown.map((table, number) => ({
    table,
    text: fitted(visible(table.label.slice(prefix)), each - 44, "code"),
    x: PAD + (number % columns) * (each + CHIP_GAP),
    y: y + HEAD + Math.floor(number / columns) * (CHIP + CHIP_GAP),
    width: each,
    height: CHIP,
  }));
  const rows = Math.ceil(shown.length / columns);
  const height = HEAD + rows * (CHIP + CHIP_GAP) + (tables.length > shown.length ? LINE + 8 : 4);
  return {box, chips, left: tables.length - shown.length, x: 0, y, width, height};
}

/** The length of the schema that all tables of a domain have in common. */
function commonPrefix(tables: GraphTable[]): number {
  const first = tables[0]?.label ?? "";
  const length = first.indexOf(".") + 1;
  return tables.every(table => table.label.startsWith(first.slice(0, length))) ? length : 0;
}

/** The map with a band between its rows. */
export function opened(map: DomainMap, band: Band | undefined): {height: number; shift: (box: DomainBox) => number} {
  if (!band) return {height: map.height, shift: () => 0};
  const below = band.y - 14;
  return {
    height: Math.max(band.y + band.height, map.height + band.height + 14),
    shift: box => (box.y > below ? band.height + 14 : 0),
  };
}

export interface Line {
  path: string;
  middle: {x: number; y: number};
}

const middleOf = ({x, y, width, height}: Rect) => ({x: x + width / 2, y: y + height / 2});
const NEAR = 30,
  BOW = 34;

/** The line between two boxes: straight, or around those that are between them in a row or a column. */
export function lineBetween(one: Rect, other: Rect, boxes: Rect[]): Line {
  const [a, b] = [middleOf(one), middleOf(other)];
  const isBetween = (along: "x" | "y", off: "x" | "y") =>
    Math.abs(a[off] - b[off]) < NEAR &&
    boxes.some(box => {
      const at = middleOf(box);
      const [low, high] = [Math.min(a[along], b[along]), Math.max(a[along], b[along])];
      return Math.abs(at[off] - a[off]) < NEAR && at[along] > low + 1 && at[along] < high - 1;
    });
  if (isBetween("x", "y")) {
    const above = one.y > BOW;
    const [y1, y2] = above ? [one.y, other.y] : [one.y + one.height, other.y + other.height];
    const y = above ? Math.min(y1, y2) - BOW : Math.max(y1, y2) + BOW;
    const path = `M${a.x} ${y1}C${a.x} ${y} ${b.x} ${y} ${b.x} ${y2}`;
    return {path, middle: {x: (a.x + b.x) / 2, y: (y1 + y2) / 8 + y * 0.75}};
  }
  if (isBetween("y", "x")) {
    const left = one.x > BOW;
    const [x1, x2] = left ? [one.x, other.x] : [one.x + one.width, other.x + other.width];
    const x = left ? Math.min(x1, x2) - BOW : Math.max(x1, x2) + BOW;
    const path = `M${x1} ${a.y}C${x} ${a.y} ${x} ${b.y} ${x2} ${b.y}`;
    return {path, middle: {x: (x1 + x2) / 8 + x * 0.75, y: (a.y + b.y) / 2}};
  }
  const [from, to] = [edgeTowards(one, other), edgeTowards(other, one)];
  return {path: `M${from.x} ${from.y}L${to.x} ${to.y}`, middle: {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2}};
}

/** Where the line from the middle of one box to that of another leaves the first. */
function edgeTowards(one: Rect, other: Rect): {x: number; y: number} {
  const [a, b] = [middleOf(one), middleOf(other)];
  const [across, down] = [b.x - a.x, b.y - a.y];
  const share = Math.min(one.width / 2 / Math.abs(across || 1e-9), one.height / 2 / Math.abs(down || 1e-9));
  return {x: a.x + across * share, y: a.y + down * share};
}
