"""The part of the page's script that reads the records, finds the way by the address, and searches."""

from __future__ import annotations

SCRIPT = r"""
const RESULTS = 100;
const main = document.getElementById("content"), tree = document.getElementById("tree");
const search = document.getElementById("search"), results = document.getElementById("results");
const found = document.getElementById("found");
const databases = new Map(), domains = new Map(), tables = new Map();
let catalog = {n: "Data catalog", s: ""};

for (const record of JSON.parse(document.getElementById("data").textContent)) {
  if (record.t === "catalog") catalog = record;
  else if (record.t === "database") databases.set(record.n, Object.assign(record, {domains: []}));
  else if (record.t === "domain") {
    domains.set(domainLink(record.b, record.n), Object.assign(record, {tables: []}));
    databases.get(record.b).domains.push(record);
  } else if (record.t === "table") {
    tables.set(record.n, record);
    domains.get(domainLink(record.b, record.d)).tables.push(record);
  }
}

function listItem(table) {
  const name = element("bdi", {}, visible(table.l));
  return element("li", {}, element("a", {href: tableLink(table.n)}, name));
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
        if (!members.firstChild) members.append(...[...domain.tables].sort(byName).map(listItem));
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

function haystack(table) {
  return table.hay ||= [table.n.toLowerCase(), (table.c || []).map(column => column[0]).join(" ").toLowerCase(),
    [table.s, ...(table.no || []), ...(table.c || []).map(column => column[3])].join(" ").toLowerCase()];
}

// 0 where a word is missing; else more, the more of the words stand in the table's name, then in its columns'.
function score(table, words) {
  const [name, columns, text] = haystack(table);
  let sum = 0;
  for (const word of words) {
    if (name.includes(word)) sum += name.endsWith(word) ? 9 : 6;
    else if (columns.includes(word)) sum += 3;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
  tree.hidden = words.length > 0;
  results.hidden = !words.length;
  if (!words.length) { found.textContent = ""; results.replaceChildren(); return; }
  const matches = [];
  for (const table of tables.values()) {
    const points = score(table, words);
    if (points) matches.push({table, points});
  }
  matches.sort((a, b) => b.points - a.points || byName(a.table, b.table));
  const list = element("ul", {});
  for (const domain of domains.values()) {
    const text = (domain.h + " " + domain.n).toLowerCase();
    if (words.every(word => text.includes(word))) {
      list.append(element("li", {}, element("a", {href: domainLink(domain.b, domain.n)}, "Domain: " + domain.h)));
    }
  }
  for (const {table} of matches.slice(0, RESULTS)) {
    const item = listItem(table);
    const hits = (table.c || []).map(column => column[0])
      .filter(name => words.some(word => name.toLowerCase().includes(word)));
    const said = hits.length ? "columns " + hits.slice(0, 4).join(", ") : table.s || "";
    item.append(element("p", {dir: "auto"}, visible(cut(said, 110))));
    list.append(item);
  }
  const rest = matches.length > RESULTS ? "; the best " + RESULTS + " are shown" : "";
  found.textContent = counted(matches.length, "table") + " found" + rest;
  results.replaceChildren(list);
  mark();
}

function step(event, offset) {
  const links = [...document.querySelectorAll("aside nav:not([hidden]) a")].filter(link => link.offsetParent);
  const place = links.indexOf(document.activeElement);
  if (document.activeElement !== search && place < 0) return;
  event.preventDefault();
  const next = links[place + offset];
  if (next) next.focus();
  else if (place + offset < 0) search.focus();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "Escape" && search.value) { search.value = ""; find(); search.focus(); }
  else if (event.key === "ArrowDown") step(event, 1);
  else if (event.key === "ArrowUp") step(event, -1);
  else if (event.key === "Enter" && document.activeElement === search) {
    const first = results.querySelector("a");
    if (first) location.hash = first.getAttribute("href");
  }
});
search.addEventListener("input", find);
window.addEventListener("hashchange", show);
drawTree();
show(true);
"""
