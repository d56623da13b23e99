function view(address) {
  const [, kind, first, second] = address.split("/").map(part => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  if (!kind) return {title: "", parts: catalogView()};
  if (kind === "table" && tables.has(first)) {
    const table = tables.get(first);
    open(domains.get(domainLink(table.b, table.d)));
    return {title: visible(table.l), parts: tableView(table)};
  }
  const database = databases.get(first);
  if (kind === "database" && database) return {title: visible(first), parts: databaseView(database)};
  const domain = second === undefined ? undefined : domains.get(domainLink(first, second));
  if (kind === "domain" && domain) {
    open(domain);
    return {title: domain.h, parts: domainView(database, domain)};
  }
  return {title: "Not found", parts: [heading("Not found"),
    about("Nothing is documented here under this address. Search for it on the left, or begin at the start."),
    element("p", {}, element("a", {href: "#/"}, "To the start"))]};
}

function show(first) {
  const address = location.hash.replace(/^#/, "");
  if (address && !address.startsWith("/")) return;
  const {title, parts} = view(address);
  main.replaceChildren(...parts);
  document.title = title ? title + " \u2013 " + catalog.n : catalog.n;
  mark();
  window.scrollTo(0, 0);
  if (first !== true) main.querySelector("h1").focus({preventScroll: true});
}

function mark() {
  for (const link of document.querySelectorAll("aside a[aria-current]")) link.removeAttribute("aria-current");
  for (const link of document.querySelectorAll("aside a")) {
    if (link.getAttribute("href") === (location.hash || "#/")) {
      link.setAttribute("aria-current", "page");
      if (!results.contains(link)) link.scrollIntoView({block: "nearest"});
    }
  }
}
