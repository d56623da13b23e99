// Heights of boxes and lines in columns whose order is given: compact, with lines as straight as they can be.

export interface Item {
  /** The middle. */
  y: number;
  height: number;
  /** What lines join it to; a line leaves `own` below the middle and arrives `other` below the middle there. */
  ties: {to: Item; own: number; other: number; weight: number}[];
}

const SWEEPS = 24,
  /** Between two boxes, and next to a line. */
  BOX_GAP = 22,
  LINE_GAP = 11;

export function relax(columns: Item[][]): void {
  for (const column of columns) column.sort((a, b) => a.y - b.y);
  for (const column of columns)
    settle(
      column,
      column.map(() => 0),
    );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const order = sweep % 2 ? columns.toReversed() : columns;
    for (const column of order) settle(column, column.map(wish));
  }
  const top = Math.min(...columns.flat().map(item => item.y - item.height / 2));
  for (const item of columns.flat()) item.y -= top;
}

/** Where the lines of an item would be straight. */
function wish(item: Item): number {
  let [sum, total] = [0, 0];
  for (const {to, own, other, weight} of item.ties) {
    sum += weight * (to.y + other - own);
    total += weight;
  }
  return total ? sum / total : item.y;
}

const gap = (one: Item, other: Item) =>
  (one.height + other.height) / 2 + (one.height && other.height ? BOX_GAP : LINE_GAP);

/** Put the items of a column as near to their wishes as their order and their gaps allow. */
function settle(column: Item[], wishes: number[]): void {
  let offset = 0;
  const offsets: number[] = [];
  const blocks: {sum: number; weight: number; count: number}[] = [];
  column.forEach((item, number) => {
    const before = column[number - 1];
    if (before) offset += gap(before, item);
    offsets.push(offset);
    const weight = item.height ? 1 : 2;
    let block = {sum: weight * ((wishes[number] ?? 0) - offset), weight, count: 1};
    for (let last = blocks.at(-1); last && last.sum / last.weight > block.sum / block.weight; last = blocks.at(-1)) {
      blocks.pop();
      block = {sum: last.sum + block.sum, weight: last.weight + block.weight, count: last.count + block.count};
    }
    blocks.push(block);
  });
  let next = 0;
  for (const {sum, weight, count} of blocks) {
    for (const item of column.slice(next, next + count)) {
      item.y = sum / weight + (offsets[next] ?? 0);
      next++;
    }
  }
}
