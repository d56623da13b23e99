const LISTED_CHARS = 300;

function catalogView() {
  /** @type {Child[]} */
  const parts = [heading(catalog.n), about(catalog.s)];
  for (const database of databases.values()) {
    const link = element("a", {href: databaseLink(database.n)}, element("bdi", {}, visible(database.n)));
    parts.push(section(link, domainGrid(database)));
  }
  parts.push(
    element(
      "p",
      {class: "foot"},
      "Press / to search, the arrow keys to go through what was found, Escape to ",
      "clear it. The address of every page can be shared.",
    ),
  );
  return parts;
}

/** @param {Database} database */
function domainGrid(database) {
  return grid(
    "Domains of " + visible(database.n),
    [
      ["Domain", "name"],
      ["Tables", "number"],
      ["Description", "wide"],
    ],
    database.domains.map(domain => [
      [element("a", {href: domainLink(database.n, domain.n)}, domain.h)],
      [rows(domain.tables.length)],
      [prose(domain.s)],
    ]),
  );
}

/** @param {Database} database */
function databaseView(database) {
  return [
    trail(element("a", {href: "#/"}, "Catalog"), visible(database.n)),
    heading(database.n),
    about(database.s),
    section("Domains", domainGrid(database)),
    section("Map", databaseMap(database)),
    corrections(
      {named: {database: database.n}, sayings: [{label: "What the database is", shown: database.s}]},
      correction(database, undefined, [" as ", code("description:")]),
    ),
  ];
}

/** @param {Domain} domain */
function domainView(domain) {
  const database = databases.get(domain.b);
  const parts = [
    trail(
      element("a", {href: "#/"}, "Catalog"),
      element("a", {href: databaseLink(domain.b)}, visible(domain.b)),
      domain.n,
    ),
    heading(domain.h),
    about(domain.s),
    element(
      "p",
      {class: "facts"},
      ["Domain", counted(domain.tables.length, "table"), ...(domain.ow ? ["owner " + visible(domain.ow)] : [])].join(
        " \u00b7 ",
      ),
    ),
    section("Tables", tableGrid(domain)),
  ];
  const keys = domainDiagram(domain);
  if (keys) {
    const which = keys.full ? "the most connected tables" : "the tables that keys join";
    const more = " Only " + which + " are drawn; " + counted(keys.left, "table") + " left out.";
    parts.push(section("Diagram", keys.picture, element("p", {class: "soft"}, legend(), keys.left > 0 ? more : "")));
  }
  if (domain.j)
    parts.push(
      section(
        "Common joins",
        domain.j.map(join => sql(join)),
      ),
    );
  if (domain.x && domain.x.length) parts.push(section("Related domains", linkGrid(domain, domain.x)));
  const byHand = correction(database, domain.al, under("domains: " + domain.n + ":", "title:", "description:"));
  /** @type {Saying[]} */
  const sayings = [
    {label: "What the domain is", shown: domain.s},
    {label: "Its title", said: "title", shown: domain.h},
  ];
  parts.push(corrections({named: {database: domain.b, domain: domain.n}, sayings}, byHand));
  return parts;
}

/** @param {Domain} domain */
function tableGrid(domain) {
  return grid(
    "Tables of the domain",
    [
      ["Table", "name"],
      ["Rows, about", "number"],
      ["Columns", "number"],
      ["Description", "wide"],
    ],
    domain.tables.map(table => [
      [tableName(table.n)],
      [rows(table.r)],
      [rows(table.cc)],
      [prose(cut(table.s || "", LISTED_CHARS))],
    ]),
  );
}

/** @param {Domain} domain @param {[string, number][]} links */
function linkGrid(domain, links) {
  return grid(
    "Related domains",
    [
      ["Domain", ""],
      ["Keys between them", "number"],
    ],
    links.map(([name, keys]) => [[element("a", {href: domainLink(domain.b, name)}, name)], [rows(keys)]]),
  );
}

function legend() {
  return (
    "An arrow leads from the table that holds a key to the table that it refers to; a dashed one may be empty, " +
    "a dotted one is likely and not declared."
  );
}

/**
 * Where to correct what is said; a served page that may write puts its form here.
 * @param {Database | undefined} database
 * @param {number | undefined} at
 * @param {Child[]} where
 */
function correction(database, at, where) {
  const file = code(database ? database.f : ""),
    kept = "; your words are never overwritten.";
  return at
    ? element("p", {class: "foot"}, "Something wrong or missing? Correct it in ", file, ", line " + at + kept)
    : element("p", {class: "foot"}, "Something wrong or missing? Write it in ", file, where, kept);
}

/** @param {string} place @param {string} one @param {string} other */
function under(place, one, other) {
  return [" under ", code(place), " as ", code(one), " or ", code(other)];
}
