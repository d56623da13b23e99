const main = there("content"),
  tree = there("tree"),
  results = there("results"),
  found = there("found");
const search = /** @type {HTMLInputElement} */ (there("search"));
/** @type {Map<string, Database>} */
const databases = new Map();
/** @type {Map<string, Domain>} */
const domains = new Map();
/** @type {Map<string, Table>} */
const tables = new Map();
/** @type {Table[]} */
const catalogTables = [];
let catalog = {n: "Data catalog", s: ""};
/** So many tables come in one part. */
let group = 1;

/** @param {DatabaseRecord} record */
function takeDatabase(record) {
  databases.set(record.n, {...record, domains: []});
}

/** @param {DomainRecord} record @param {boolean} whole */
function takeDomain(record, whole) {
  const domain = {...record, tables: [], whole};
  domains.set(domainLink(record.b, record.n), domain);
  databases.get(record.b)?.domains.push(domain);
}

/** @param {TableRecord} record @param {boolean} whole @param {number} columns */
function takeTable(record, whole, columns) {
  const table = {...record, whole, place: catalogTables.length, cc: columns};
  tables.set(record.n, table);
  catalogTables.push(table);
  domains.get(domainLink(record.b, record.d))?.tables.push(table);
}

/** @param {PageRecord[]} records */
function takeRecords(records) {
  for (const record of records) {
    if (record.t === "catalog") catalog = record;
    else if (record.t === "database") takeDatabase(record);
    else if (record.t === "domain") takeDomain(record, true);
    else if (record.t === "table") takeTable(record, true, (record.c || []).length);
  }
}

/** @param {CatalogPart} part */
function takeCatalog(part) {
  catalog = part;
  group = part.g;
  for (const {domains: areas, q, ...database} of part.databases) {
    takeDatabase({t: "database", ...database});
    for (const {tables: lines, ...domain} of areas) {
      takeDomain({t: "domain", b: database.n, ...domain}, false);
      for (const [l, s, r, columns, k = "table"] of lines) {
        takeTable({t: "table", n: q + "." + l, b: database.n, d: domain.n, l, s, r, k}, false, columns);
      }
    }
  }
}
