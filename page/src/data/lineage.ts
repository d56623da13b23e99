// What tables are made from, and what is made from them: the walk of the server's `get_lineage`, over one part.
import {grouped} from "../grouped";
import type {LineagePart, Via} from "./types";

export interface LineageEdge {
  /** Full names of tables; a column is empty where only the table is known. */
  from: string;
  fromColumn: string;
  to: string;
  toColumn: string;
  via: Via;
}

export class Lineage {
  readonly problems: Map<string, string>;
  readonly #into: Map<string, LineageEdge[]>;
  readonly #from: Map<string, LineageEdge[]>;

  constructor({edges, problems}: LineagePart, names: string[]) {
    const name = (place: number) => names[place] ?? "";
    const all = edges.map(([from, fromColumn, to, toColumn, via]) => {
      return {from: name(from), fromColumn, to: name(to), toColumn, via};
    });
    this.problems = new Map(problems.map(([view, reason]) => [name(view), reason]));
    this.#into = grouped(all, edge => edge.to);
    this.#from = grouped(all, edge => edge.from);
  }

  /** The edges around a table, or one column of it: what it is made from, then what is made from it, nearest first. */
  around(table: string, column: string | undefined, depth: number): LineageEdge[] {
    const found = new Map<string, LineageEdge>();
    for (const direction of [UPSTREAM, DOWNSTREAM]) this.#walk(direction, table, column, depth, found);
    return [...found.values()];
  }

  #walk(
    direction: Direction,
    table: string,
    column: string | undefined,
    depth: number,
    found: Map<string, LineageEdge>,
  ) {
    let level = new Map([[table, column === undefined ? undefined : new Set([column])]]);
    const done = new Set([JSON.stringify([table, column ?? ""])]);
    const isDone = (...end: string[]) => done.has(JSON.stringify(end));
    for (let step = 0; step < depth && level.size; step++) {
      const following = new Map<string, Set<string> | undefined>();
      for (const [name, columns] of level)
        for (const edge of this.#next(direction, name, columns)) {
          found.set(JSON.stringify(edge), edge);
          const {other, part} = direction(edge);
          // A column that only decides on rows leads no further.
          if (column !== undefined && !part && edge.via === "filter") continue;
          const next = column === undefined ? "" : part;
          if (isDone(other, next) || isDone(other, "")) continue;
          done.add(JSON.stringify([other, next]));
          const known = following.get(other);
          if (!next) following.set(other, undefined);
          else if (known || !following.has(other)) following.set(other, new Set([...(known ?? []), next]));
        }
      level = following;
    }
  }

  /** The edges at some columns of a table; of views whose columns are not known, at least one for each table. */
  *#next(direction: Direction, name: string, columns: Set<string> | undefined): Iterable<LineageEdge> {
    const all = (direction === UPSTREAM ? this.#into : this.#from).get(name) ?? [];
    const chosen = all.filter(edge => !columns || columns.has(direction(edge).own));
    yield* chosen;
    const followed = new Set(chosen.map(edge => direction(edge).other));
    for (const edge of all) {
      if (!this.problems.has(edge.to) || followed.has(direction(edge).other)) continue;
      if (direction === UPSTREAM || isUnknown(edge)) yield {...edge, fromColumn: "", toColumn: "", via: "computed"};
    }
  }
}

/** The end of an edge that is left, and the one that comes next. */
type Direction = (edge: LineageEdge) => {own: string; other: string; part: string};
const UPSTREAM: Direction = ({from, fromColumn, toColumn}) => ({own: toColumn, other: from, part: fromColumn});
const DOWNSTREAM: Direction = ({to, fromColumn, toColumn}) => ({own: fromColumn, other: to, part: toColumn});

/** Whether the columns are not known, because the SQL cannot be followed. */
const isUnknown = ({fromColumn, toColumn, via}: LineageEdge) => !fromColumn && !toColumn && via === "computed";
