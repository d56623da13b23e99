// Chooses the heights of boxes and lines in columns whose order is given: compact, with lines as straight as possible.
import {grouped} from "../grouped";
import type {Rect} from "./zoom";

/** A place where a line meets a box, below its top, or passes a column, in an item without height. */
export interface Stop {
  item: Rect;
  at: number;
}

const SWEEPS = 24,
  /** Between two boxes, and next to a line. */
  BOX_GAP = 22,
  LINE_GAP = 11;

export function straighten(columns: Rect[][], lines: Stop[][]): void {
  const parts = lines.flatMap(stops => stops.slice(1).map((to, number) => ({from: stops[number] ?? to, to})));
  const ties = grouped([...parts, ...parts.map(({from, to}) => ({from: to, to: from}))], ({from}) => from.item);
  /** Return the height at which the lines of an item would be straight. */
  const wish = (item: Rect): number => {
    let [sum, total] = [0, 0];
    for (const {from, to} of ties.get(item) ?? []) {
      const weight = item.height || to.item.height ? 1 : 3;
      sum += weight * (to.item.y + to.at - from.at);
      total += weight;
    }
    return total ? sum / total : item.y;
  };
  for (const column of columns) {
    column.sort((a, b) => a.y + a.height / 2 - b.y - b.height / 2);
    settle(column, () => 0);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 ? columns.toReversed() : columns) settle(column, wish);
  }
  const top = Math.min(...columns.flat().map(item => item.y));
  for (const item of columns.flat()) item.y = Math.round(item.y - top);
}

/** Put the items of a column as near to their wishes as their order and gaps allow: an isotonic regression. */
function settle(column: Rect[], wish: (item: Rect) => number): void {
  const blocks: {sum: number; weight: number; items: {item: Rect; offset: number}[]}[] = [];
  let offset = 0;
  column.forEach((item, place) => {
    const before = column[place - 1];
    if (before) offset += before.height + (before.height && item.height ? BOX_GAP : LINE_GAP);
    const weight = item.height ? 1 : 2;
    let block = {sum: weight * (wish(item) - offset), weight, items: [{item, offset}]};
    for (let last = blocks.at(-1); last && last.sum / last.weight > block.sum / block.weight; last = blocks.at(-1)) {
      blocks.pop();
      block = {sum: last.sum + block.sum, weight: last.weight + block.weight, items: [...last.items, ...block.items]};
    }
    blocks.push(block);
  });
  for (const {sum, weight, items} of blocks) for (const {item, offset} of items) item.y = sum / weight + offset;
}
