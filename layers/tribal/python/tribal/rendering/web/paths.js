const JOINED_ROWS = 100;

/**
 * The fewest joins between two tables along declared keys, in either direction of each.
 * @param {KeysPart} keys
 * @param {number} from
 * @param {number} to
 * @returns {JoinStep[] | null}
 */
function shortestPath(keys, from, to) {
  /** @type {Map<number, JoinStep[]>} */
  const near = new Map();
  const leave = (/** @type {JoinStep} */ step) => {
    const steps = near.get(step.from);
    if (steps) steps.push(step);
    else near.set(step.from, [step]);
  };
  for (const [child, parent, own, other, optional] of keys.e) {
    leave({from: child, to: parent, own, other, certain: !optional});
    leave({from: parent, to: child, own: other, other: own, certain: false});
  }
  /** @type {Map<number, JoinStep | null>} */
  const reached = new Map([[from, null]]);
  for (const place of reached.keys()) {
    if (place === to) return pathTo(reached, to);
    for (const step of near.get(place) || []) if (!reached.has(step.to)) reached.set(step.to, step);
  }
  return null;
}

/** @param {Map<number, JoinStep | null>} reached @param {number} to */
function pathTo(reached, to) {
  const steps = [];
  for (let step = reached.get(to); step; step = reached.get(step.from)) steps.unshift(step);
  return steps;
}

/**
 * A SELECT over the tables of a path. Names come as SQL has them.
 * @param {KeysPart} keys
 * @param {number} start
 * @param {JoinStep[]} steps
 */
function joinSql(keys, start, steps) {
  const lines = ["SELECT " + [start, ...steps].map((_, number) => `t${number}.*`).join(", ")];
  lines.push(`FROM ${keys.q[start]} AS t0`);
  // Below a LEFT, an INNER would drop again the rows that it kept.
  let inner = true;
  steps.forEach((step, before) => {
    inner &&= step.certain;
    const pairs = step.own.map((own, place) => `t${before}.${own} = t${before + 1}.${step.other[place]}`);
    lines.push(`${inner ? "INNER" : "LEFT"} JOIN ${keys.q[step.to]} AS t${before + 1}`, `  ON ${pairs.join(" AND ")}`);
  });
  return lines.join("\n") + `\nLIMIT ${JOINED_ROWS}`;
}
