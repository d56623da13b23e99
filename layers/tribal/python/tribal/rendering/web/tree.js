/** @param {Table} table @param {Children} [extra] */
function listItem(table, extra) {
  const name = element("bdi", {}, visible(table.l));
  return element("li", {}, element("a", {href: tableLink(table.n)}, name, extra));
}

/** @param {Table} a @param {Table} b */
function byName(a, b) {
  return a.l < b.l ? -1 : a.l > b.l ? 1 : 0;
}

function drawTree() {
  for (const database of databases.values()) {
    const list = element("ul", {});
    for (const domain of database.domains) list.append(branch(domain));
    const link = element("a", {href: databaseLink(database.n)}, element("bdi", {}, visible(database.n)));
    tree.append(element("div", {class: "database"}, link), list);
  }
  for (const link of document.querySelectorAll("#places a[data-reports]")) {
    /** @type {HTMLElement} */ (link.parentElement).hidden = !source.reports;
  }
}

/** @param {Domain} domain */
function branch(domain) {
  const members = element("ul", {});
  const link = element("a", {href: domainLink(domain.b, domain.n)}, domain.h);
  const summary = element("summary", {}, element("span", {class: "count"}, counted(domain.tables.length, "table")));
  const fold = element("details", {}, summary, members);
  domain.unfold = () => {
    if (!members.firstChild) members.append(...[...domain.tables].sort(byName).map(table => listItem(table)));
    fold.open = true;
  };
  fold.addEventListener("toggle", () => fold.open && domain.unfold?.());
  return element("li", {}, link, fold);
}
