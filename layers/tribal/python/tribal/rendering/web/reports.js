const DESCRIBED_BY = {
  human: "by people",
  comment: "by comments",
  model: "by a model",
  derived: "by rules",
  none: "not yet",
};
const DAY = 86_400_000;
const FATES = {
  added: "new",
  dropped: "gone",
  changed: "changed",
  excluded: "left out by the configuration",
  unreadable: "no longer readable",
};

/** @param {string} title @param {string} said */
function reportTop(title, said) {
  return [trail(element("a", {href: "#/"}, "Catalog"), title), heading(title), about(said)];
}

/** How long ago something was, for people. @param {string} time */
function ago(time) {
  const days = Math.floor((Date.now() - Date.parse(time)) / DAY);
  if (!(days >= 0)) return time;
  return days === 0 ? "today" : counted(days, "day") + " ago";
}

/** @param {string} time */
function moment(time) {
  return element("time", {datetime: time}, time.slice(0, 10) + " (" + ago(time) + ")");
}

/** @param {number} part @param {number} whole */
const share = (part, whole) => (whole ? Math.round((100 * part) / whole) + " %" : "\u2013");

async function stateView() {
  /** @type {StatePart} */
  const state = await source.part("state");
  const parts = reportTop("Coverage", "How fresh the documentation is, and how much is described.");
  parts.push(element("p", {class: "facts"}, "Index made ", moment(state.indexed)));
  for (const database of state.databases) {
    const heads = /** @type {[string, string][]} */ ([
      ["", "name"],
      ["", "wide"],
    ]);
    const body = [
      [
        ["Documented"],
        [
          moment(database.oldest),
          database.oldest === database.newest ? null : " to ",
          database.oldest === database.newest ? null : moment(database.newest),
        ],
      ],
      [["Tables"], [rows(database.tables)]],
      ...Object.entries(DESCRIBED_BY).map(([kind, how]) => [
        ["Tables described " + how],
        [rows(database.sources[kind] || 0) + " \u00b7 " + share(database.sources[kind] || 0, database.tables)],
      ]),
      [
        ["Columns described"],
        [`${rows(database.told)} of ${rows(database.columns)} \u00b7 ${share(database.told, database.columns)}`],
      ],
    ];
    if (database.unread) body.unshift([["Not reached by the last run; read"], [moment(database.unread)]]);
    const title = element("bdi", {}, visible(database.n));
    parts.push(section(title, facts("Coverage of " + visible(database.n), heads.length ? body : body)));
  }
  return parts;
}

/** A table of names and values. @param {string} label @param {Child[][][]} body */
function facts(label, body) {
  const lines = body.map(([name, cells]) =>
    element("tr", {}, element("th", {scope: "row"}, ...name), element("td", {}, ...cells)),
  );
  return element("table", {"aria-label": label, class: "state"}, element("tbody", {}, lines));
}

async function changesView() {
  /** @type {ChangesPart} */
  const changes = await source.part("changes");
  const parts = reportTop(
    "Changes",
    changes.why || "What is different in the databases since the run before the last.",
  );
  if (changes.why) return parts;
  parts.push(element("p", {class: "facts"}, "From run ", code(changes.before), " to run ", code(changes.after)));
  for (const database of changes.databases) {
    const title = element("bdi", {}, visible(database.n));
    if (database.problem) parts.push(section(title, about("Not compared: " + database.problem)));
    else if (!database.tables.length) parts.push(section(title, about("Nothing has changed.")));
    else parts.push(section(title, changeGrid(database)));
  }
  return parts;
}

/** @param {ChangesPart["databases"][number]} database */
function changeGrid(database) {
  return grid(
    "Changes of " + visible(database.n),
    [
      ["Table", "name"],
      ["What", ""],
      ["Inside", "wide"],
    ],
    database.tables.map(([label, fate, inside]) => {
      const known = catalogTables.find(table => table.b === database.n && table.l === label);
      return [
        [known ? tableName(known.n) : element("bdi", {}, visible(label))],
        [FATES[/** @type {keyof typeof FATES} */ (fate)] || fate],
        [
          element(
            "ul",
            {class: "inside"},
            inside.map(change => element("li", {}, ...insideChange(change))),
          ),
        ],
      ];
    }),
  );
}

/** @param {InsideChange} change @returns {Child[]} */
function insideChange([what, name, aspect, before, after]) {
  const said = [what, " ", name ? code(name) : null, aspect ? " \u00b7 " + aspect : null];
  if (before === null && after === null) return said;
  if (before === null) return [...said, aspect ? ": now " : " is new: ", code(after || "")];
  if (after === null) return [...said, aspect ? ": was " : " is gone: ", code(before)];
  return [...said, ": ", code(before), " \u2192 ", code(after)];
}

async function todoView() {
  /** @type {TodoPart} */
  const todo = await source.part("todo");
  const parts = reportTop(
    "To document",
    todo.total || todo.words.length
      ? "What to document first, by how many questions it blocks, how many tables refer to it and how unclear its name is."
      : "Everything is described.",
  );
  if (todo.total) {
    const shown = todo.items.length < todo.total ? ", the first " + rows(todo.items.length) + " are listed" : "";
    parts.push(element("p", {class: "facts"}, counted(todo.total, "sentence") + " missing" + shown));
    parts.push(todoGrid(todo.items));
  }
  if (todo.words.length) {
    const said = "Define them as terms, in an annotations file or in databases.yaml.";
    parts.push(section("Words that nothing explains", element("p", {class: "soft"}, said), wordGrid(todo.words)));
  }
  return parts;
}

/** @param {TodoPart["items"]} items */
function todoGrid(items) {
  const isAsked = items.some(([, , , count]) => count);
  /** @type {[string, string][]} */
  const heads = [
    ["Table", "name"],
    ["Column", isAsked ? "type" : "name"],
    ["Tables that refer to it", "number"],
  ];
  if (isAsked) heads.push(["Questions that it blocks", "wide"]);
  return grid(
    "To document",
    heads,
    items.map(([table, column, refer, ...blocked]) => {
      const cells = [[tableName(table)], [column ? code(column) : ""], [rows(refer)]];
      return isAsked ? [...cells, blocked[0] ? [...lacking(blocked), blockedQuestions(blocked)] : []] : cells;
    }),
  );
}

/** @param {TodoPart["words"]} words */
function wordGrid(words) {
  return grid(
    "Words that nothing explains",
    [
      ["Word", "name"],
      ["Questions that it blocks", "wide"],
    ],
    words.map(([word, count, questions]) => [
      [code(word)],
      [counted(count, "question"), blockedQuestions([count, questions, []])],
    ]),
  );
}
