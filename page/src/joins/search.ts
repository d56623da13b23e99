// The cheapest paths between two tables; what `joins/paths.py` does, with costs from the data.
import {ACROSS, compare, DOWN, type Graph, LINK, type Path, type Step, UP, type Way, wayAlong} from "./graph";

const WAYS: Way[] = [ACROSS, DOWN, LINK, UP];

/** The least of some entries first; `before` orders all of them. */
class Heap<Entry> {
  readonly #entries: Entry[] = [];

  constructor(private readonly before: (one: Entry, other: Entry) => boolean) {}

  push(entry: Entry): void {
    const all = this.#entries;
    let place = all.push(entry) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.before(entry, all[above] as Entry)) break;
      all[place] = all[above] as Entry;
      place = above;
    }
    all[place] = entry;
  }

  pop(): Entry | undefined {
    const all = this.#entries;
    const [first] = all;
    const last = all.pop();
    if (all.length === 0 || last === undefined) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below + 1 < all.length && this.before(all[below + 1] as Entry, all[below] as Entry)) below += 1;
      if (below >= all.length || !this.before(all[below] as Entry, last)) break;
      all[place] = all[below] as Entry;
      place = below;
    }
    all[place] = last;
    return first;
  }
}

const orderOf = (path: Path) => path.steps.flatMap(({order}) => order);

/** Tables one step from any of some tables, without those that `known` has. */
function around(graph: Graph, tables: Iterable<number>, known: Map<number, number>): number[] {
  const reached = new Set<number>();
  for (const table of tables) {
    for (const {from, to} of graph.steps(table)) {
      if (to !== from && !known.has(to) && graph.allowed(to)) reached.add(to);
    }
  }
  return [...reached];
}

/** The number of steps from a table, for every table within `hops`. */
export function distances(graph: Graph, start: number, hops: number): Map<number, number> {
  return corridor(graph, start, hops, () => true);
}

function corridor(graph: Graph, start: number, hops: number, keeps: (table: number, left: number) => boolean) {
  const found = new Map(graph.allowed(start) ? [[start, 0]] : []);
  let frontier = [...found.keys()];
  for (let distance = 1; distance <= hops; distance += 1) {
    frontier = around(graph, frontier, found).filter(table => keeps(table, hops - distance));
    for (const table of frontier) found.set(table, distance);
  }
  return found;
}

/**
 * The paths of at most `hops` steps that visit no table twice, cheapest first, ties in order of names. From a table to
 * itself, they are its self-references, or a path without steps.
 */
export function* cheapestPaths(graph: Graph, start: number, target: number, hops: number): Generator<Path> {
  if (start === target) {
    const own = graph.steps(start).filter(step => step.to === start);
    const paths: Path[] = own.map(step => ({steps: [step], cost: step.key.cost}));
    paths.sort((one, other) => one.cost - other.cost || compare(orderOf(one), orderOf(other)));
    yield* paths.length ? paths : [{steps: [], cost: 0}];
    return;
  }
  const half = hops >> 1;
  const near = distances(graph, start, half);
  const reach = corridor(graph, target, hops, (table, left) => left > half || (near.get(table) ?? hops) <= left);
  if (reach.has(start)) yield* new Search(graph, target, reach).paths(start, hops);
}

interface Back {
  cost: number;
  table: number;
  way: Way;
}

interface Entry {
  total: number;
  order: number[];
  number: number;
  path: Path;
}

/** A search back from the target for the remaining cost of each table, and one forward that it guides. */
class Search {
  /** Least cost from a table to the target by the way of the next step, by `4 * table + way`. */
  #remaining = new Map<number, number>();
  /** The remaining cost of any other table is higher; undefined if no other table leads to the target. */
  #limit: number | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly target: number,
    private readonly reach: Map<number, number>,
  ) {}

  *paths(start: number, hops: number): Generator<Path> {
    const {limits} = this.graph;
    let limit = limits.step * (1 + (this.reach.get(start) ?? 0));
    while (this.#isCutOff(limit) && !WAYS.some(way => this.#remaining.has(4 * start + way))) limit *= 2;
    const heap = new Heap<Entry>((one, other) => {
      const difference = one.total - other.total || compare(one.order, other.order) || one.number - other.number;
      return difference < 0;
    });
    let number = 0;
    const extend = (path: Path, table: number, order: number[]) => {
      const left = hops - path.steps.length - 1;
      for (const step of this.graph.steps(table)) {
        const isSeen = step.to === start || path.steps.some(({to}) => to === step.to);
        if (isSeen || (this.reach.get(step.to) ?? hops) > left) continue;
        const cost = path.cost + step.key.cost + this.#transitTo(path, step);
        const remains = this.#remains(step);
        if (remains === undefined) continue;
        const longer = {steps: [...path.steps, step], cost};
        heap.push({total: cost + remains, order: [...order, ...step.order], number, path: longer});
        number += 1;
      }
    };
    extend({steps: [], cost: 0}, start, []);
    let dearest: number | undefined;
    for (let extended = 0; extended < limits.extended; extended += 1) {
      const entry = heap.pop();
      if (!entry || (dearest !== undefined && entry.total > dearest)) return;
      const {path, order} = entry;
      const end = path.steps.at(-1)?.to ?? start;
      if (end === this.target) {
        dearest ??= path.cost + limits.extra;
        yield path;
      } else extend(path, end, order);
    }
  }

  #transitTo(path: Path, step: Step): number {
    return path.steps.length ? this.graph.transit(step.from, wayAlong(path.steps), step.way) : 0;
  }

  /** Find the remaining costs within the limit; returns whether there may be more beyond it. */
  #isCutOff(limit: number): boolean {
    this.#remaining = new Map();
    const {rank} = this.graph;
    const heap = new Heap<Back>((one, other) => {
      const difference = one.cost - other.cost || rank(one.table) - rank(other.table) || one.way - other.way;
      return difference < 0;
    });
    let isCutOff = this.#reachBack(heap, this.target, undefined, 0, limit);
    for (let entry = heap.pop(); entry; entry = heap.pop()) {
      const {cost, table, way} = entry;
      if (this.#remaining.has(4 * table + way)) continue;
      this.#remaining.set(4 * table + way, cost);
      isCutOff = this.#reachBack(heap, table, way, cost, limit) || isCutOff;
    }
    this.#limit = isCutOff ? limit : undefined;
    return isCutOff;
  }

  #reachBack(heap: Heap<Back>, table: number, then: Way | undefined, cost: number, limit: number): boolean {
    let isCutOff = false;
    for (const step of this.graph.steps(table)) {
      const way = step.wayBack;
      const before = then === undefined ? cost : cost + this.graph.transit(table, way, then);
      if (before + this.graph.limits.across > limit) {
        isCutOff = true;
        continue;
      }
      const other = step.to;
      if (other === table || !this.reach.has(other) || this.#remaining.has(4 * other + way)) continue;
      const total = before + step.key.cost;
      if (total > limit) isCutOff = true;
      else heap.push({cost: total, table: other, way});
    }
    return isCutOff;
  }

  /** The lowest remaining cost after a step; undefined if it leads nowhere. */
  #remains(step: Step): number | undefined {
    if (step.to === this.target) return 0;
    let least: number | undefined;
    for (const way of WAYS) {
      const remaining = this.#remaining.get(4 * step.to + way) ?? this.#limit;
      if (remaining === undefined) continue;
      const cost = this.graph.transit(step.to, step.way, way) + remaining;
      if (least === undefined || cost < least) least = cost;
    }
    return least;
  }
}
