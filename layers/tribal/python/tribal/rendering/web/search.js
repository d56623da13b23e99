function ranked(asked, some) {
  const matches = [];
  for (const table of tables.values()) {
    const points = score(table, asked, some);
    if (points) matches.push({table, points});
  }
  return matches.sort((a, b) => b.points - a.points || byName(a.table, b.table));
}

// Where there are several databases, which one something found is of.
function databaseOf(record) {
  if (databases.size < 2) return null;
  return [" ", element("span", {class: "count"}, "in ", element("bdi", {}, visible(record.b)))];
}

function domainsFound(asked) {
  return [...domains.values()].filter(domain => {
    const words = spaced(domain.h + " " + domain.n);
    return asked.terms.every(one => inText(words, one));
  }).map(domain =>
    element("li", {}, element("a", {href: domainLink(domain.b, domain.n)}, "Domain: " + domain.h, databaseOf(domain))));
}

function tableFound({table, points}, asked) {
  const item = listItem(table, databaseOf(table));
  const hits = (table.c || []).map(column => column[0])
    .filter(name => asked.terms.some(one => inText(spaced(name), one)));
  const told = !hits.length || (points >= NAMED && table.s);
  const said = told ? table.s || "" : "columns " + hits.slice(0, 4).join(", ");
  item.append(element("p", {dir: "auto"}, visible(cut(said, 110))));
  return item;
}

function find() {
  const empty = !search.value.trim();
  tree.hidden = !empty;
  results.hidden = empty;
  if (empty) { found.textContent = ""; results.replaceChildren(); return; }
  const asked = asking(search.value);
  const all = ranked(asked, false);
  const matches = all.length ? all : ranked(asked, true);
  const areas = asked.terms.length ? domainsFound(asked) : [];
  const named = matches.filter(match => match.points >= SAME).length;
  const items = matches.slice(0, RESULTS).map(match => tableFound(match, asked));
  items.splice(Math.min(named, items.length), 0, ...areas);
  const rest = matches.length > RESULTS ? "; the best " + RESULTS + " are shown" : "";
  const partly = all.length ? "" : " with some of these words";
  found.textContent = matches.length ? counted(matches.length, "table") + " found" + partly + rest
    : areas.length ? "No table found" : "Nothing found: no name, column or description has these words.";
  results.replaceChildren(element("ul", {}, items));
  mark();
}
