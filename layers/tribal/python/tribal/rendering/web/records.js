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
