// How two tables are joined, as the tool `get_join_path` answers.
import {alternativesTo, ambiguitiesOf, type Label, reasonsFor} from "./ambiguities";
import {type Graph, indexGraph, likelyGraph, type Path} from "./graph";
import {cheapestPaths, distances} from "./search";
import {joinSql, joinSteps, type Named, withoutPassThrough} from "./statements";
import type {JoinAnswer, JoinStep, JoinsPart, JoinWarning, KeysPart} from "./types";

interface Ends {
  from: number;
  to: number;
}

/** Find the join of two tables, which are given by their places. `names` are the full names of all tables. */
export function joinAnswer(keys: KeysPart, names: readonly string[], from: number, to: number): JoinAnswer {
  const joins = keys.j;
  if (!joins) throw new Error("these keys are for diagrams only");
  const databases = databasesOf(joins);
  const stale = joins.w.map(([code, message]) => ({code, message}));
  const [one, other] = [databases[from], databases[to]];
  if (one !== other) {
    const message = `${names[from]} and ${names[to]} ${one?.reason}`;
    return answer({path_found: false}, [...stale, {code: "RET_JOIN_CROSS_DATABASE", message}]);
  }
  const label = (table: number) => (names[table] ?? "").slice(one?.prefix.length ?? 0);
  const named: Named = table => ({name: names[table] ?? "", sql: joins.q[table] || label(table)});
  const ends = {from, to};
  const index = indexGraph(keys, joins, names);
  const found = joinIn(index, ends) ?? joinIn(likelyGraph(keys, joins, index, ends), ends);
  if (!found) return answer({path_found: false}, stale);
  if ("missing" in found) {
    return answer({path_found: false}, [...stale, {code: "RET_ANSWER_PARTIAL", message: found.missing}]);
  }
  return written(found, {ends, label, named, stale});
}

/** The paths in a graph, cheapest first; or why there are none. */
type JoinOutcome = {graph: Graph; best: Path; others: Path[]} | {missing: string};

/** Find the paths; undefined if no keys connect the tables. */
function joinIn(graph: Graph | undefined, {from, to}: Ends): JoinOutcome | undefined {
  if (!graph) return {missing: "no keys of the index join these tables; tribal join compares their columns as well"};
  const {hops, mostHops, compared} = graph.limits;
  const [best, ...others] = taken(cheapestPaths(graph, from, to, hops), compared);
  if (best) return {graph, best, others};
  const steps = distances(graph, to, mostHops).get(from);
  return steps === undefined
    ? undefined
    : {missing: `keys join these tables over ${steps} hops; ask with max_hops ${steps}`};
}

function taken<Item>(items: Iterable<Item>, count: number): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (found.push(item) === count) break;
  }
  return found;
}

interface Writing {
  ends: Ends;
  label: Label;
  named: Named;
  stale: JoinWarning[];
}

function written({graph, best, others}: Exclude<JoinOutcome, {missing: string}>, {ends, label, named, stale}: Writing) {
  const pathOf = (path: Path) => {
    const steps = withoutPassThrough(path);
    const sql = joinSql(ends.from, steps, named, graph.limits.rows);
    return {path: joinSteps(steps, named), hop_count: steps.length, sql_snippet: sql};
  };
  const shown = pathOf(best);
  const ambiguities = [...ambiguitiesOf(best, others, graph, label), ...longer(graph, ends, best)];
  const alternatives = ambiguities.length
    ? alternativesTo(best, others, graph).map(other => ({
        ...pathOf(other),
        reasons: reasonsFor(other, best, graph, label),
      }))
    : [];
  const warnings = [...stale, ...guessed(shown.path)];
  if (ambiguities.length) {
    const end = alternatives.length ? "; compare the alternatives" : "";
    const message = `this may not be the intended join: ${ambiguities.join("; ")}${end}`;
    warnings.push({code: "RET_JOIN_AMBIGUOUS", message});
  }
  return answer({path_found: true, ...shown, ...(alternatives.length ? {alternatives} : {})}, warnings);
}

/** Say that a path longer than allowed is better. */
function longer(graph: Graph, {from, to}: Ends, best: Path): string[] {
  const {hops, moreHops, mostHops, step, nearlyEqual} = graph.limits;
  if (best.cost <= step * (hops + 1)) return [];
  const isEnd = (table: number) => table === from || table === to;
  const allowed = (table: number) => graph.allowed(table) && (isEnd(table) || !graph.hub(table));
  const paths = cheapestPaths({...graph, allowed}, from, to, Math.min(hops + moreHops, mostHops));
  const [better] = taken(paths, 1);
  if (!better || better.cost + nearlyEqual >= best.cost) return [];
  const joins = better.steps.length;
  return [`a path of ${joins} joins is more likely: ask with max_hops ${joins}`];
}

function guessed(path: JoinStep[]): JoinWarning[] {
  const steps = path.filter(({source}) => source).map(({step}) => step);
  const which = `step${steps.length > 1 ? "s" : ""} ${steps.join(", ")}`;
  const message = `no key is declared for ${which}: check it before use`;
  return steps.length ? [{code: "RET_JOIN_INFERRED", message}] : [];
}

const answer = (found: JoinAnswer, warnings: JoinWarning[]): JoinAnswer =>
  warnings.length ? {...found, warnings} : found;

/** The database of each table, by place. */
function databasesOf({b}: JoinsPart): {prefix: string; reason: string}[] {
  return b.flatMap(([tables, prefix, reason]) =>
    Array<{prefix: string; reason: string}>(tables).fill({prefix, reason}),
  );
}
