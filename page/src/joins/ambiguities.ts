// Why a path may not be the intended one, and how others differ; what `joins/ambiguities.py` does.
import {DOWN, type Graph, LINK, type Path, type Step, UP, type Way, wayAlong} from "./graph";

/** A table as sentences have it. */
export type Label = (table: number) => string;

/** The cheapest other paths: one for each sequence of tables, plus those over other columns if they are as good. */
export function alternativesTo(best: Path, others: Path[], {limits}: Graph): Path[] {
  const found: Path[] = [];
  const [tables, columns] = [new Set([tablesOf(best).join()]), new Set([columnsOf(best)])];
  for (const other of others) {
    const nearlyEqual = isAlong(other, best) && other.cost - best.cost <= limits.nearlyEqual;
    if (!columns.has(columnsOf(other)) && (nearlyEqual || !tables.has(tablesOf(other).join()))) found.push(other);
    tables.add(tablesOf(other).join());
    columns.add(columnsOf(other));
  }
  return found.slice(0, limits.alternatives);
}

/** Why a path is ambiguous, given the other paths; empty if it is not. */
export function ambiguitiesOf(best: Path, others: Path[], graph: Graph, label: Label): string[] {
  const found: string[] = [];
  const shown = alternativesTo(best, others, graph);
  const asGood = shown.filter(other => other.cost - best.cost <= graph.limits.nearlyEqual);
  if (asGood.length) found.push(`about as good is a path ${differences(asGood, best, label)}`);
  found.push(...hubsOf(best, graph, label).map(text => `it ${text}`));
  const shared = sharedParents(best);
  if (shared.length) {
    const around = others.some(other => !sharedParents(other).length);
    const end = around ? ", and others do not" : ": every row of one side meets every row of the other";
    found.push(`it joins many to many by the shared parent ${shared.map(label).join(", ")}${end}`);
  }
  const dearer = shown.filter(other => !asGood.includes(other));
  return [...found, ...otherMeanings(best, dearer, graph, label)];
}

/** How a path differs from slightly more expensive ones that relate rows in another way. */
function otherMeanings(best: Path, others: Path[], {limits}: Graph, label: Label): string[] {
  const found: string[] = [];
  const near = others.filter(other => other.cost - best.cost <= limits.otherMeaning && !sharedParents(other).length);
  const bridges = near.filter(other => sharedChildren(other).length);
  const straight = near.filter(other => !sharedChildren(other).length);
  const children = sharedChildren(best);
  if (children.length && straight.length) {
    const path = `a path ${differences(straight, best, label)} does not`;
    found.push(`it joins many to many by the shared child ${children.map(label).join(", ")}, and ${path}`);
  }
  const rivals = bridges.filter(({steps, cost}) =>
    children.length
      ? steps.length === best.steps.length && cost - best.cost <= limits.nearlyEqualBridges
      : steps.length <= best.steps.length,
  );
  if (rivals.length && !sharedParents(best).length) {
    const end = children.length ? " as well" : ", and this one does not";
    found.push(`a path ${differences(rivals, best, label)} joins many to many${end}`);
  }
  const roles = rolesOf(best) - (children.length ? 0 : limits.subject);
  const plainer = near.filter(other => !isAlong(other, best) && rolesOf(other) < roles);
  if (plainer.length) {
    const columns = best.steps.filter(({key}) => key.roles).map(step => childColumns(step, label));
    const path = `a path ${differences(plainer, best, label)} a plainer one`;
    found.push(`it follows a key that names a role (${columns.join(", ")}), and ${path}`);
  }
  return found;
}

/** How another path differs from the best one, and what makes it worse. */
export function reasonsFor(other: Path, best: Path, graph: Graph, label: Label): string[] {
  const found = [difference(other, best, label)];
  const more = other.steps.length - best.steps.length;
  const joins = Math.abs(more) > 1 ? "joins" : "join";
  if (more) found.push(`${Math.abs(more)} ${joins} ${more > 0 ? "more" : "fewer"}`);
  const [parents, children] = [sharedParents(other), sharedChildren(other)];
  if (parents.length) found.push(`many to many by the shared parent ${parents.map(label).join(", ")}`);
  else if (sharedParents(best).length) found.push("no shared parent");
  const has = sharedChildren(best).length > 0;
  if (children.length && !has) found.push(`many to many by the shared child ${children.map(label).join(", ")}`);
  else if (!children.length && has) found.push("no shared child");
  found.push(...hubsOf(other, graph, label));
  const [empty, lessEmpty] = [other, best].map(path => nullable(path, label)) as [string[], string[]];
  if (empty.length > lessEmpty.length) {
    found.push(`may be null: ${empty.filter(column => !lessEmpty.includes(column)).join(", ")}`);
  }
  const inferred = other.steps.filter(({key}) => key.inferred).map(step => childColumns(step, label));
  if (inferred.length) found.push(`not declared: ${inferred.join(", ")}`);
  return found;
}

const tablesOf = ({steps}: Path) => [...steps.slice(0, 1).map(({from}) => from), ...steps.map(({to}) => to)];
const isAlong = (one: Path, other: Path) => tablesOf(one).join() === tablesOf(other).join();
const columnsOf = ({steps}: Path) =>
  JSON.stringify(steps.map(({to, own, other}) => [to, ...[own, other].map(some => some.map(({number}) => number))]));
const rolesOf = ({steps}: Path) => steps.reduce((sum, {key}) => sum + key.roles, 0);

/** The parents between two children of a path, where rows join many to many. */
const sharedParents = (path: Path) => turns(path, [UP], DOWN);
/** The children between two parents of a path, where rows join many to many. */
const sharedChildren = (path: Path) => turns(path, [DOWN, LINK], UP);

/** The tables that a path reaches one way and leaves another; steps across do not count. */
const turns = ({steps}: Path, ways: Way[], then: Way) =>
  steps
    .filter((step, place) => step.way === then && ways.includes(wayAlong(steps.slice(0, place))))
    .map(({from}) => from);

const hubsOf = ({steps}: Path, graph: Graph, label: Label) =>
  steps.slice(0, -1).flatMap(({to}) => (graph.hub(to) ? `passes ${label(to)}, ${graph.hub(to)}` : []));

const differences = (others: Path[], best: Path, label: Label) =>
  others.map(other => difference(other, best, label)).join(", or one ");

function difference(other: Path, best: Path, label: Label): string {
  if (isAlong(other, best)) {
    const theirs = best.steps.map(step => childColumns(step, label));
    const columns = other.steps.map(step => childColumns(step, label));
    return `by ${columns.filter(each => !theirs.includes(each)).join(", ")}`;
  }
  const known = new Set(tablesOf(best));
  const through = tablesOf(other)
    .slice(1, -1)
    .filter(table => !known.has(table));
  if (through.length) return `through ${through.map(label).join(", ")}`;
  const isShorter = other.steps.length < best.steps.length;
  return isShorter ? "through fewer tables" : "through the same tables in another order";
}

const nullable = ({steps}: Path, label: Label) =>
  steps.filter(({key}) => key.nullable && !key.inferred).map(step => childColumns(step, label));

const childColumns = ({key}: Step, label: Label) =>
  key.own.map(({sentence}) => `${label(key.from)}.${sentence}`).join(", ");
