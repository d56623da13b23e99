// Tables and keys as a graph that joins are searched in.
import {grouped} from "../grouped";
import {
  ALONE,
  type Columns,
  type Evidence,
  GUESSED,
  INFERRED,
  type JoinsPart,
  type KeyLine,
  type KeysPart,
  type Limits,
  NULLABLE,
  ONE,
  OTHER_NOT_UNIQUE,
  type Passing,
  WITH_ANOTHER,
} from "./types";

/** The direction of a step: to a parent, to a child, to a child that links two tables, to a row's other half. */
export type Way = 0 | 1 | 2 | 3;
/** In the order in which equal costs are taken. */
export const [ACROSS, DOWN, LINK, UP] = [0, 1, 2, 3] as const;

/** A column by its number, and how SQL and sentences write it. */
export interface Column {
  number: number;
  sql: string;
  sentence: string;
}

export interface JoinKey {
  from: number;
  to: number;
  own: Column[];
  other: Column[];
  nullable: boolean;
  inferred: boolean;
  ownUnique: boolean;
  otherUnique: boolean;
  cost: number;
  roles: number;
  /** 1 of a declared key. */
  confidence: number;
  evidence: Evidence[] | undefined;
}

/** A key, followed up to the parent or down to the child. */
export interface Step {
  key: JoinKey;
  up: boolean;
  from: number;
  to: number;
  own: Column[];
  other: Column[];
  way: Way;
  wayBack: Way;
  order: [table: number, isDown: number, key: number];
}

export interface Path {
  steps: Step[];
  cost: number;
}

export interface Graph {
  limits: Limits;
  steps: (table: number) => Step[];
  allowed: (table: number) => boolean;
  /** What it costs to pass a table. */
  transit: (table: number, way: Way, then: Way) => number;
  /** What makes a table a hub. */
  hub: (table: number) => string | undefined;
  /** Its place in the order of names. */
  rank: (table: number) => number;
}

const NO_STEPS: Step[] = [];

/** The way of the last step that is not across, since a row stays the same row across. */
export const wayAlong = (steps: Step[]): Way => steps.findLast(({way}) => way !== ACROSS)?.way ?? ACROSS;

/** The keys of the index. */
export function indexGraph(part: KeysPart, joins: JoinsPart, names: readonly string[]): Graph {
  const keys = part.k.flatMap((line, number) => (line[4] & GUESSED ? [] : [number]));
  return graphOf(part, joins, keys, joins, ranks(names), () => true);
}

/** The keys of the index between two schemas and the guessed ones; undefined if their columns were not compared. */
export function likelyGraph(
  part: KeysPart,
  joins: JoinsPart,
  around: Graph,
  {from, to}: {from: number; to: number},
): Graph | undefined {
  const schemas = [joins.s[from] ?? 0, joins.s[to] ?? 0];
  const guessed = joins.g[[...schemas].sort((one, other) => one - other).join(",")];
  if (!guessed) return guessed === 0 ? {...around, steps: () => NO_STEPS} : undefined;
  const allowed = (table: number) => schemas.includes(joins.s[table] ?? -1);
  const known = part.k.flatMap(([from, to, , , flags], number) =>
    allowed(from) && allowed(to) && !(flags & GUESSED) ? [number] : [],
  );
  return graphOf(part, joins, [...known, ...guessed.k], guessed, around.rank, allowed);
}

function graphOf(
  part: KeysPart,
  joins: JoinsPart,
  keys: number[],
  passing: Passing,
  rank: Graph["rank"],
  allowed: Graph["allowed"],
): Graph {
  const all = keys.flatMap(number => {
    const line = part.k[number];
    if (!line) return [];
    const key = keyOf(line, part, joins);
    const up = stepOf(key, true, line[4], [rank(key.to), 0, number]);
    return key.from === key.to ? [up] : [up, stepOf(key, false, line[4], [rank(key.from), 1, number])];
  });
  const steps = grouped(all, step => step.from);
  const costs = new Map(passing.t.map(([table, ...some]) => [table, some]));
  const plain = joins.n.transit;
  return {
    limits: joins.n,
    steps: table => steps.get(table) ?? NO_STEPS,
    allowed,
    transit: (table, way, then) => {
      const turn = way === UP && then === DOWN ? 1 : way === DOWN && then === UP ? 2 : 0;
      const known = costs.get(table);
      return known ? (known[turn] ?? 0) : plain[turn];
    },
    hub: table => passing.h[table],
    rank,
  };
}

function keyOf(
  [from, to, own, other, flags, cost, roles, confidence, evidence]: KeyLine,
  part: KeysPart,
  joins: JoinsPart,
) {
  return {
    from,
    to,
    own: columnsOf(part, own),
    other: columnsOf(part, other),
    nullable: Boolean(flags & NULLABLE),
    inferred: Boolean(flags & INFERRED),
    ownUnique: Boolean(flags & ONE),
    otherUnique: !(flags & OTHER_NOT_UNIQUE),
    cost: cost ?? 0,
    roles: roles ?? 0,
    confidence: flags & INFERRED ? (confidence ?? 0) : 1,
    evidence: evidence?.flatMap(number => joins.v[number] ?? []),
  };
}

function columnsOf({c}: KeysPart, columns: Columns): Column[] {
  return [columns].flat().map(number => {
    const name = c[number] ?? "";
    const [, sql, sentence] = typeof name === "string" ? [name, name, name] : name;
    return {number, sql, sentence};
  });
}

function stepOf(key: JoinKey, up: boolean, flags: number, order: Step["order"]): Step {
  const down = flags & WITH_ANOTHER ? LINK : DOWN;
  const [way, wayBack] = flags & ALONE ? [ACROSS, ACROSS] : up ? [UP, down] : [down, UP];
  const {from, to, own, other} = key;
  return up
    ? {key, up, from, to, own, other, way, wayBack, order}
    : {key, up, from: to, to: from, own: other, other: own, way, wayBack, order};
}

/** The places of tables in the order of their names, character by character. */
function ranks(names: readonly string[]): Graph["rank"] {
  const points = names.map(name => Array.from(name, character => character.codePointAt(0) ?? 0));
  const sorted = [...names.keys()].sort((one, other) => compare(points[one] ?? [], points[other] ?? []));
  const found = new Map(sorted.map((place, rank) => [place, rank]));
  return table => found.get(table) ?? 0;
}

/** Compare number by number; a list that another one begins with comes first. */
export function compare(one: number[], other: number[]): number {
  const length = Math.min(one.length, other.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (one[place] as number) - (other[place] as number);
    if (difference) return difference;
  }
  return one.length - other.length;
}
