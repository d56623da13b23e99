const RESULTS = 100,
  MEANT = 20,
  PAUSE = 250;
let typed = 0;

/** @param {Asked} asked @param {boolean} some @returns {Match[]} */
function ranked(asked, some) {
  const matches = [];
  for (const table of catalogTables) {
    const points = score(table, asked, some);
    if (points) matches.push({table, points});
  }
  return matches.sort((a, b) => b.points - a.points || byName(a.table, b.table));
}

/** Where there are several databases, which one something found is of. @param {{b: string}} record @returns {Child[]} */
function databaseOf(record) {
  if (databases.size < 2) return [];
  return [" ", element("span", {class: "count"}, "in ", element("bdi", {}, visible(record.b)))];
}

/** @param {Asked} asked */
function domainsFound(asked) {
  return [...domains.values()]
    .filter(domain => {
      const words = spaced(domain.h + " " + domain.n);
      return asked.terms.every(one => inText(words, one));
    })
    .map(domain =>
      element(
        "li",
        {},
        element("a", {href: domainLink(domain.b, domain.n)}, "Domain: " + domain.h, databaseOf(domain)),
      ),
    );
}

/** @param {Match} match @param {Asked} asked */
function tableFound({table, points}, asked) {
  const item = listItem(table, databaseOf(table));
  const hits = columnNames(table).filter(name => asked.terms.some(one => inText(spaced(name), one)));
  const showsSummary = !hits.length || (points >= NAMED && table.s);
  const said = showsSummary ? table.s || "" : "columns " + hits.slice(0, 4).join(", ");
  item.append(element("p", {dir: "auto"}, visible(cut(said, 110))));
  item.append(element("p", {class: "why"}, table.d + " \u00b7 " + why(points, hits.length)));
  return item;
}

/** Why a table was found. @param {number} points @param {number} columns */
function why(points, columns) {
  if (points >= SAME) return "this is its name";
  if (points >= NAMED) return points > 720 ? "by its name" : "by a name like this";
  return columns ? "by its columns" : "by its name, domain or description";
}

function find() {
  const empty = !search.value.trim();
  typed += 1;
  tree.hidden = !empty;
  results.hidden = empty;
  if (empty) {
    found.textContent = "";
    results.replaceChildren();
    return;
  }
  const asked = asking(search.value);
  const all = ranked(asked, false);
  const matches = all.length ? all : ranked(asked, true);
  const areas = asked.terms.length ? domainsFound(asked) : [];
  const named = matches.filter(match => match.points >= SAME).length;
  const items = matches.slice(0, RESULTS).map(match => tableFound(match, asked));
  items.splice(Math.min(named, items.length), 0, ...areas);
  found.textContent = summary(matches, areas.length, !all.length);
  results.replaceChildren(element("ul", {}, items));
  mark();
  if (source.served) window.setTimeout(findMeant, PAUSE, typed, new Set(matches.map(match => match.table.n)));
}

/** @param {Match[]} matches @param {number} areas @param {boolean} partly */
function summary(matches, areas, partly) {
  if (matches.length) {
    const rest = matches.length > RESULTS ? "; the best " + RESULTS + " are shown" : "";
    return counted(matches.length, "table") + " found" + (partly ? " with some of these words" : "") + rest;
  }
  return areas ? "No table found" : "Nothing found: no name, column or description has these words.";
}

/**
 * Add what only the server finds, by meaning, unless more has been typed since.
 * @param {number} at
 * @param {Set<string>} shown
 */
async function findMeant(at, shown) {
  if (at !== typed) return;
  try {
    const answer = await fromServer("v1/tools/search_tables", {query: search.value.trim(), limit: MEANT});
    if (at !== typed) return;
    /** @type {string[]} */
    const names = answer.tables.map((/** @type {{name: string}} */ table) => table.name);
    const more = names.flatMap(name => (shown.has(name) ? [] : tables.get(name) || []));
    if (!more.length) return;
    if (!shown.size) found.textContent = counted(more.length, "table") + " found by meaning";
    const items = more.map(table => {
      const item = listItem(table, databaseOf(table));
      item.append(element("p", {dir: "auto"}, visible(cut(table.s || "", 110))));
      item.append(element("p", {class: "why"}, table.d + " \u00b7 by meaning"));
      return item;
    });
    results.append(element("ul", {"aria-label": "Found by meaning"}, items));
    mark();
  } catch {
    // What was found by names is on the page; without the server there is no more.
  }
}

/** The names of columns come after the first view, when the reader is about to search. */
async function learnColumns() {
  learnWords();
  if (!source.reports) return;
  /** @type {string[][]} */
  const names = await source.part("columns");
  names.forEach((columns, place) => {
    catalogTables[place].names = columns;
  });
  forgetWords();
  learnWords();
  if (search.value.trim()) find();
}
