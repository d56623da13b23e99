// Where the data comes from: all of it inside the page; parts as scripts next to it; or parts from a server.
const TOKEN = "tribal.token";

/** A server asks for a token. */
class TokenWanted extends Error {}

/** @type {Map<string, Promise<any>>} */
const asked = new Map();
/** @type {Map<string, (value: any) => void>} */
const awaited = new Map();

/**
 * Ask once for a part; one that could not be had is asked for again.
 * @param {string} name
 * @param {(name: string) => Promise<any>} load
 * @returns {Promise<any>}
 */
function once(name, load) {
  const before = asked.get(name);
  if (before) return before;
  const loading = load(name);
  loading.catch(() => asked.delete(name));
  asked.set(name, loading);
  return loading;
}

/** @param {string} name */
function fromScript(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    awaited.set(name, resolve);
    script.addEventListener("error", () => reject(new Error(`the file of ${name} cannot be read; reload the page`)));
    script.src = (document.documentElement.dataset.parts || "") + name + ".js";
    document.head.append(script);
  });
}

/**
 * @param {string} path
 * @param {object} [input] the body of a POST
 * @returns {Promise<any>}
 */
async function fromServer(path, input) {
  const token = sessionStorage.getItem(TOKEN);
  /** @type {Record<string, string>} */
  const headers = {Accept: "application/json"};
  if (token) headers.Authorization = "Bearer " + token;
  if (input) headers["Content-Type"] = "application/json";
  const body = input && JSON.stringify(input);
  const answer = await fetch(path, {method: input ? "POST" : "GET", headers, body});
  if (answer.status === 401) throw new TokenWanted();
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error?.message || value.message || "the server answers " + answer.status);
  return value;
}

/** @type {Source} */
const embedded = {
  reports: false,
  served: false,
  start: async () => takeRecords(JSON.parse(there("data").textContent || "[]")),
  table: async () => {},
  domain: async () => {},
  part: async name => {
    throw new Error("this page has no part " + name);
  },
};

/**
 * @param {(name: string) => Promise<any>} load
 * @param {(table: Table) => string} partOf the part that holds a table
 * @param {(domain: Domain) => string} partOfDomain
 * @returns {Source}
 */
function inParts(load, partOf, partOfDomain) {
  /** @param {string} name */
  const part = name => once(name, load);
  return {
    reports: true,
    served: load !== fromScript,
    part,
    start: async () => takeCatalog(await part("catalog")),
    table: async table => {
      if (table.whole) return;
      for (const record of await part(partOf(table))) {
        const known = tables.get(record.n);
        if (known) Object.assign(known, record, {whole: true});
      }
    },
    domain: async domain => {
      if (domain.whole) return;
      const {said, ...more} = await part(partOfDomain(domain));
      Object.assign(domain, more, {whole: true});
      domain.tables.forEach((table, row) => {
        if (!table.whole) table.s = said[row];
      });
    },
  };
}

/** @type {Record<string, () => Source>} */
const SOURCES_OF_DATA = {
  embedded: () => embedded,
  files: () =>
    inParts(
      fromScript,
      table => "tables-" + Math.floor(table.place / group),
      domain => "domain-" + [...domains.values()].indexOf(domain),
    ),
  server: () =>
    inParts(
      name => fromServer("v1/page/" + name),
      table => "table?name=" + encodeURIComponent(table.n),
      domain => `domain?database=${encodeURIComponent(domain.b)}&domain=${encodeURIComponent(domain.n)}`,
    ),
};

const source = SOURCES_OF_DATA[document.documentElement.dataset.source || "embedded"]();

// What the scripts of parts call.
Object.assign(globalThis, {
  tribalPart: (/** @type {string} */ name, /** @type {unknown} */ value) => awaited.get(name)?.(value),
});
