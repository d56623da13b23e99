// Arranges the domains of a map in a grid: joined ones next to each other, with few lines behind other boxes.
export interface Pair {
  one: number;
  other: number;
  keys: number;
}

const ROUNDS = 40_000,
  /** Points of a line that are looked at for each cell, and half of a box as a part of its cell. */
  POINTS = 4,
  HALF = 0.38,
  BEHIND = 3,
  /** A line costs so much more for each cell from the upper left, where domains without lines are not to be. */
  FAR = 0.03;

/** Return the cell of each of `count` domains in a grid of `wide` columns, whose cells are `share` times as wide as high. */
export function arrangeGrid(count: number, wide: number, pairs: Pair[], share: number): number[] {
  // Numbers from `count` are empty cells.
  const domains = Array.from({length: Math.ceil(count / wide) * wide}, (_, number) => number);
  const cellOf = domains.slice();
  const linesOf = domains.map(domain => pairs.filter(({one, other}) => one === domain || other === domain));
  const at = (list: number[], place: number) => list[place] ?? 0;
  /** Return the length of a line, which counts as longer if it is behind other boxes. */
  const lengthOf = ({one, other}: Pair): number => {
    const [start, end] = [at(cellOf, one), at(cellOf, other)];
    const [x, y] = [start % wide, Math.floor(start / wide)];
    const [across, down] = [(end % wide) - x, Math.floor(end / wide) - y];
    const points = POINTS * Math.max(Math.abs(across), Math.abs(down));
    const behind = new Set<number>();
    for (let point = 1; point < points; point++) {
      const [column, row] = [x + (across * point) / points, y + (down * point) / points];
      const [nearColumn, nearRow] = [Math.round(column), Math.round(row)];
      const cell = nearRow * wide + nearColumn;
      const isBehind = Math.abs(column - nearColumn) < HALF && Math.abs(row - nearRow) < HALF;
      if (isBehind && cell !== start && cell !== end && at(domains, cell) < count) behind.add(cell);
    }
    return Math.hypot(across * share, down) + BEHIND * behind.size + FAR * (x + y);
  };
  const cost = (domain: number) =>
    (linesOf[domain] ?? []).reduce((sum, pair) => sum + (1 + Math.log2(pair.keys)) * lengthOf(pair), 0);
  anneal(domains.length, (a, b) => {
    const [one, other] = [at(domains, a), at(domains, b)];
    const before = cost(one) + cost(other);
    [domains[a], domains[b], cellOf[one], cellOf[other]] = [other, one, b, a];
    return cost(one) + cost(other) - before;
  });
  return cellOf.slice(0, count);
}

/** Swap what is in two of `count` cells, again and again; `swap` returns how much worse that is. */
function anneal(count: number, swap: (a: number, b: number) => number): void {
  // Numbers that are the same each time, so that a map does not change.
  let state = 12345;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 6 * (1 - round / ROUNDS) ** 2 + 1e-9;
    const [a, b] = [Math.floor(random() * count), Math.floor(random() * count)];
    const worse = swap(a, b);
    if (worse > 0 && random() >= Math.exp(-worse / heat)) swap(a, b);
  }
}
