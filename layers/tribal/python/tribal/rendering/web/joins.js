const SUGGESTED = 12;

/** @param {string} from @param {string} to @returns {Promise<Children[]>} */
async function joinView(from, to) {
  const parts = [
    trail(element("a", {href: "#/"}, "Catalog"), "Joins"),
    heading("Joins"),
    about("How two tables are joined, and the SQL for it."),
    joinForm(from, to),
  ];
  if (!from || !to) return parts;
  const [start, end] = [tables.get(from), tables.get(to)];
  if (!start || !end) {
    const missing = visible(start ? to : from);
    return [...parts, element("p", {role: "status"}, `There is no table ${missing}. Choose one from the list.`)];
  }
  return [...parts, ...(source.served ? await askedJoin(start, end) : await declaredJoin(start, end))];
}

/** @param {string} from @param {string} to */
function joinForm(from, to) {
  const one = tableField("from", "From table", from),
    other = tableField("to", "To table", to);
  const form = element(
    "form",
    {class: "ask"},
    ...one.parts,
    ...other.parts,
    element("button", {type: "submit"}, "Find the join"),
  );
  form.addEventListener("submit", event => {
    event.preventDefault();
    const names = [one.input, other.input].map(input => encodeURIComponent(namedTable(input.value)));
    location.hash = "#/join/" + names.join("/");
  });
  return form;
}

/** The full name of the table that was typed. @param {string} typed */
function namedTable(typed) {
  if (tables.has(typed)) return typed;
  const [best] = typed.trim() ? ranked(asking(typed), false) : [];
  return best && best.points >= NAMED ? best.table.n : typed;
}

/** @param {string} id @param {string} label @param {string} value */
function tableField(id, label, value) {
  const options = element("datalist", {id: id + "-tables"});
  const input = element("input", {id, type: "text", autocomplete: "off", spellcheck: "false", list: id + "-tables"});
  input.value = value;
  input.addEventListener("input", () => {
    const best = input.value.trim() ? ranked(asking(input.value), false).slice(0, SUGGESTED) : [];
    options.replaceChildren(...best.map(({table}) => element("option", {value: table.n})));
  });
  return {input, parts: [element("label", {for: id}, label), input, options]};
}

/** @param {Table} start @param {Table} end */
async function declaredJoin(start, end) {
  /** @type {KeysPart} */
  const keys = await source.part("keys");
  const steps = shortestPath(keys, start.place, end.place);
  const looked = element(
    "p",
    {class: "soft"},
    "Found along declared keys alone, with the fewest joins. Likely keys, other paths, and whether rows multiply are ",
    "not looked at here; tribal join and the served page do that.",
  );
  if (!steps) return [element("p", {role: "status"}, "No declared keys lead from the one to the other."), looked];
  const names = steps.map(step => catalogTables[step.to].n);
  return [stepList(start.n, names), section("SQL", sql(joinSql(keys, start.place, steps))), looked];
}

/** @param {Table} start @param {Table} end */
async function askedJoin(start, end) {
  const answer = await fromServer("v1/tools/get_join_path", {source_table: start.n, target_table: end.n});
  /** @type {string[]} */
  const warnings = (answer.warnings || []).map((/** @type {{message: string}} */ warning) => warning.message);
  const notes = warnings.length
    ? [
        element(
          "ul",
          {class: "notes"},
          warnings.map(text => element("li", {}, prose(text))),
        ),
      ]
    : [];
  if (!answer.path_found) {
    return [element("p", {role: "status"}, "No declared or likely keys connect the two tables."), ...notes];
  }
  /** @type {string[]} */
  const names = (answer.path || []).map((/** @type {{to_table: string}} */ step) => step.to_table);
  const others = (answer.alternatives || []).map((/** @type {{reasons?: string[], sql_snippet: string}} */ other) =>
    element("div", {}, element("p", {class: "soft"}, prose((other.reasons || []).join("; "))), sql(other.sql_snippet)),
  );
  return [
    ...notes,
    stepList(start.n, names),
    section("SQL", sql(answer.sql_snippet || "")),
    others.length ? section("Instead", ...others) : null,
  ];
}

/** @param {string} start @param {string[]} names */
function stepList(start, names) {
  const said = names.length ? counted(names.length, "join") + ": " : "The same table: ";
  return element("p", {role: "status"}, said, joined([start, ...names].map(tableName), " \u2192 "));
}
