const KINDS = {table: "Table", partitioned_table: "Partitioned table", view: "View",
  materialized_view: "Materialized view", foreign_table: "Foreign table",
  dynamic_table: "Dynamic table", external_table: "External table", iceberg_table: "Iceberg table",
  hybrid_table: "Hybrid table"};
const SOURCES = {human: "Written by a person.", comment: "From the comment in the database.",
  model: "Written by a model.", derived: "Known from {}; nobody has confirmed it."};
const LISTED_CHARS = 300;
const PRIMARY_KEY = 1, FOREIGN_KEY = 2, NULLABLE = 4, UNIQUE = 8;
const SHAPELESS = /^(bigint|date|double|float|integer|number|numeric|real|smallint|time)/;

// Control characters, and marks that turn the direction of writing, are told instead of obeyed.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
function visible(text) {
  return String(text).replace(UNSEEN, mark =>
    "\u27e8U+" + mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");
}

// Prose may join letters as it likes, but not turn what stands beside it.
const TURNING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
function prose(text) { return String(text || "").replace(TURNING, visible); }

// The only way in which text reaches the page: as text nodes.
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) if (value !== null) node.setAttribute(name, value);
  node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== ""));
  return node;
}

const tableLink = name => "#/table/" + encodeURIComponent(name);
const databaseLink = name => "#/database/" + encodeURIComponent(name);
const domainLink = (database, name) => "#/domain/" + encodeURIComponent(database) + "/" + encodeURIComponent(name);
const code = text => element("code", {dir: "ltr"}, visible(text));
const counted = (number, noun) => number.toLocaleString("en-US") + " " + noun + (number === 1 ? "" : "s");
const rows = number => number === undefined || number < 0 ? "unknown" : number.toLocaleString("en-US");
const joined = (nodes, between = ", ") => nodes.flatMap((node, place) => place ? [between, node] : [node]);

function tableName(name) {
  const table = tables.get(name);
  return table ? element("a", {href: tableLink(name)}, element("bdi", {}, visible(table.l)))
    : element("bdi", {}, visible(name));
}

function trail(...steps) {
  return element("nav", {class: "trail", "aria-label": "Where you are"}, joined(steps, " / "));
}

function heading(text) { return element("h1", {tabindex: "-1"}, element("bdi", {}, visible(text))); }
function about(text) { return element("p", {class: "about", dir: "auto"}, prose(text)); }

function section(title, ...content) {
  return element("section", {}, element("h2", {}, title), ...content);
}

// `heads` are [title, class]; a row is a list of cells, each a list of nodes and texts.
function grid(label, heads, body) {
  const head = element("tr", {}, heads.map(([title, kind]) =>
    element("th", {scope: "col", class: kind === "number" ? "number" : null}, title)));
  const lines = body.map(cells => element("tr", {}, cells.map((cell, place) =>
    element("td", {class: heads[place][1] || null}, cell))));
  const table = element("table", {"aria-label": label}, element("thead", {}, head), element("tbody", {}, lines));
  return element("div", {class: "scroll"}, table);
}

function sql(text, language = "SQL") {
  const block = element("div", {class: "sql"}, element("pre", {dir: "ltr", tabindex: "0"}, element("code", {}, text)));
  if (navigator.clipboard) {
    const button = element("button", {type: "button", "aria-label": "Copy this " + language}, "Copy");
    button.addEventListener("click", () => navigator.clipboard.writeText(text).then(
      () => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed"; }));
    block.append(button);
  }
  return block;
}

function catalogView() {
  const parts = [heading(catalog.n), about(catalog.s)];
  for (const database of databases.values()) {
    const link = element("a", {href: databaseLink(database.n)}, element("bdi", {}, visible(database.n)));
    parts.push(section(link, domainGrid(database)));
  }
  parts.push(element("p", {class: "foot"}, "Press / to search, the arrow keys to go through what was found, Escape to ",
    "clear it. The address of every page can be shared."));
  return parts;
}

function domainGrid(database) {
  return grid("Domains of " + visible(database.n), [["Domain", "name"], ["Tables", "number"], ["Description", "wide"]],
    database.domains.map(domain => [[element("a", {href: domainLink(database.n, domain.n)}, domain.h)],
      [rows(domain.tables.length)], [prose(domain.s)]]));
}

function databaseView(database) {
  return [trail(element("a", {href: "#/"}, "Catalog"), visible(database.n)), heading(database.n), about(database.s),
    section("Domains", domainGrid(database))];
}

function domainView(database, domain) {
  const parts = [trail(element("a", {href: "#/"}, "Catalog"),
    element("a", {href: databaseLink(database.n)}, visible(database.n)), domain.n), heading(domain.h), about(domain.s),
    element("p", {class: "facts"}, "Domain \u00b7 " + counted(domain.tables.length, "table"))];
  const heads = [["Table", "name"], ["Rows, about", "number"], ["Columns", "number"], ["Description", "wide"]];
  parts.push(section("Tables", grid("Tables of the domain", heads, domain.tables.map(table =>
    [[tableName(table.n)], [rows(table.r)], [rows((table.c || []).length)], [prose(cut(table.s, LISTED_CHARS))]]))));
  const keys = domainDiagram(domain.tables);
  if (keys) {
    const more = " Only the most connected tables are drawn; " + counted(keys.left, "table") + " left out.";
    parts.push(section("Diagram", keys.picture, element("p", {class: "soft"}, legend(), keys.left > 0 ? more : "")));
  }
  if (domain.j) parts.push(section("Common joins", domain.j.map(sql)));
  if (domain.x) {
    parts.push(section("Related domains", grid("Related domains", [["Domain", ""], ["Keys between them", "number"]],
      domain.x.map(([name, keys]) => [[element("a", {href: domainLink(database.n, name)}, name)], [rows(keys)]]))));
  }
  parts.push(correction(database, domain.al, "domains: " + domain.n + ":", ["title:", "description:"]));
  return parts;
}

function legend() {
  return "An arrow leads from the table that holds a key to the table that it refers to; a dashed one may be empty, " +
    "a dotted one is likely and not declared.";
}

function tableView(table) {
  const database = databases.get(table.b);
  const facts = [KINDS[table.k] || table.k, counted((table.c || []).length, "column")];
  if (table.k !== "view") facts.push(table.r < 0 ? "number of rows unknown" : "about " + counted(table.r, "row"));
  if (table.p) facts.push(counted(table.p, table.k === "table" ? "inheriting table" : "partition"));
  const line = element("p", {class: "facts"}, facts.join(" \u00b7 "));
  if (table.pk) line.append(" \u00b7 primary key ", ...joined(table.pk.map(code)));
  const parts = [trail(element("a", {href: "#/"}, "Catalog"),
    element("a", {href: databaseLink(table.b)}, visible(table.b)),
    element("a", {href: domainLink(table.b, table.d)}, table.d), element("bdi", {}, visible(table.l))),
    heading(table.l), about(table.s), line, element("p", {class: "facts guess"},
      table.s ? (SOURCES[table.o] || "").replace("{}", table.w || "the catalog") : "Not described yet.")];
  if (table.no) {
    const notes = table.no.map(note => element("li", {}, prose(note)));
    parts.push(section("Good to know", element("ul", {class: "notes"}, notes)));
  }
  parts.push(section("Columns", columnGrid(table)), ...relationParts(table), ...constraintParts(table));
  const samples = sampleGrid(table);
  if (samples) parts.push(section("Sample values", samples));
  if (table.v) parts.push(section("Definition", sql(table.v)));
  if (table.g) parts.push(section("To describe", ...gapParts(table, database)));
  parts.push(correction(database, table.al, "tables: " + JSON.stringify(table.l) + ":", ["description:", "columns:"]));
  return parts;
}

function gapParts(table, database) {
  return [element("p", {class: "soft"}, "Most worth a sentence of yours, in ", code(database ? database.f : ""), ":"),
    sql(table.g, "YAML")];
}

function correction(database, line, under, keys) {
  const file = code(database ? database.f : ""), kept = "; your words are never overwritten.";
  return line
    ? element("p", {class: "foot"}, "Something wrong or missing? Correct it in ", file, ", line " + line + kept)
    : element("p", {class: "foot"}, "Something wrong or missing? Write it in ", file, " under ", code(under), " as ",
      code(keys[0]), " or ", code(keys[1]), kept);
}

function columnGrid(table) {
  const parents = new Map();
  for (const [name, outgoing, own] of table.e || []) {
    if (outgoing) for (const column of own) if (!parents.has(column)) parents.set(column, name);
  }
  const heads = [["Column", "name"], ["Type", "type"], ["Key", "key"], ["Nullable", ""], ["Default", "default"],
    ["Description", "wide"]];
  return grid("Columns", heads, (table.c || []).map(column => {
    const [name, type, flags = 0, text, source, otherwise, , , values, kind, basis] = column;
    const keys = [];
    if (flags & PRIMARY_KEY) keys.push(tag("PK", "primary key"));
    else if (flags & UNIQUE) keys.push(tag("UK", "unique"));
    if (flags & FOREIGN_KEY) keys.push(tag("FK", "foreign key"), parents.has(name) ? tableName(parents.get(name)) : "");
    const said = [element("span", {dir: "auto"}, prose(text))];
    if (values && source !== "derived") said.push(" Values: ", ...joined(values.map(code)), ".");
    if (basis) said.push(" ", element("span", {class: "basis"}, "\u00b7 " + basis));
    if (kind) said.push(" ", tag(kind === "value" ? "hidden" : "hidden: possible " + kind, "values are masked"));
    return [[code(name)], [code(type)], keys, [flags & NULLABLE ? "yes" : "no"],
      [otherwise ? code(otherwise) : ""], said];
  }));
}

function tag(text, meaning) { return element("span", {class: "tag", title: meaning}, text); }

function relationParts(table) {
  const parts = table.e ? declaredParts(table) : [];
  if (table.lk) parts.push(section("Likely keys (not declared)", likelyGrid(table)));
  const picture = starDiagram(table);
  if (picture) parts.splice(table.e ? 1 : parts.length, 0, element("p", {class: "soft"}, legend()), picture);
  return parts;
}

function likelyGrid(table) {
  const heads = [["", "type"], ["Table", "name"], ["This table\u2019s column = the other\u2019s", ""], ["Why", "wide"]];
  return grid("Likely keys", heads, table.lk.map(([name, outgoing, own, other, why]) => [
    [outgoing ? "likely refers to" : "likely referred to by"], [tableName(name)], paired(own, other), [prose(why)]]));
}

function paired(own, other) {
  return joined(own.map((column, place) => element("span", {}, code(column), " = ", code(other[place]))), " and ");
}

function declaredParts(table) {
  const heads = [["", "type"], ["Table", "name"], ["This table\u2019s column = the other\u2019s", ""],
    ["Meaning", "wide"]];
  const body = table.e.map(([name, outgoing, own, other, text]) => [
    [outgoing ? "refers to" : "referred to by"], [tableName(name)], paired(own, other), [prose(text)]]);
  const parts = [section("Relationships", grid("Relationships", heads, body))];
  const joins = table.e.map(relation => relation[6]).filter(text => text);
  const more = table.e.length - joins.length;
  const rest = element("p", {class: "soft"}, counted(more, "more join") + " can be written from the relationships.");
  parts.push(section("Joins", joins.map(sql), more > 0 ? rest : null));
  return parts;
}

function constraintParts(table) {
  const parts = [], list = names => joined((names || []).map(code));
  if (table.u) {
    parts.push(section("Unique keys", grid("Unique keys", [["Key", ""], ["Columns", ""]],
      table.u.map(([name, columns]) => [[code(name)], list(columns)]))));
  }
  if (table.ix) {
    const heads = [["Index", ""], ["Columns", ""], ["Unique", ""], ["Only rows where", ""]];
    parts.push(section("Indexes", grid("Indexes", heads, table.ix.map(([name, columns, unique, where]) =>
      [[code(name)], list(columns), [unique ? "yes" : "no"], [where ? code(where) : ""]]))));
  }
  if (table.ch) {
    parts.push(section("Checks", grid("Checks", [["Check", ""], ["Every row satisfies", "wide"]],
      table.ch.map(([name, condition]) => [[code(name)], [code(condition)]]))));
  }
  return parts;
}

function sampleGrid(table) {
  const body = [];
  for (const [name, type, , , , , samples, patterns] of table.c || []) {
    const shapes = SHAPELESS.test(type) ? [] : patterns || [];
    const values = samples || [];
    if (values.length || shapes.length) body.push([[code(name)], joined(values.map(code)), joined(shapes.map(code))]);
  }
  const heads = [["Column", ""], ["Values", ""], ["Shapes of values that are not shown", ""]];
  return body.length ? grid("Sample values", heads, body) : null;
}
