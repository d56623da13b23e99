const BOX_HEIGHT = 28,
  ROW_HEIGHT = 40,
  COLUMN_GAP = 80,
  LABEL_CHARS = 36,
  CHARACTER = 7.6;

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function drawn(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {string} text */
const labelWidth = text => Math.min(Array.from(visible(text)).length, LABEL_CHARS) * CHARACTER + 24;

/**
 * @param {Table[][]} columns lists of tables from left to right
 * @param {Key[]} keys their kind is a class of the arrow that leads to the parent
 * @param {Table | null} own
 * @param {string} label
 */
function diagram(columns, keys, own, label) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  const tallest = Math.max(...columns.map(column => column.length));
  let x = 1;
  for (const column of columns) {
    const width = Math.max(60, ...column.map(table => labelWidth(table.l)));
    const top = ((tallest - column.length) * ROW_HEIGHT) / 2;
    column.forEach((table, row) => {
      places.set(table.n, {x, y: top + row * ROW_HEIGHT + 8, width: labelWidth(table.l), height: BOX_HEIGHT});
    });
    x += width + COLUMN_GAP;
  }
  const width = x - COLUMN_GAP + 40,
    height = tallest * ROW_HEIGHT + 12;
  const picture = drawn("svg", {viewBox: `0 0 ${width} ${height}`, width, height});
  for (const key of keys) {
    const from = places.get(key.from),
      to = places.get(key.to);
    if (from && to) picture.append(...arrow(from, to, key.kind));
  }
  for (const table of columns.flat()) {
    const place = places.get(table.n);
    if (place) picture.append(box(table, place, table === own));
  }
  return zoomable(picture, label);
}

/** @param {Table} table @param {Place} place @param {boolean} own */
function box(table, place, own) {
  const text = drawn("text", {x: place.x + 12, y: place.y + 19}, cut(visible(table.l), LABEL_CHARS));
  const frame = drawn("rect", {x: place.x, y: place.y, width: place.width, height: place.height, rx: 5});
  const full = drawn("title", {}, visible(table.l) + (table.s ? ": " + prose(cut(table.s, 200)) : ""));
  if (own) return drawn("g", {class: "own"}, full, frame, text);
  // Of a table elsewhere there is no page to open.
  if (!tables.has(table.n)) return drawn("g", {}, full, frame, text);
  return drawn("a", {href: tableLink(table.n)}, full, frame, text);
}

/** @param {Place} child @param {Place} parent @param {string} kind */
function arrow(child, parent, kind) {
  const y1 = child.y + child.height / 2,
    y2 = parent.y + parent.height / 2,
    x1 = child.x + child.width;
  const forward = parent.x > x1;
  const x2 = forward ? parent.x : parent.x + parent.width;
  const bend = forward ? Math.max(30, (x2 - x1) / 2) : 34;
  const low = child === parent ? 8 : 0;
  const c2 = forward ? x2 - bend : x2 + bend,
    tip = forward ? -7 : 7;
  const line = `M${x1} ${y1 - low}C${x1 + bend} ${y1 - low} ${c2} ${y2 + low} ${x2 + tip} ${y2 + low}`;
  const head = `M${x2} ${y2 + low}l${tip * 1.2} -4v8z`;
  return [drawn("path", {class: ("edge " + kind).trim(), d: line}), drawn("path", {class: "head", d: head})];
}
