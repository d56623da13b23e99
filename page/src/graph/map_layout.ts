// Places the boxes of domains, the lines between them, and the tables of one that is open, in pixels.
import {visible} from "../text";
import {arrangeGrid, type Pair} from "./map_grid";
import {fitted, textWidth} from "./measure";
import type {GraphTable, MapDomain} from "./props";
import {centerOf, type Point, type Rect, type Size} from "./zoom";

export const PAD = 10;
const LINE = 17,
  LOWEST = 48,
  HEAD = 40,
  CHIP = 24,
  CHIP_GAP = 6,
  OPEN_TABLES = 40,
  /** Height of the point of a frame of tables. */
  POINTER = 14,
  /** Boxes whose middles differ less are in a row or column; and how far a line passes from those between. */
  NEAR = 30,
  BOW = 22,
  MANY = 60,
  /** Widths of boxes, their height, the least distances between them, and how many columns there are for each row. */
  ROOMY = {least: 190, most: 270, tall: 102, across: 64, down: 44, aspect: 2},
  SMALL = {...ROOMY, tall: 84},
  DENSE = {least: 140, most: 200, tall: 84, across: 28, down: 30, aspect: 4};

type Grid = ReturnType<typeof gridOf>;

/** Choose which domains are next to each other, in cells of a size. */
export function gridOf(domains: MapDomain[], width: number, isSmall: boolean) {
  const count = domains.length;
  const sizes = width < 600 || count > MANY ? DENSE : isSmall ? SMALL : ROOMY;
  const fitting = Math.floor((width + sizes.across) / (sizes.least + sizes.across));
  const columns = Math.max(1, Math.min(fitting, count, Math.ceil(Math.sqrt(count * sizes.aspect))));
  const cell = {width: Math.min(sizes.most, (width + sizes.across) / columns - sizes.across), height: sizes.tall};
  const gap = {width: Math.min(180, (width - columns * cell.width) / Math.max(1, columns - 1)), height: sizes.down};
  const pairs = pairsOf(domains);
  const most = count > MANY ? 1 : count > 16 ? 2 : 3;
  const strongestOf = (domain: number) =>
    pairs.filter(pair => pair.one === domain || pair.other === domain).slice(0, most);
  /** Those that are always drawn. */
  const strongest = new Set(domains.flatMap((_, domain) => strongestOf(domain)));
  const cells = arrangeGrid(count, columns, [...strongest], (cell.width + gap.width) / (cell.height + gap.height));
  return {domains, width, cells, columns, cell, gap, pairs, strongest};
}

/** Return the pairs of domains that keys join, strongest first. */
function pairsOf(domains: MapDomain[]): Pair[] {
  const numbers = new Map(domains.map((domain, number) => [domain.name, number]));
  const links = domains.flatMap((domain, one) =>
    domain.links.map(([name, keys]) => ({one, other: numbers.get(name) ?? -1, keys})),
  );
  // Both domains list a link.
  return links.filter(({one, other}) => other > one).sort((a, b) => b.keys - a.keys);
}

export interface DomainBox extends Rect {
  domain: MapDomain;
  title: string;
  /** The number of tables, and names of as many as fit. */
  lines: string[];
}
export type DomainMap = ReturnType<typeof layMap>;
export type DomainLine = DomainMap["lines"][number];
export type Band = ReturnType<typeof bandOf>;

/** Place the domains, and tables of an open one, in the order in which they are given, below its row. */
export function layMap(grid: Grid, open: {domain: MapDomain; tables: GraphTable[]} | undefined) {
  const {domains, width, cells, columns, cell, gap} = grid;
  const largest = Math.max(...domains.map(domain => domain.tables.length));
  const boxes = domains.map(domain => boxOf(domain, cell, largest));
  const placed = boxes.map((box, number) => ({box, place: cells[number] ?? 0}));
  let [y, band] = [0, undefined as Band | undefined];
  for (let row = 0; row < Math.ceil(domains.length / columns); row++) {
    const members = placed.filter(({place}) => Math.floor(place / columns) === row);
    const height = Math.max(...members.map(({box}) => box.height));
    for (const {box, place} of members) {
      box.x = (place % columns) * (cell.width + gap.width) + (cell.width - box.width) / 2;
      box.y = y + (height - box.height) / 2;
      if (box.domain === open?.domain) band = bandOf(box, open.tables, y + height + POINTER, width);
    }
    y = (band && band.y > y ? band.y + band.height : y + height) + gap.height;
  }
  const centers = boxes.map(centerOf);
  const lines = grid.pairs.flatMap(pair => {
    const [one, other] = [boxes[pair.one], boxes[pair.other]];
    if (!one || !other) return [];
    const isStrong = grid.strongest.has(pair);
    return [{domains: [one.domain, other.domain], keys: pair.keys, isStrong, ...pathBetween(one, other, centers)}];
  });
  return {boxes, lines, band, height: y - gap.height};
}

/** Make a box whose area grows with the number of tables. */
function boxOf(domain: MapDomain, cell: Size, largest: number): DomainBox {
  const share = Math.sqrt(domain.tables.length / Math.max(1, largest));
  const width = Math.round(cell.width * (0.78 + 0.22 * share)),
    height = Math.round(LOWEST + (cell.height - LOWEST) * share);
  const lines = nameLines(domain.tables, width - 2 * PAD, Math.floor((height - 14) / LINE) - 1);
  const title = fitted(visible(domain.title), width - 2 * PAD, "title");
  return {domain, title, lines, width, height, x: 0, y: 0};
}

/** Write "8 \u00b7 customer, address" in at most `most` lines. */
function nameLines(tables: GraphTable[], room: number, most: number): string[] {
  // The last parts of dotted names, whose parts may be quoted.
  const names = tables.slice(0, 12).map(({label}) => visible(/(?:"(?:[^"]|"")*"|[^."]*)$/.exec(label)?.[0] || label));
  const lines: string[] = [];
  let line = [tables.length.toLocaleString("en-US"), ...names.splice(0, 1)].join(" \u00b7 ");
  for (const name of names) {
    if (textWidth(`${line}, ${name},`, "code") <= room) {
      line += `, ${name}`;
    } else {
      if (lines.length + 1 >= most) break;
      lines.push(`${line},`);
      line = name;
    }
  }
  return [...lines, line].map(each => fitted(each, room, "code"));
}

function bandOf(box: DomainBox, tables: GraphTable[], y: number, width: number) {
  const shown = tables.slice(0, OPEN_TABLES);
  const columns = Math.max(1, Math.min(6, Math.floor((width - 2 * PAD) / 150), Math.ceil(shown.length / 2)));
  const each = (width - 2 * PAD + CHIP_GAP) / columns - CHIP_GAP;
  // The schema is left out where it is the same.
  const schemas = new Set(tables.map(({label}) => label.slice(0, label.indexOf(".") + 1)));
  const [schema = ""] = schemas.size === 1 ? schemas : [];
  const chips = shown.map((table, number) => ({
    table,
    text: fitted(visible(table.label.slice(schema.length)), each - 44, "code"),
    x: PAD + (number % columns) * (each + CHIP_GAP),
    y: y + HEAD + Math.floor(number / columns) * (CHIP + CHIP_GAP),
    width: each,
    height: CHIP,
  }));
  const rows = Math.ceil(shown.length / columns) * (CHIP + CHIP_GAP);
  return {box, chips, y, width, height: HEAD + rows + 4};
}

/** Draw the line between two boxes, behind them: straight, or in a bow around those between them in a row or a column. */
function pathBetween(one: Rect, other: Rect, centers: Point[]) {
  const [a, b] = [centerOf(one), centerOf(other)];
  const isBetween = (along: "x" | "y", off: "x" | "y") =>
    centers.some(
      at =>
        Math.max(Math.abs(a[off] - b[off]), Math.abs(a[off] - at[off])) < NEAR &&
        at[along] > Math.min(a[along], b[along]) + 1 &&
        at[along] < Math.max(a[along], b[along]) - 1,
    );
  const away = (start: number, size: number) => ((start > BOW ? -1 : 1) * (size / 2 + BOW)) / 0.75;
  const x = isBetween("y", "x") ? away(one.x, Math.max(one.width, other.width)) : 0,
    y = isBetween("x", "y") ? away(one.y, Math.max(one.height, other.height)) : 0;
  const path = `M${a.x} ${a.y}C${a.x + x} ${a.y + y} ${b.x + x} ${b.y + y} ${b.x} ${b.y}`;
  return {path, middle: {x: (a.x + b.x) / 2 + 0.75 * x, y: (a.y + b.y) / 2 + 0.75 * y}};
}
