const KINDS = {
  table: "Table",
  partitioned_table: "Partitioned table",
  partition: "Partition",
  view: "View",
  materialized_view: "Materialized view",
  foreign_table: "Foreign table",
  dynamic_table: "Dynamic table",
  external_table: "External table",
  iceberg_table: "Iceberg table",
  hybrid_table: "Hybrid table",
};
const DIALECTS = {postgres: "PostgreSQL", snowflake: "Snowflake"};
const SOURCES = {
  human: "Written by a person.",
  comment: "From the comment in the database.",
  model: "Written by a model.",
  derived: "Known from {}; no one has confirmed it.",
};
const PRIMARY_KEY = 1,
  FOREIGN_KEY = 2,
  NULLABLE = 4,
  UNIQUE = 8;
const SHAPELESS = /^(bigint|date|double|float|integer|number|numeric|real|smallint|time)/;

/** @param {Table} table */
function tableView(table) {
  const database = databases.get(table.b);
  const known = [
    (KINDS[/** @type {keyof typeof KINDS} */ (table.k)] || table.k) +
      (table.q ? " in " + (DIALECTS[/** @type {keyof typeof DIALECTS} */ (table.q)] || table.q) : ""),
    counted((table.c || []).length, "column"),
  ];
  if (table.k !== "view")
    known.push(
      table.r < 0 ? "number of rows unknown" : "about " + counted(table.r, "row") + (table.ra ? " on " + table.ra : ""),
    );
  if (table.p) known.push(counted(table.p, table.k === "table" ? "inheriting table" : "partition"));
  if (table.ow) known.push("owner " + visible(table.ow));
  const line = element("p", {class: "facts"}, known.join(" \u00b7 "));
  if (table.pk) line.append(" \u00b7 primary key ", ...present(joined(table.pk.map(code))));
  /** @type {Child[]} */
  const parts = [
    trail(
      element("a", {href: "#/"}, "Catalog"),
      element("a", {href: databaseLink(table.b)}, visible(table.b)),
      element("a", {href: domainLink(table.b, table.d)}, table.d),
      element("bdi", {}, visible(table.l)),
    ),
    heading(table.l),
    about(table.s),
    line,
    element(
      "p",
      {class: "facts guess"},
      table.s
        ? (SOURCES[/** @type {keyof typeof SOURCES} */ (table.o)] || "").replace("{}", table.w || "the catalog")
        : "Not described yet.",
    ),
  ];
  if (table.no) {
    const notes = table.no.map(note => element("li", {}, prose(note)));
    parts.push(section("Good to know", element("ul", {class: "notes"}, notes)));
  }
  parts.push(openQuestions(table));
  if (source.served) parts.push(remembered(table));
  parts.push(section("Columns", columnGrid(table)), ...relationParts(table), ...constraintParts(table));
  const samples = sampleGrid(table);
  if (samples) parts.push(section("Sample values", samples));
  if (table.v) parts.push(section("Definition", sql(table.v)));
  if (table.g) parts.push(section("To describe", ...gapParts(table.g, database)));
  const byHand = correction(
    database,
    table.al,
    under("tables: " + JSON.stringify(table.l) + ":", "description:", "columns:"),
  );
  parts.push(corrections(tableSubject(table), byHand));
  return parts;
}

/**
 * The questions that a table leaves open, asked for each time, and no section without any.
 * @param {Table} table
 */
function openQuestions(table) {
  const place = element("div", {});
  /** @param {OpenQuestions} open */
  const add = open => {
    if (!open.length) return;
    const lines = open.map(([column, ...blocked]) =>
      element("li", {}, column ? code(column) : "The table", ": ", ...lacking(blocked), blockedQuestions(blocked)),
    );
    place.append(section("Questions that it leaves open", element("ul", {class: "notes"}, lines)));
  };
  if (source.served)
    fromServer("v1/page/questions?name=" + encodeURIComponent(table.n)).then(add, problem =>
      place.append(about("The questions that it leaves open could not be loaded: " + problem.message)),
    );
  else add(table.qs || []);
  return place;
}

/** What questions found missing. @param {Blocked} blocked @returns {Child[]} */
function lacking([count, , lacks]) {
  const what = lacks.map(each => visible(each).replace(/\.$/, "")).join("; ");
  return [what ? what + " \u00b7 " : "", counted(count, "question")];
}

/** The questions themselves, as far as they may be shown. @param {Blocked} blocked */
function blockedQuestions([count, questions]) {
  if (!questions.length) return null;
  const lines = questions.map(each => element("li", {}, element("q", {dir: "auto"}, visible(each))));
  const more = count - questions.length;
  if (more > 0) lines.push(element("li", {class: "soft"}, `and ${rows(more)} more`));
  return element("ul", {class: "inside"}, lines);
}

/**
 * What others decided and learned of a table: their words, asked for each time, and nothing if they are empty.
 * @param {Table} table
 */
function remembered(table) {
  const place = element("div", {});
  fromServer("v1/page/remembered?name=" + encodeURIComponent(table.n)).then(
    items => {
      const isMemory = (/** @type {Remembered} */ item) => item.kind === "memory";
      addGuidance(
        place,
        "Decided",
        items.filter((/** @type {Remembered} */ item) => !isMemory(item)),
      );
      addGuidance(place, "Remembered by others", items.filter(isMemory));
    },
    () => {}, // The page of the table is whole without.
  );
  return place;
}

/**
 * A section of what others decided or learned, unless it is empty.
 * @param {HTMLElement} place
 * @param {string} heading
 * @param {Remembered[]} items
 */
function addGuidance(place, heading, items) {
  if (!items.length) return;
  const lines = items.map(item => {
    const which = item.kind === "memory" ? "" : ` ${item.kind} ${visible(item.id)},`;
    const whose = `${which} ${item.layer}, by ${visible(item.author)}, ${item.age} ago`;
    return element("li", {}, visible(item.text), element("span", {class: "soft"}, whose));
  });
  place.append(section(heading, element("ul", {class: "notes"}, lines)));
}

/** @param {Table} table @returns {Subject} */
function tableSubject(table) {
  const columns = (table.c || []).map(([name, , , text, told]) => ({
    label: "Column " + name,
    column: name,
    shown: text,
    own: told === "human",
  }));
  return {
    named: {table: table.n},
    sayings: [{label: "What the table is", shown: table.s, own: table.o === "human"}, ...columns],
  };
}

/** @param {string} lines @param {Database | undefined} database */
function gapParts(lines, database) {
  return [
    element("p", {class: "soft"}, "What to document first, in ", code(database ? database.f : ""), ":"),
    sql(lines, "YAML"),
  ];
}

/** @param {Table} table */
function columnGrid(table) {
  /** @type {Map<string, string>} */
  const parents = new Map();
  for (const [name, outgoing, own] of table.e || []) {
    if (outgoing) for (const column of own) if (!parents.has(column)) parents.set(column, name);
  }
  /** @type {[string, string][]} */
  const heads = [
    ["Column", "name"],
    ["Type", "type"],
    ["Key", "key"],
    ["Nullable", ""],
    ["Default", "default"],
    ["Description", "wide"],
  ];
  return grid(
    "Columns",
    heads,
    (table.c || []).map(column => {
      const [name, type, flags = 0, text, source, otherwise, , , values, , basis, meanings, others, by] = column;
      /** @type {Child[]} */
      const keys = [];
      const parent = parents.get(name);
      if (flags & PRIMARY_KEY) keys.push(tag("PK", "primary key"));
      if (flags & UNIQUE) keys.push(tag("UK", "unique"));
      if (flags & FOREIGN_KEY) keys.push(tag("FK", "foreign key"), parent ? tableName(parent) : "");
      /** @type {Child[]} */
      const said = [element("span", {dir: "auto"}, prose(text))];
      if (values && (meanings || !listsValues(text, source, values)))
        said.push(
          " Values: ",
          ...joined(values.map(value => allowed(value, meanings ? meanings[value] : ""))),
          (others ? " and others" : "") + (by ? visible(by) : "") + ".",
        );
      if (basis) said.push(" ", element("span", {class: "basis"}, "\u00b7 " + basis));
      return [
        [code(name)],
        [code(type)],
        keys,
        [flags & NULLABLE ? "yes" : "no"],
        [otherwise ? code(otherwise) : ""],
        said,
      ];
    }),
  );
}

/**
 * Whether a description made by rules already lists the allowed values.
 * @param {string | undefined} text
 * @param {string | undefined} source
 * @param {string[]} values
 */
function listsValues(text, source, values) {
  return source === "derived" && values.every(value => (text || "").includes(value));
}

/** @param {string} value @param {string | undefined} meaning */
function allowed(value, meaning) {
  return meaning ? element("span", {}, code(value), " (" + visible(meaning) + ")") : code(value);
}

/** @param {string} text @param {string} meaning */
function tag(text, meaning) {
  return element("span", {class: "tag", title: meaning}, text);
}

/** @param {Table} table */
function relationParts(table) {
  /** @type {Child[]} */
  const parts = table.e ? declaredParts(table.e) : [];
  if (table.lk) parts.push(section("Likely keys (not declared)", likelyGrid(table.lk)));
  const picture = starDiagram(table);
  if (picture) parts.splice(table.e ? 1 : parts.length, 0, element("p", {class: "soft"}, legend()), picture);
  if (table.rd || table.rb)
    parts.push(section("Lineage", ...readTables("Reads ", table.rd), ...readTables("Read by ", table.rb)));
  return parts;
}

/** @param {string} label @param {[string[], number] | undefined} read */
function readTables(label, read) {
  if (!read) return [];
  const [names, total] = read;
  const more = total - names.length;
  return [element("p", {}, label, ...present(joined(names.map(tableName))), more > 0 ? ` and ${more} more` : "", ".")];
}

/** @param {LikelyKey[]} keys */
function likelyGrid(keys) {
  /** @type {[string, string][]} */
  const heads = [
    ["Direction", "type"],
    ["Table", "name"],
    ["This table\u2019s column = the other\u2019s", ""],
    ["Why", "wide"],
  ];
  return grid(
    "Likely keys",
    heads,
    keys.map(([name, outgoing, own, other, why]) => [
      [outgoing ? "likely refers to" : "likely referred to by"],
      [tableName(name)],
      paired(own, other),
      [prose(why)],
    ]),
  );
}

/** @param {string[]} own @param {string[]} other */
function paired(own, other) {
  return joined(
    own.map((column, place) => element("span", {}, code(column), " = ", code(other[place]))),
    " and ",
  );
}

/** @param {Relation[]} relations */
function declaredParts(relations) {
  /** @type {[string, string][]} */
  const heads = [
    ["Direction", "type"],
    ["Table", "name"],
    ["This table\u2019s column = the other\u2019s", ""],
    ["Meaning", "wide"],
  ];
  const body = relations.map(([name, outgoing, own, other, text]) => [
    [outgoing ? "refers to" : "referred to by"],
    [tableName(name)],
    paired(own, other),
    [prose(text)],
  ]);
  const parts = [section("Relationships", grid("Relationships", heads, body))];
  const joins = relations.flatMap(relation => relation[6] || []);
  const more = relations.length - joins.length;
  const rest = element("p", {class: "soft"}, counted(more, "more join") + " can be written from the relationships.");
  parts.push(
    section(
      "Joins",
      joins.map(join => sql(join)),
      more > 0 ? rest : null,
    ),
  );
  return parts;
}

/** @param {Table} table */
function constraintParts(table) {
  const parts = [],
    list = (/** @type {string[] | undefined} */ names) => joined((names || []).map(code));
  if (table.u) {
    parts.push(
      section(
        "Unique keys",
        grid(
          "Unique keys",
          [
            ["Key", ""],
            ["Columns", ""],
          ],
          table.u.map(([name, columns]) => [[code(name)], list(columns)]),
        ),
      ),
    );
  }
  if (table.ix) {
    /** @type {[string, string][]} */
    const heads = [
      ["Index", ""],
      ["Columns", ""],
      ["Unique", ""],
      ["Only rows where", ""],
    ];
    parts.push(
      section(
        "Indexes",
        grid(
          "Indexes",
          heads,
          table.ix.map(([name, columns, unique, where, included]) => [
            [code(name)],
            [...list(columns), ...(included ? [", includes ", ...list(included)] : [])],
            [unique],
            [where ? code(where) : ""],
          ]),
        ),
      ),
    );
  }
  if (table.ch) {
    parts.push(
      section(
        "Checks",
        grid(
          "Checks",
          [
            ["Check", ""],
            ["Condition", "wide"],
          ],
          table.ch.map(([name, condition, state]) => [[code(name)], [code(condition), state || ""]]),
        ),
      ),
    );
  }
  return parts;
}

/** @param {Table} table */
function sampleGrid(table) {
  /** @type {Child[][][]} */
  const body = [];
  for (const [name, type, , , , , samples, patterns, , kind] of table.c || []) {
    const shapes = joined((SHAPELESS.test(type) ? [] : patterns || []).map(code));
    const values = samples || [];
    const hidden = kind ? [kind + (shapes.length ? ": " : ""), ...shapes] : shapes;
    if (values.length || hidden.length) body.push([[code(name)], joined(values.map(code)), hidden]);
  }
  /** @type {[string, string][]} */
  const heads = [
    ["Column", ""],
    ["Values", ""],
    ["Not shown", ""],
  ];
  return body.length ? grid("Sample values", heads, body) : null;
}
