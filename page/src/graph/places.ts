// Where the domains of a map are: in a grid, joined ones next to each other, with few lines behind other boxes.
export interface Pair {
  one: number;
  other: number;
  keys: number;
}

const ROUNDS = 40_000,
  BEHIND = 3,
  /** Half of a box as a part of its cell. */
  HALF = 0.38;

/** The cell of each of `count` domains in a grid of `wide` columns; `pairs` are the lines that are drawn. */
export function arrangeGrid(count: number, wide: number, pairs: Pair[], share: number): number[] {
  const grid = new Grid(count, wide, pairs, share);
  const random = generator();
  const any = () => Math.floor(random() * grid.cells);
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 3 * (1 - round / ROUNDS) ** 2;
    const [one, other] = [any(), any()];
    const worse = grid.swap(one, other);
    if (worse > 0 && random() >= Math.exp(-worse / (heat + 1e-9))) grid.swap(one, other);
  }
  return grid.cellOf;
}

class Grid {
  readonly cells: number;
  readonly cellOf: number[];
  /** By cell: a domain, or -1. */
  private readonly holds: number[];
  private readonly lines: Pair[][];

  constructor(
    count: number,
    private readonly wide: number,
    pairs: Pair[],
    /** The width of a cell as a part of its height. */
    private readonly share: number,
  ) {
    this.cells = Math.ceil(count / wide) * wide;
    this.holds = Array.from({length: this.cells}, (_, cell) => (cell < count ? cell : -1));
    this.cellOf = Array.from({length: count}, (_, domain) => domain);
    this.lines = Array.from({length: count}, () => []);
    for (const pair of pairs) for (const end of [pair.one, pair.other]) this.lines[end]?.push(pair);
  }

  /** Swap what two cells hold. @returns how much worse the lines are then. */
  swap(a: number, b: number): number {
    const [one = -1, other = -1] = [this.holds[a], this.holds[b]];
    if (one === other) return 0;
    const before = this.cost(one) + this.cost(other);
    this.holds[a] = other;
    this.holds[b] = one;
    if (other >= 0) this.cellOf[other] = a;
    if (one >= 0) this.cellOf[one] = b;
    return this.cost(one) + this.cost(other) - before;
  }

  private cost(domain: number): number {
    let sum = 0;
    for (const {one, other, keys} of this.lines[domain] ?? []) {
      sum += (1 + Math.log2(keys)) * this.length(this.cellOf[one] ?? 0, this.cellOf[other] ?? 0);
    }
    return sum;
  }

  /** How long the line between two cells is, and how many boxes are in its way. */
  private length(one: number, other: number): number {
    const [x, y] = [one % this.wide, Math.floor(one / this.wide)];
    const [across, down] = [(other % this.wide) - x, Math.floor(other / this.wide) - y];
    let behind = 0;
    for (let row = Math.min(0, down); row <= Math.max(0, down); row++) {
      for (let column = Math.min(0, across); column <= Math.max(0, across); column++) {
        if ((!row && !column) || (row === down && column === across)) continue;
        const holds = this.holds[(y + row) * this.wide + x + column] ?? -1;
        if (holds >= 0 && crosses(across, down, column, row)) behind++;
      }
    }
    return Math.hypot(across * this.share, down) + behind * BEHIND;
  }
}

/** Whether the line from 0, 0 to `across`, `down` is behind the box in the middle of a cell. */
function crosses(across: number, down: number, column: number, row: number): boolean {
  let [from, to] = [0, 1];
  for (const [length, middle] of [
    [across, column],
    [down, row],
  ] as const) {
    if (!length) {
      if (Math.abs(middle) >= HALF) return false;
      continue;
    }
    const [one, other] = [(middle - HALF) / length, (middle + HALF) / length];
    from = Math.max(from, Math.min(one, other));
    to = Math.min(to, Math.max(one, other));
  }
  return from < to;
}

/** Numbers that are the same each time, so that a map does not change. */
function generator(): () => number {
  let state = 12345;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
