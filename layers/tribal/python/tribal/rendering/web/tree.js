function listItem(table, beside) {
  const name = element("bdi", {}, visible(table.l));
  return element("li", {}, element("a", {href: tableLink(table.n)}, name, beside || null));
}

function byName(a, b) { return a.l < b.l ? -1 : a.l > b.l ? 1 : 0; }

function drawTree() {
  for (const database of databases.values()) {
    const list = element("ul", {});
    for (const domain of database.domains) {
      const members = element("ul", {});
      const link = element("a", {href: domainLink(database.n, domain.n)}, domain.h);
      const summary = element("summary", {}, link, element("span", {class: "count"}, rows(domain.tables.length)));
      domain.fold = element("details", {}, summary, members);
      domain.fill = () => {
        if (!members.firstChild) members.append(...[...domain.tables].sort(byName).map(table => listItem(table)));
      };
      domain.fold.addEventListener("toggle", domain.fill);
      list.append(element("li", {}, domain.fold));
    }
    const link = element("a", {href: databaseLink(database.n)}, element("bdi", {}, visible(database.n)));
    database.fold = element("details", {open: ""}, element("summary", {}, link), list);
    tree.append(database.fold);
  }
}

function open(domain) {
  if (!domain) return;
  databases.get(domain.b).fold.open = true;
  domain.fold.open = true;
  domain.fill();
}
