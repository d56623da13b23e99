// Where the boxes and lines of a diagram are. Tables are to the left of those that they refer to.
import {Graph, layout} from "@dagrejs/dagre";
import {textWidth} from "./measure";
import type {GraphTable} from "./props";
import {type Item, relax} from "./relax";
import type {Rect, Size} from "./zoom";

export const HEADER = 28,
  ROW = 20;
const PADDING = 10,
  GAP = 40,
  CORRIDOR = 90,
  NARROW = 110,
  WIDE = 320,
  COLUMN_OF_LEAVES = 9,
  /** Straight ends of a line, with the crow's foot or the circle. */
  STUB = 18;

export interface Row {
  name: string;
  mark: string;
  type?: string;
}
export interface Box extends Rect {
  table: GraphTable;
  rows: Row[];
  /** Width of the marks before the names. */
  marks: number;
  /** Number of columns that are not drawn. */
  more: number;
}
/** A key to draw, from a row of a box to a row of another. */
export interface Link {
  from: string;
  to: string;
  fromRow: number;
  toRow: number;
  weight: number;
  /** Below the middle of the row, so that ends of different shapes are next to each other. */
  toShift: number;
  /** A key to a table that most others refer to: it does not count for the layout. */
  aside: boolean;
}
/** The end of a line at a box; `side` is 1 where the line leaves to the right. */
export interface End {
  x: number;
  y: number;
  side: 1 | -1;
}
export interface Route {
  path: string;
  child: End;
  parent: End;
}
export interface Arranged extends Size {
  /** By link. */
  routes: (Route | undefined)[];
}
interface Point {
  x: number;
  y: number;
}

export function sized(table: GraphTable, rows: Row[], more: number): Box {
  const typed = rows.some(row => row.type) ? 16 : 0;
  const marks = rows.some(row => row.mark.length > 2) ? 42 : 24;
  const widths = rows.map(row => marks + textWidth(row.name, "code") + typed + textWidth(row.type ?? "", "code"));
  const widest = Math.max(textWidth(table.label, "bold"), ...widths) + 2 * PADDING + 2;
  const lines = rows.length + (more ? 1 : 0);
  const width = Math.round(Math.min(typed ? WIDE + 60 : WIDE, Math.max(NARROW, widest)));
  return {table, rows, marks, more, width, height: HEADER + lines * ROW + (lines ? 6 : 0), x: 0, y: 0};
}

/** Place the boxes, and find the way of each line. */
export function arrange(boxes: Box[], links: Link[], aspect: number): Arranged {
  const parts = components(
    boxes,
    links.filter(link => !link.aside),
  );
  const joined = parts.filter(part => part.links.length);
  const alone = parts.filter(part => !part.links.length).flatMap(part => part.boxes);
  const routes = new Map<Link, Route>();
  const placed = joined.map(part => arrangePart(part.boxes, part.links, routes));
  const area = placed.reduce((sum, size) => sum + (size.width + GAP) * (size.height + GAP), 0);
  const wide = Math.max(...placed.map(size => size.width), Math.sqrt(area * aspect));
  const whole = pack(placed, wide);
  const grid = pack(
    alone.map(box => ({...size(box), move: (x: number, y: number) => Object.assign(box, {x, y})})),
    Math.max(whole.width, alone.length > 8 ? 900 : 400),
    16,
    whole.height ? whole.height + GAP : 0,
  );
  const byName = new Map(boxes.map(box => [box.table.name, box]));
  for (const link of links.filter(one => one.aside)) {
    const [from, to] = [byName.get(link.from), byName.get(link.to)];
    if (from && to) routes.set(link, route(from, to, link, [], 0, []));
  }
  return {
    width: Math.max(whole.width, grid.width),
    height: Math.max(whole.height, grid.height),
    routes: links.map(link => routes.get(link)),
  };
}

const size = ({width, height}: Size): Size => ({width, height});

interface Part extends Size {
  move: (x: number, y: number) => void;
}

/** Put parts next to each other in rows of a width; returns the size of all. */
function pack(parts: Part[], wide: number, gap = GAP, top = 0): Size {
  let [x, y, tall, width] = [0, top, 0, 0];
  for (const part of [...parts].sort((a, b) => b.height - a.height)) {
    if (x && x + part.width > wide + 1) [x, y, tall] = [0, y + tall + gap, 0];
    part.move(x, y);
    x += part.width + gap;
    tall = Math.max(tall, part.height);
    width = Math.max(width, x - gap);
  }
  return {width, height: parts.length ? y + tall : 0};
}

/** Boxes that links join, with these links. */
function components(boxes: Box[], links: Link[]): {boxes: Box[]; links: Link[]}[] {
  const leader = new Map(boxes.map(box => [box.table.name, box.table.name]));
  const find = (name: string): string => {
    const above = leader.get(name) ?? name;
    if (above === name) return name;
    const found = find(above);
    leader.set(name, found);
    return found;
  };
  for (const link of links) leader.set(find(link.from), find(link.to));
  const parts = new Map<string, {boxes: Box[]; links: Link[]}>();
  for (const box of boxes) {
    const name = find(box.table.name);
    if (!parts.has(name)) parts.set(name, {boxes: [], links: []});
    parts.get(name)?.boxes.push(box);
  }
  for (const link of links) parts.get(find(link.from))?.links.push(link);
  return [...parts.values()];
}

/** Keys between the same two tables are one edge for the layout. */
function bundles(links: Link[]): Map<string, Link[]> {
  const found = new Map<string, Link[]>();
  for (const link of links) {
    if (link.from === link.to) continue;
    const pair = JSON.stringify([link.from, link.to]);
    found.set(pair, [...(found.get(pair) ?? []), link]);
  }
  return found;
}

/** Of many tables with one neighbour, every second, third... is one column further away. */
function lengths(pairs: Link[][]): number[] {
  const neighbours = new Map<string, Set<string>>();
  const near = (one: string, other: string) => neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
  for (const [link] of pairs) {
    if (!link) continue;
    near(link.from, link.to);
    near(link.to, link.from);
  }
  const leaves = new Map<string, number>();
  const isLeaf = (name: string) => neighbours.get(name)?.size === 1;
  const side = (link: Link) => (isLeaf(link.from) ? `<${link.to}` : isLeaf(link.to) ? `>${link.from}` : "");
  for (const [link] of pairs) if (link && side(link)) leaves.set(side(link), (leaves.get(side(link)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return pairs.map(([link]) => {
    const at = link ? side(link) : "";
    const number = seen.get(at) ?? 0;
    seen.set(at, number + 1);
    return at ? 1 + (number % Math.max(1, Math.ceil((leaves.get(at) ?? 0) / COLUMN_OF_LEAVES))) : 1;
  });
}

/** Columns and the order in them by dagre; heights so that the whole is compact. */
function arrangePart(boxes: Box[], links: Link[], routes: Map<Link, Route>): Part {
  const pairs = [...bundles(links).values()];
  const graph = ranked(boxes, pairs);
  for (const box of boxes) box.x = graph.node(box.table.name).x - box.width / 2;
  const columns = columnsOf(boxes);
  const ways = straightened(boxes, pairs, columns, graph);
  const byName = new Map(boxes.map(box => [box.table.name, box]));
  const draw = () => {
    for (const link of links) {
      const [from, to] = [byName.get(link.from), byName.get(link.to)];
      if (from && from === to) routes.set(link, loop(from, link));
    }
    pairs.forEach((bundle, pair) => {
      bundle.forEach((link, number) => {
        const [from, to] = [byName.get(link.from), byName.get(link.to)];
        const shift = (number - (bundle.length - 1) / 2) * 8;
        if (from && to) routes.set(link, route(from, to, link, ways[pair] ?? [], shift, columns));
      });
    });
  };
  const room = links.some(link => link.from === link.to) ? 40 : 0;
  const width = Math.max(...boxes.map(box => box.x + box.width)) + room;
  const points = new Set(ways.flat());
  const bottom = Math.max(...boxes.map(box => box.y + box.height), ...[...points].map(point => point.y));
  const move = (x: number, y: number) => {
    for (const item of [...boxes, ...columns, ...points]) {
      item.x += x;
      item.y += y;
    }
    draw();
  };
  return {width, height: bottom, move};
}

function ranked(boxes: Box[], pairs: Link[][]) {
  const graph = new Graph();
  graph.setGraph({rankdir: "LR", nodesep: 22, edgesep: 12, ranksep: CORRIDOR, acyclicer: "greedy"});
  for (const box of boxes) graph.setNode(box.table.name, size(box));
  const steps = lengths(pairs);
  pairs.forEach((bundle, number) => {
    const [first] = bundle;
    const weight = bundle.reduce((sum, link) => sum + link.weight, 0);
    const label = {weight, minlen: steps[number] ?? 1, width: 0, height: 0, labelpos: "c"};
    if (first) graph.setEdge(first.from, first.to, label);
  });
  layout(graph);
  return graph;
}

/** Move the boxes to their heights; returns where the line of each pair passes other columns. */
function straightened(boxes: Box[], pairs: Link[][], columns: Rect[], graph: ReturnType<typeof ranked>): Point[][] {
  const items: Item[][] = columns.map(() => []);
  const columnAt = (x: number) => columns.findIndex(column => Math.abs(middleOf(column) - x) < 2);
  const add = (x: number, y: number, height: number): Item => {
    const item: Item = {y, height, ties: []};
    items[columnAt(x)]?.push(item);
    return item;
  };
  const ofBox = new Map(
    boxes.map(box => [box.table.name, {box, item: add(middleOf(box), graph.node(box.table.name).y, box.height)}]),
  );
  const ways = pairs.map(([link]) => {
    const [from, to] = [ofBox.get(link?.from ?? ""), ofBox.get(link?.to ?? "")];
    if (!link || !from || !to) return [];
    const {points = []} = graph.edge(link.from, link.to) as {points?: Point[]};
    const ends = new Set([columnAt(middleOf(from.box)), columnAt(middleOf(to.box)), -1]);
    const passed = points.filter(({x}) => !ends.has(columnAt(x))).map(({x, y}) => ({x, item: add(x, y, 0)}));
    const chain = [from.item, ...passed.map(each => each.item), to.item];
    tie(chain, rowAt(from.box, link.fromRow) - from.box.height / 2, rowAt(to.box, link.toRow) - to.box.height / 2);
    return passed;
  });
  relax(items);
  for (const {box, item} of ofBox.values()) box.y = item.y - box.height / 2;
  return ways.map(way => way.map(({x, item}) => ({x, y: item.y})));
}

/** Join the items that a line passes; its ends are `start` and `end` below the middle of their boxes. */
function tie(chain: Item[], start: number, end: number): void {
  chain.forEach((item, number) => {
    const next = chain[number + 1];
    if (!next) return;
    const own = number ? 0 : start,
      other = number === chain.length - 2 ? end : 0;
    const weight = item.height || next.height ? 1 : 3;
    item.ties.push({to: next, own, other, weight});
    next.ties.push({to: item, own: other, other: own, weight});
  });
}

/** The columns of boxes, from left to right. */
function columnsOf(boxes: Box[]): Rect[] {
  const found: Rect[] = [];
  for (const box of [...boxes].sort((a, b) => a.x + a.width / 2 - b.x - b.width / 2)) {
    const last = found.at(-1);
    if (last && Math.abs(last.x + last.width / 2 - box.x - box.width / 2) < 2) {
      const right = Math.max(last.x + last.width, box.x + box.width);
      last.x = Math.min(last.x, box.x);
      last.width = right - last.x;
    } else found.push({x: box.x, y: 0, width: box.width, height: 0});
  }
  return found;
}

const middleOf = (box: Rect) => box.x + box.width / 2;
const rowAt = (box: Box, row: number) => box.y + (row < 0 ? HEADER / 2 : HEADER + 3 + (row + 0.5) * ROW);

/** A line that runs straight through columns of boxes, and bends between them. */
function route(from: Box, to: Box, link: Link, between: Point[], shift: number, columns: Rect[]): Route {
  const side = middleOf(to) >= middleOf(from) ? 1 : -1;
  const child: End = {x: side > 0 ? from.x + from.width : from.x, y: rowAt(from, link.fromRow), side};
  const parent: End = {
    x: side > 0 ? to.x : to.x + to.width,
    y: rowAt(to, link.toRow) + link.toShift,
    side: side > 0 ? -1 : 1,
  };
  const column = (x: number) => columns.find(one => Math.abs(middleOf(one) - x) < 2);
  const left = (one: Rect) => (side > 0 ? one.x : one.x + one.width) - side * STUB,
    right = (one: Rect) => (side > 0 ? one.x + one.width : one.x) + side * STUB;
  let at = {x: right(column(middleOf(from)) ?? from), y: child.y};
  let path = `M${child.x} ${child.y}H${at.x}`;
  const bend = (x: number, y: number) => {
    const middle = (at.x + x) / 2;
    path += y === at.y ? `H${x}` : `C${middle} ${at.y} ${middle} ${y} ${x} ${y}`;
  };
  for (const point of between) {
    const passed = column(point.x);
    if (!passed || passed === column(middleOf(from)) || passed === column(middleOf(to))) continue;
    bend(left(passed), point.y + shift);
    path += `H${right(passed)}`;
    at = {x: right(passed), y: point.y + shift};
  }
  bend(left(column(middleOf(to)) ?? to), parent.y);
  path += `H${parent.x}`;
  return {path: rounded(path), child, parent};
}

const rounded = (path: string) => path.replace(/\d+\.\d+/g, digits => String(Math.round(Number(digits) * 10) / 10));

/** The line of a key that refers to its own table. */
function loop(box: Box, link: Link): Route {
  const x = box.x + box.width;
  const apart = link.fromRow === link.toRow ? 7 : 0;
  const [y1, y2] = [rowAt(box, link.fromRow) + apart, rowAt(box, link.toRow) + link.toShift - apart];
  const far = x + 32 + Math.min(16, Math.abs(y1 - y2) / 8);
  const path = `M${x} ${y1}H${x + STUB}C${far} ${y1} ${far} ${y2} ${x + STUB} ${y2}H${x}`;
  return {path: rounded(path), child: {x, y: y1, side: 1}, parent: {x, y: y2, side: 1}};
}
