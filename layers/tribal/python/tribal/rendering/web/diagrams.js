const DIAGRAM_TABLES = 24,
  STAR_TABLES = 12,
  LIKELY_WEIGHT = 0.0001;

/**
 * The keys of a table as [other table, whether this one holds it, kind]; a likely one counts where none is declared.
 * @param {Table} table
 * @returns {[string, 0 | 1, string][]}
 */
function keysOf(table) {
  /** @type {[string, 0 | 1, string][]} */
  const declared = (table.e || []).map(([name, outgoing, , , , optional]) => [
    name,
    outgoing,
    optional ? "optional" : "",
  ]);
  return declared.concat((table.lk || []).map(([name, outgoing]) => [name, outgoing, "likely"]));
}

/** A table between those that refer to it and those that it refers to. @param {Table} table */
function starDiagram(table) {
  /** @type {Map<string, Table>} */
  const left = new Map();
  /** @type {Map<string, Table>} */
  const right = new Map();
  /** @type {Map<string, Key>} */
  const keys = new Map();
  for (const [name, outgoing, kind] of keysOf(table)) {
    const other = tables.get(name) || {...table, n: name, l: name, s: ""};
    if (other !== table) {
      const side = outgoing ? right : left;
      if (!left.has(name) && !right.has(name)) {
        if (side.size >= STAR_TABLES) continue;
        side.set(name, other);
      }
    }
    const [from, to] = outgoing ? [table.n, name] : [name, table.n];
    if (kind !== "likely" || !keys.has(from + "\n" + to)) keys.set(from + "\n" + to, {from, to, kind});
  }
  if (!keys.size) return null;
  const columns = [[...left.values()], [table], [...right.values()]].filter(column => column.length);
  return diagram(columns, [...keys.values()], table, "Keys of " + visible(table.l));
}

/** The keys between the tables of a domain. @param {Domain} domain @returns {Key[]} */
function keysInside(domain) {
  if (domain.k) {
    return domain.k.map(([from, to, kind]) => ({from: domain.tables[from].n, to: domain.tables[to].n, kind}));
  }
  const inside = new Set(domain.tables.map(table => table.n));
  return domain.tables.flatMap(table =>
    keysOf(table)
      .filter(([name, outgoing]) => outgoing && inside.has(name))
      .map(([name, , kind]) => ({from: table.n, to: name, kind})),
  );
}

/**
 * The most connected tables of a domain: tables with keys are to the left of those they refer to.
 * @param {Domain} domain
 */
function domainDiagram(domain) {
  const inside = new Map(domain.tables.map(table => [table.n, table]));
  let keys = keysInside(domain);
  /** @type {Map<string, number>} */
  const degree = new Map();
  const weigh = (/** @type {string} */ name) => degree.get(name) || 0;
  for (const {from, to, kind} of keys) {
    for (const end of [from, to]) degree.set(end, weigh(end) + (kind === "likely" ? LIKELY_WEIGHT : 1));
  }
  const ranked = [...degree.keys()].sort((a, b) => weigh(b) - weigh(a) || (a < b ? -1 : 1));
  const shown = new Set(ranked.slice(0, DIAGRAM_TABLES));
  if (!shown.size) return null;
  keys = keys.filter(key => shown.has(key.from) && shown.has(key.to));
  keys.sort((a, b) => Number(a.kind !== "likely") - Number(b.kind !== "likely"));
  keys = [...new Map(keys.map(key => [key.from + "\n" + key.to, key])).values()];
  const columns = layered([...shown].sort(), keys).map(names =>
    names.map(name => inside.get(name)).filter(table => table !== undefined),
  );
  const picture = diagram(columns, keys, null, "Keys between the tables of the domain");
  return {picture, full: shown.size === DIAGRAM_TABLES, left: domain.tables.length - shown.size};
}

/** @param {string[]} names @param {Key[]} keys */
function layered(names, keys) {
  /** @type {Map<string, string[]>} */
  const parents = new Map(names.map(name => [name, []]));
  /** @type {Map<string, number>} */
  const depths = new Map();
  const open = new Set();
  const above = (/** @type {string} */ name) => parents.get(name) || [];
  for (const key of keys) if (key.from !== key.to) above(key.from).push(key.to);
  /** @param {string} name @returns {number} */
  const depth = name => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    if (open.has(name)) return 0;
    open.add(name);
    const deep = Math.max(-1, ...above(name).map(depth)) + 1;
    open.delete(name);
    depths.set(name, deep);
    return deep;
  };
  /** @type {string[][]} */
  const columns = [];
  for (const name of names) (columns[depth(name)] ||= []).push(name);
  const filled = columns.filter(column => column);
  for (let right = 0; right + 1 < filled.length; right++) {
    const rowOf = new Map(filled[right].map((name, row) => [name, row]));
    const wish = (/** @type {string} */ name) => {
      const known = above(name).flatMap(parent => rowOf.get(parent) ?? []);
      return known.length ? known.reduce((sum, row) => sum + row, 0) / known.length : 0;
    };
    filled[right + 1].sort((a, b) => wish(a) - wish(b) || (a < b ? -1 : 1));
  }
  return filled.reverse();
}
