// Joins as steps and as SQL; what `joins/statements.py` does, with names as the data has them.
import type {JoinKey, Path, Step} from "./graph";
import type {Evidence, JoinStep} from "./types";

/** A table by its full name and as SQL has it. */
export type Named = (table: number) => {name: string; sql: string};

/** The steps of a path in the answer, the first table being `t0`. */
export function joinSteps(steps: Step[], named: Named): JoinStep[] {
  const numbers = new Map(steps.slice(0, 1).map(({from}) => [from, 0]));
  const types: JoinStep["join_type"][] = ["INNER"];
  return steps.map((step, place) => {
    const onto = numbers.get(step.from) ?? 0;
    const keepsEveryRow = step.up && !step.key.nullable;
    const type = keepsEveryRow ? (types[onto] ?? "LEFT") : "LEFT";
    const number = types.push(type) - 1;
    numbers.set(step.to, number);
    const pairs = step.own.map((own, column) => `t${onto}.${own.sql} = t${number}.${step.other[column]?.sql}`);
    return {
      step: place + 1,
      from_table: named(step.from).name,
      to_table: named(step.to).name,
      join_type: type,
      on_clause: pairs.join(" AND "),
      from_alias: `t${onto}`,
      to_alias: `t${number}`,
      ...certainty(step),
    };
  });
}

/** Whether rows multiply, and what is known of an inferred key. */
function certainty({key, up}: Step): Partial<JoinStep> {
  const isUnique = up ? key.otherUnique : key.ownUnique;
  if (!key.inferred) return {fans_out: !up && !isUnique};
  const evidence = key.evidence ? {evidence: key.evidence} : {};
  return {fans_out: !isUnique, source: "inferred", confidence: key.confidence, ...evidence};
}

/** A SELECT over the tables of a path. */
export function joinSql(start: number, steps: Step[], named: Named, rows: number): string {
  const lines = joinSteps(steps, named).map(
    (step, place) =>
      `${step.join_type} JOIN ${named(steps[place]?.to ?? start).sql} AS ${step.to_alias}\n  ON ${step.on_clause}`,
  );
  const columns = [...Array(steps.length + 1).keys()].map(number => `t${number}.*`).join(", ");
  return [`SELECT ${columns}`, `FROM ${named(start).sql} AS t0`, ...lines, `LIMIT ${rows}`].join("\n");
}

/** The steps of a path, two being merged where an inferred key only passes a value through a table. */
export function withoutPassThrough({steps}: Path): Step[] {
  const found: Step[] = [];
  for (const step of steps) {
    const before = found.at(-1);
    const shorter = before && merged(before, step);
    if (shorter) found[found.length - 1] = shorter;
    else found.push(step);
  }
  return found;
}

function merged(before: Step, after: Step): Step | undefined {
  const keys = [before.key, after.key];
  if ((!before.up && after.up) || keys.every(key => !key.inferred)) return undefined;
  const passed = new Map(after.own.map((column, place) => [column.number, after.other[place]]));
  const other = before.other.flatMap(({number}) => passed.get(number) ?? []);
  if (passed.size < before.other.length || other.length < before.other.length) return undefined;
  if (new Set(before.other.map(({number}) => number)).size < passed.size) return undefined;
  const pieces = keys
    .flatMap(key => key.evidence ?? [])
    .map((piece): [string, Evidence] => [JSON.stringify(piece), piece]);
  const key: JoinKey = {
    from: before.from,
    to: after.to,
    own: before.own,
    other,
    nullable: true,
    inferred: true,
    ownUnique: false,
    otherUnique: after.up ? after.key.otherUnique : after.key.ownUnique,
    cost: 0,
    roles: 0,
    confidence: Math.min(...keys.map(each => each.confidence)),
    evidence: pieces.length ? [...new Map(pieces).values()] : undefined,
  };
  return {...before, key, up: true, to: after.to, other};
}
