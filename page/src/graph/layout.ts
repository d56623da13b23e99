// Places the boxes of a diagram and finds the way of its lines. Tables are to the left of those that they refer to.
import {Graph, graphlib, layout} from "@dagrejs/dagre";
import {grouped} from "../grouped";
import {cut} from "../text";
import {textWidth} from "./measure";
import type {GraphTable} from "./props";
import {straighten} from "./straighten";
import type {Point, Rect, Size} from "./zoom";

export const HEADER = 28,
  ROW = 20,
  PADDING = 10,
  /** Characters of a name that are drawn. */
  LONGEST_NAME = 40;
const NARROW = 110,
  CORRIDOR = 90,
  GAP = 32,
  /** Width of a diagram as a part of its height. */
  ASPECT = 1.7,
  COLUMN_OF_LEAVES = 9,
  /** Straight ends of a line, with the crow's foot or the circle. */
  STUB = 18;

/** Boxes above each other, and lines that pass between them. */
interface Column extends Rect {
  items: Item[];
}
interface Item extends Rect {
  column?: Column;
}
export interface Row {
  column: string;
  /** The column as it is shown. */
  name: string;
  /** "PK" and "FK". */
  marks: string[];
  type: string;
}
export interface Box extends Item {
  table: GraphTable;
  label: string;
  rows: Row[];
  /** Width of the marks before the names. */
  marks: number;
}
/** A key to draw, from a row of a box to a row of another. */
export interface Link {
  from: Box;
  to: Box;
  fromRow: number;
  toRow: number;
  /** Below the middle of the row, so that ends of different shapes are next to each other. */
  toShift: number;
  /** A key to a table that most others refer to: it does not count for the layout. */
  isAside: boolean;
}
/** The end of a line at a box; `side` is 1 where the line leaves to the right. */
export interface End extends Point {
  side: number;
}

export function boxOf(table: GraphTable, rows: Row[]): Box {
  const label = cut(table.label, LONGEST_NAME);
  const marks = rows.some(row => row.marks.length > 1) ? 42 : 24;
  const widths = rows.map(({name, type}) => marks + textWidth(`${name}  ${type}`.trimEnd(), "code"));
  const widest = Math.max(textWidth(label, "bold"), ...widths);
  const width = Math.max(NARROW, Math.ceil(widest) + 2 * PADDING + 2);
  return {table, label, rows, marks, width, height: HEADER + rows.length * ROW + (rows.length ? 6 : 0), x: 0, y: 0};
}

/** Place the boxes, and find the way of each line. */
export function arrange<One extends Link>(boxes: Box[], links: One[]) {
  const graph = new Graph({multigraph: true});
  graph.setGraph({rankdir: "LR", nodesep: 22, edgesep: 12, ranksep: CORRIDOR, acyclicer: "greedy"});
  for (const box of boxes) graph.setNode(box.table.name, box);
  links.forEach((link, number) => {
    const [from, to] = [link.from.table.name, link.to.table.name];
    if (from !== to && !link.isAside) graph.setEdge(from, to, {link, labelpos: "c"}, String(number));
  });
  spreadLeaves(graph);
  const bends = new Map<Link, Item[]>();
  const parts = graphlib.alg.components(graph).map(names => graph.filterNodes(name => names.includes(name)));
  const groups = parts.map(part => arrangeGroup(part, bends));
  const joined = groups.filter(columns => columns.length > 1);
  const alone = groups.filter(columns => columns.length === 1);
  const above = pack(joined, 0, 0);
  const below = pack(alone, joined.length && above.height + GAP, above.width);
  const loops = links.some(({from, to}) => from === to) ? GAP : 0;
  const lines = links.map(link => ({...link, ...routeOf(link, bends.get(link) ?? [])}));
  const height = alone.length ? below.height : above.height;
  return {width: Math.max(above.width, below.width) + loops, height, lines};
}

/** Of many tables with one neighbour, put every second, third... one column further away. */
function spreadLeaves(graph: Graph): void {
  const isLeaf = (name: string) => graph.neighbors(name)?.length === 1;
  const leaves = grouped(graph.edges(), ({v, w}) => (isLeaf(v) ? `<${w}` : isLeaf(w) ? `>${v}` : ""));
  leaves.delete("");
  for (const edges of leaves.values()) {
    const columns = Math.ceil(edges.length / COLUMN_OF_LEAVES);
    edges.forEach((edge, number) => {
      graph.edge(edge).minlen = 1 + (number % columns);
    });
  }
}

/** Let dagre choose the columns and the order in them, then the heights so that the whole is compact. */
function arrangeGroup(graph: Graph, bends: Map<Link, Item[]>): Column[] {
  layout(graph);
  const boxes: Box[] = graph.nodes().map(name => graph.node(name));
  const columns = new Map<number, Column>();
  boxes.sort((a, b) => a.x - b.x);
  for (const [middle, items] of grouped(boxes, box => box.x)) {
    const width = Math.max(...items.map(box => box.width));
    const column = {x: middle - width / 2, y: 0, width, height: 0, items};
    columns.set(middle, column);
    for (const box of items) Object.assign(box, {x: middle - box.width / 2, y: box.y - box.height / 2, column});
  }
  const lines = graph.edges().map(edge => graph.edge(edge) as {link: Link; points: Point[]});
  const stops = lines.map(({link, points}) => {
    // The first and the last point are at the boxes.
    const passed = points.slice(1, -1).filter(({x}) => columns.has(x));
    const items = passed.map(({x, y}) => ({x, y, width: 0, height: 0, column: columns.get(x)}));
    for (const item of items) item.column?.items.push(item);
    bends.set(link, items);
    return [
      {item: link.from, at: middleOf(link.fromRow)},
      ...items.map(item => ({item, at: 0})),
      {item: link.to, at: middleOf(link.toRow)},
    ];
  });
  const sorted = [...columns.values()];
  straighten(
    sorted.map(column => column.items),
    stops,
  );
  return sorted;
}

/** Put groups next to each other in rows below `top`; returns the size of all. */
function pack(groups: Column[][], top: number, least: number): Size {
  const right = ({x, width}: Rect) => x + width,
    bottom = ({items}: Column) => Math.max(...items.map(({y, height}) => y + height));
  const sized = groups
    .map(columns => ({columns, width: Math.max(...columns.map(right)), height: Math.max(...columns.map(bottom))}))
    .sort((a, b) => b.height - a.height);
  const area = sized.reduce((sum, {width, height}) => sum + (width + GAP) * (height + GAP), 0);
  const wide = Math.max(least || Math.sqrt(area * ASPECT), ...sized.map(({width}) => width));
  let [x, y, below, most] = [0, top, top, 0];
  for (const {columns, width, height} of sized) {
    if (x + width > wide) [x, y] = [0, below + GAP];
    for (const rect of columns.flatMap(column => [column, ...column.items])) {
      rect.x += x;
      rect.y += y;
    }
    x += width + GAP;
    most = Math.max(most, x - GAP);
    below = Math.max(below, y + height);
  }
  return {width: most, height: below};
}

/** The middle of a row, or of the name of the table, below the top of its box. */
const middleOf = (row: number) => (row < 0 ? HEADER / 2 : HEADER + 3 + (row + 0.5) * ROW);

/** Draw a line that is straight next to the boxes of columns, and bends between columns. */
function routeOf({from, to, fromRow, toRow, toShift}: Link, bends: Item[]) {
  const [start, end] = [from.y + middleOf(fromRow), to.y + middleOf(toRow) + toShift];
  if (from === to) return loopOf(from.x + from.width, start, end);
  const side = to.x + to.width / 2 >= from.x + from.width / 2 ? 1 : -1;
  const edge = ({x, width}: Rect, towards: number) => (side * towards > 0 ? x + width : x);
  const child: End = {x: edge(from, 1), y: start, side};
  const parent: End = {x: edge(to, -1), y: end, side: -side};
  let [x, y] = [edge(from.column ?? from, 1) + side * STUB, start];
  let path = `M${child.x} ${y}H${x}`;
  for (const item of [...bends, to]) {
    const column = item.column ?? item;
    const before = edge(column, -1) - side * STUB;
    const next = item === to ? end : item.y;
    path += `C${(x + before) / 2} ${y} ${(x + before) / 2} ${next} ${before} ${next}`;
    [x, y] = [edge(column, 1) + side * STUB, next];
    path += `H${item === to ? parent.x : x}`;
  }
  return {path, child, parent};
}

/** Draw the line of a key that refers to its own table. */
function loopOf(x: number, start: number, end: number) {
  const apart = Math.abs(start - end) < ROW / 2 ? 7 : 0;
  const [child, parent] = [start + apart, end - apart];
  const path = `M${x} ${child}h${STUB}c${STUB} 0 ${STUB} ${parent - child} 0 ${parent - child}H${x}`;
  return {path, child: {x, y: child, side: 1}, parent: {x, y: parent, side: 1}};
}
