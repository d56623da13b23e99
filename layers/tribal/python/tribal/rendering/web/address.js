let shows = 0;

/** @param {string} address @returns {Promise<View>} */
async function view(address) {
  const [, kind, first = "", second] = address.split("/").map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const place = PLACES[kind || ""];
  if (place) return {title: place.title, parts: await place.parts(first, second || "")};
  const table = tables.get(first);
  if (kind === "table" && table) {
    await source.table(table);
    domains.get(domainLink(table.b, table.d))?.unfold?.();
    return {title: visible(table.l), parts: tableView(table)};
  }
  const database = databases.get(first);
  if (kind === "database" && database) return {title: visible(first), parts: databaseView(database)};
  const domain = second === undefined ? undefined : domains.get(domainLink(first, second));
  if (kind === "domain" && domain) {
    await source.domain(domain);
    domain.unfold?.();
    return {title: domain.h, parts: domainView(domain)};
  }
  return {title: "Not found", parts: notFound()};
}

/** @type {Record<string, {title: string, parts: (first: string, second: string) => Children[] | Promise<Children[]>}>} */
const PLACES = {
  "": {title: "", parts: catalogView},
  map: {title: "Map", parts: mapView},
  join: {title: "Joins", parts: (from, to) => (source.reports ? joinView(from, to) : notFound())},
  changes: {title: "Changes", parts: () => (source.reports ? changesView() : notFound())},
  state: {title: "Coverage", parts: () => (source.reports ? stateView() : notFound())},
  todo: {title: "To document", parts: () => (source.reports ? todoView() : notFound())},
};

function notFound() {
  return [
    heading("Not found"),
    about("Nothing is documented here under this address. Search for it on the left, or begin at the start."),
    element("p", {}, element("a", {href: "#/"}, "To the start")),
  ];
}

/** Show what the address names. @param {boolean} first whether the page has just been opened */
async function show(first) {
  const address = location.hash.replace(/^#/, "");
  if (address && !address.startsWith("/")) return;
  const turn = ++shows;
  const {title, parts} = await view(address).catch(problemView);
  // The reader has moved to another page while a part was loading.
  if (turn !== shows) return;
  main.replaceChildren(...present(parts.flat()));
  document.title = title ? title + " \u2013 " + catalog.n : catalog.n;
  mark();
  window.scrollTo(0, 0);
  if (!first) main.querySelector("h1")?.focus({preventScroll: true});
}

/** @param {unknown} problem @returns {View} */
function problemView(problem) {
  if (problem instanceof TokenWanted) return {title: "Token", parts: tokenForm()};
  const message = problem instanceof Error ? problem.message : String(problem);
  return {title: "Not loaded", parts: [heading("Not loaded"), about("This could not be loaded: " + message)]};
}

/** The server answers only whom it knows. */
function tokenForm() {
  const input = element("input", {id: "token", type: "password", autocomplete: "off", required: ""});
  const form = element(
    "form",
    {class: "ask"},
    element("label", {for: "token"}, "Token"),
    input,
    element("button", {type: "submit"}, "Go on"),
  );
  form.addEventListener("submit", event => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, input.value.trim());
    start();
  });
  const said = "This server requires a token. It stays in this tab and is forgotten when the tab is closed.";
  return [heading("Token"), about(said), form];
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
