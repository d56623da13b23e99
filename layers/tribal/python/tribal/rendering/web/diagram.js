const BOX_HEIGHT = 28, ROW_HEIGHT = 40, COLUMN_GAP = 80, LABEL_CHARS = 36, DIAGRAM_TABLES = 24, STAR_TABLES = 12;
const LIKELY_WEIGHT = 0.0001;

function drawn(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function cut(text, limit) {
  const characters = Array.from(text);
  return characters.length > limit ? characters.slice(0, limit - 1).join("") + "\u2026" : text;
}

// `columns` are lists of tables from left to right; `keys` are {from, to, kind}, where the kind is a class of the arrow
// that leads to the parent.
function diagram(columns, keys, own, label) {
  const places = new Map();
  const tallest = Math.max(...columns.map(tables => tables.length));
  let x = 1;
  for (const tables of columns) {
    const widths = tables.map(table => Math.min(Array.from(visible(table.l)).length, LABEL_CHARS) * 7.6 + 24);
    const width = Math.max(60, ...widths);
    const top = (tallest - tables.length) * ROW_HEIGHT / 2;
    tables.forEach((table, row) => places.set(table.n, {x, y: top + row * ROW_HEIGHT + 8, width}));
    x += width + COLUMN_GAP;
  }
  const width = x - COLUMN_GAP + 40, height = tallest * ROW_HEIGHT + 12;
  const picture = drawn("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label});
  for (const key of keys) picture.append(...arrow(places.get(key.from), places.get(key.to), key.kind));
  for (const table of columns.flat()) picture.append(box(table, places.get(table.n), table === own));
  return element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": label}, picture);
}

function box(table, place, own) {
  const text = drawn("text", {x: place.x + 12, y: place.y + 19}, cut(visible(table.l), LABEL_CHARS));
  const frame = drawn("rect", {x: place.x, y: place.y, width: place.width, height: BOX_HEIGHT, rx: 5});
  const full = drawn("title", {}, visible(table.l) + ": " + cut(table.s || "", 200));
  if (own) return drawn("g", {class: "own"}, full, frame, text);
  return drawn("a", {href: tableLink(table.n)}, full, frame, text);
}

function arrow(child, parent, kind) {
  const y1 = child.y + BOX_HEIGHT / 2, y2 = parent.y + BOX_HEIGHT / 2, x1 = child.x + child.width;
  const forward = parent.x > x1;
  const x2 = forward ? parent.x : parent.x + parent.width;
  const bend = forward ? Math.max(30, (x2 - x1) / 2) : 34;
  const low = child === parent ? 8 : 0;
  const c2 = forward ? x2 - bend : x2 + bend, tip = forward ? -7 : 7;
  const line = `M${x1} ${y1 - low}C${x1 + bend} ${y1 - low} ${c2} ${y2 + low} ${x2 + tip} ${y2 + low}`;
  const head = `M${x2} ${y2 + low}l${tip * 1.2} -4v8z`;
  const edge = drawn("path", {class: ("edge " + kind).trim(), d: line});
  return [edge, drawn("path", {class: "head", d: head})];
}

// The keys of a table as [other table, whether this one holds it, kind]; a likely one counts where none is declared.
function keysOf(table) {
  const declared = (table.e || []).map(([name, outgoing, , , , optional]) =>
    [name, outgoing, optional ? "optional" : ""]);
  return declared.concat((table.lk || []).map(([name, outgoing]) => [name, outgoing, "likely"]));
}

// A table between those that refer to it and those that it refers to.
function starDiagram(table) {
  const left = new Map(), right = new Map(), keys = new Map();
  for (const [name, outgoing, kind] of keysOf(table)) {
    const other = tables.get(name) || {n: name, l: name};
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

// The most connected tables of a domain: who holds keys stands left of what the keys refer to.
function domainDiagram(members) {
  const inside = new Map(members.map(table => [table.n, table]));
  const degree = new Map();
  let keys = [];
  for (const table of members) {
    for (const [name, outgoing, kind] of keysOf(table)) {
      if (!outgoing || !inside.has(name)) continue;
      keys.push({from: table.n, to: name, kind});
      const weight = kind === "likely" ? LIKELY_WEIGHT : 1;
      for (const end of [table.n, name]) degree.set(end, (degree.get(end) || 0) + weight);
    }
  }
  const ranked = [...degree.keys()].sort((a, b) => degree.get(b) - degree.get(a) || (a < b ? -1 : 1));
  const shown = new Set(ranked.slice(0, DIAGRAM_TABLES));
  if (!shown.size) return null;
  keys = keys.filter(key => shown.has(key.from) && shown.has(key.to));
  keys.sort((a, b) => (a.kind !== "likely") - (b.kind !== "likely"));
  keys = [...new Map(keys.map(key => [key.from + "\n" + key.to, key])).values()];
  const columns = layered([...shown].sort(), keys).map(names => names.map(name => inside.get(name)));
  const picture = diagram(columns, keys, null, "Keys between the tables of the domain");
  return {picture, left: ranked.length - shown.size};
}

function layered(names, keys) {
  const parents = new Map(names.map(name => [name, []])), depths = new Map(), open = new Set();
  for (const key of keys) if (key.from !== key.to) parents.get(key.from).push(key.to);
  const depth = name => {
    if (depths.has(name)) return depths.get(name);
    if (open.has(name)) return 0;
    open.add(name);
    const found = Math.max(-1, ...parents.get(name).map(depth)) + 1;
    open.delete(name);
    depths.set(name, found);
    return found;
  };
  const columns = [];
  for (const name of names) (columns[depth(name)] ||= []).push(name);
  const filled = columns.filter(column => column);
  for (let right = 0; right + 1 < filled.length; right++) {
    const rows = new Map(filled[right].map((name, row) => [name, row]));
    const wish = name => {
      const known = parents.get(name).filter(parent => rows.has(parent)).map(parent => rows.get(parent));
      return known.length ? known.reduce((sum, row) => sum + row, 0) / known.length : 0;
    };
    filled[right + 1].sort((a, b) => wish(a) - wish(b) || (a < b ? -1 : 1));
  }
  return filled.reverse();
}
