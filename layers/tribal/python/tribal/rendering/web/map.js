// A whole database: its domains as boxes with their first tables, and lines as thick as there are keys between them.
const MAP_TABLES = 5,
  MAP_ROW = 20,
  MAP_GAP = 70,
  MAP_WIDTH = 230,
  // Boxes of a row are staggered; otherwise a line behind a box would look like two lines that end at it.
  MAP_SHIFT = 40,
  ROUNDS = 60;

function mapView() {
  const parts = [trail(element("a", {href: "#/"}, "Catalog"), "Map"), heading("Map")];
  parts.push(
    about(
      "Every domain with some of its tables; the thicker a line, the more declared keys there are between the two domains at its dots.",
    ),
  );
  for (const database of databases.values()) {
    const link = element("a", {href: databaseLink(database.n)}, element("bdi", {}, visible(database.n)));
    parts.push(section(link, databaseMap(database)));
  }
  return parts;
}

/** @param {Database} database */
function databaseMap(database) {
  const areas = arranged(database.domains);
  const wide = Math.ceil(Math.sqrt(areas.length));
  const tall = (MAP_TABLES + 2) * MAP_ROW + 16;
  /** @type {Map<string, Place>} */
  const places = new Map();
  areas.forEach((domain, number) => {
    const x = 1 + (number % wide) * (MAP_WIDTH + MAP_GAP),
      y = 1 + Math.floor(number / wide) * (tall + MAP_GAP) + ((number % wide) % 2) * MAP_SHIFT;
    places.set(domain.n, {x, y, width: MAP_WIDTH, height: tall});
  });
  const width = wide * (MAP_WIDTH + MAP_GAP) - MAP_GAP + 2,
    height = Math.ceil(areas.length / wide) * (tall + MAP_GAP) - MAP_GAP + MAP_SHIFT + 2;
  const picture = drawn("svg", {viewBox: `0 0 ${width} ${height}`, width, height});
  for (const [one, other, keys] of linksBetween(areas)) picture.append(...line(places, one, other, keys));
  for (const domain of areas) {
    const place = places.get(domain.n);
    if (place) picture.append(...domainBox(domain, place));
  }
  return zoomable(picture, "Map of " + visible(database.n));
}

/** Each pair of domains that keys join, once. @param {Domain[]} areas @returns {[string, string, number][]} */
function linksBetween(areas) {
  const known = new Set(areas.map(domain => domain.n));
  /** @type {Map<string, [string, string, number]>} */
  const found = new Map();
  for (const domain of areas) {
    for (const [other, keys] of domain.x || []) {
      const [one, two] = [domain.n, other].sort();
      if (known.has(other) && other !== domain.n) found.set(one + "\n" + two, [one, two, keys]);
    }
  }
  return [...found.values()];
}

/**
 * Domains in an order that keeps joined domains near each other: each moves towards its neighbours.
 * @param {Domain[]} areas
 */
function arranged(areas) {
  const links = linksBetween(areas);
  const order = new Map(areas.map((domain, number) => [domain.n, number]));
  const at = (/** @type {string} */ name) => order.get(name) || 0;
  for (let round = 0; round < ROUNDS; round++) {
    const wishes = areas.map(domain => {
      const near = links.filter(([one, other]) => one === domain.n || other === domain.n);
      const total = near.reduce((sum, [, , keys]) => sum + keys, 0);
      const pull = near.reduce((sum, [one, other, keys]) => sum + keys * at(one === domain.n ? other : one), 0);
      return {name: domain.n, wish: total ? (at(domain.n) + pull / total) / 2 : at(domain.n)};
    });
    wishes.sort((a, b) => a.wish - b.wish || (a.name < b.name ? -1 : 1));
    wishes.forEach(({name}, number) => order.set(name, number));
  }
  return [...areas].sort((a, b) => at(a.n) - at(b.n));
}

/** @param {Map<string, Place>} places @param {string} one @param {string} other @param {number} keys */
function line(places, one, other, keys) {
  const from = places.get(one),
    to = places.get(other);
  if (!from || !to) return [];
  const said = drawn("title", {}, `${visible(one)} and ${visible(other)}: ${counted(keys, "key")}`);
  const [start, end] = [edgeTowards(from, to), edgeTowards(to, from)];
  const width = Math.min(10, 1 + Math.log2(keys + 1));
  const ends = {x1: start.x, y1: start.y, x2: end.x, y2: end.y};
  return [
    drawn("line", {class: "link", ...ends, "stroke-width": width}, said),
    ...[start, end].map(({x, y}) => drawn("circle", {class: "end", cx: x, cy: y, r: 5})),
  ];
}

/** Where the line from the middle of one place to that of another leaves the first. @param {Place} one @param {Place} other */
function edgeTowards(one, other) {
  const [x, y] = [one.x + one.width / 2, one.y + one.height / 2];
  const [across, down] = [other.x + other.width / 2 - x, other.y + other.height / 2 - y];
  const share = Math.min(one.width / 2 / Math.abs(across || 1e-9), one.height / 2 / Math.abs(down || 1e-9));
  return {x: x + across * share, y: y + down * share};
}

/** @param {Domain} domain @param {Place} place */
function domainBox(domain, place) {
  const left = domain.tables.length - MAP_TABLES;
  const title = drawn("text", {class: "title", x: place.x + 12, y: place.y + 24}, cut(domain.h, 26));
  const frame = drawn("rect", {x: place.x, y: place.y, width: place.width, height: place.height, rx: 6});
  const names = domain.tables.slice(0, MAP_TABLES).map((table, row) => {
    const at = {x: place.x + 12, y: place.y + 48 + row * MAP_ROW};
    const text = drawn("text", at, cut(visible(table.l), 27));
    return drawn("a", {href: tableLink(table.n)}, drawn("title", {}, visible(table.l)), text);
  });
  const end = {class: "more", x: place.x + 12, y: place.y + 48 + MAP_TABLES * MAP_ROW};
  const more = left > 0 ? [drawn("text", end, "and " + counted(left, "more table"))] : [];
  return [frame, drawn("a", {href: domainLink(domain.b, domain.n)}, title), ...names, ...more];
}
