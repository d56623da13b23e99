// Where the data comes from: all of it inside the page; parts as scripts next to it; or parts from a server.
import {Catalog, type Domain, type Table} from "./catalog";

const TOKEN = "tribal.token";

/** The server requires a token. */
export class TokenRequired extends Error {
  override message = "the server requires a token; reload the page";
}

/** What went wrong, in words for the reader. */
export function messageOf(problem: unknown): string {
  if (problem instanceof TokenRequired) return "The token is no longer accepted; reload the page.";
  // What browsers say of a lost connection does not help.
  if (problem instanceof TypeError) return "The server cannot be reached. Try again.";
  return problem instanceof Error ? problem.message : String(problem);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

export interface Source {
  form: "file" | "site" | "server";
  catalog: () => Promise<Catalog>;
  /** Load the rest of a table, or of a domain. */
  table: (table: Table, catalog: Catalog) => Promise<void>;
  domain: (domain: Domain, catalog: Catalog) => Promise<void>;
  /** A part by name, loaded once. */
  part: <Part>(name: string) => Promise<Part>;
}

type Load = (name: string) => Promise<unknown>;

const registered = new Map<string, (value: unknown) => void>();
Object.assign(globalThis, {tribalPart: (name: string, value: unknown) => registered.get(name)?.(value)});

/** The folder of a site's files. */
const folder = () => document.documentElement.dataset.parts ?? "";

/** Run a script of the site; what it registers by name is the result. */
function fromScript(name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    registered.set(name, resolve);
    script.addEventListener("error", () => reject(new Error(`the file of ${name} cannot be read; reload the page`)));
    script.src = `${folder()}${name}.js`;
    document.head.append(script);
  });
}

/**
 * Ask the server, with the token of this tab if there is one.
 * @param input the body of a POST
 */
export async function fromServer<Answer>(path: string, input?: object, signal?: AbortSignal): Promise<Answer> {
  const body = input && JSON.stringify(input);
  const answer = await ask(path, {method: input ? "POST" : "GET", body, signal}, "application/json");
  checkGeneration(answer.headers.get("X-Tribal-Generation"));
  return answer.json().catch(() => ({}));
}

/** Ask the server to remove something. */
export const removeFromServer = (path: string) => ask(path, {method: "DELETE"}, "application/json");

/** Send a form with files. */
export async function sendForm<Answer>(path: string, body: FormData): Promise<Answer> {
  return (await ask(path, {method: "POST", body}, "application/json")).json();
}

/** Ask the server, and give each event of its answer to `take` when it arrives. */
export async function streamFromServer(
  path: string,
  input: object,
  signal: AbortSignal,
  take: (event: unknown) => void,
): Promise<void> {
  const answer = await ask(path, {method: "POST", body: JSON.stringify(input), signal}, "text/event-stream");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    const events = (text + piece.value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) take(JSON.parse(event.slice("data: ".length)));
  }
}

async function ask(path: string, request: RequestInit, accept: string): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN);
  const headers: Record<string, string> = {Accept: accept};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (typeof request.body === "string") headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {...request, headers});
  if (answer.status === 401) throw new TokenRequired();
  if (answer.ok) return answer;
  const value = await answer.json().catch(() => ({}));
  throw new Error(value.error?.message || value.message || `the server answers ${answer.status}`);
}

let generation: string | null = null;

/** Parts refer to each other by positions: with another generation of the index, all of them are loaded again. */
function checkGeneration(found: string | null): void {
  if (generation !== null && found !== null && found !== generation) location.reload();
  generation = found ?? generation;
}

/** Reports are about what others do meanwhile, so a server is asked for them on each visit. */
const REPORTS = /^(changes|definitions|exam|state|todo)\b/;

/** Load each part once, except reports of a server; one that failed is loaded again. */
function once(load: Load, form: Source["form"]): Load {
  const loaded = new Map<string, Promise<unknown>>();
  return name => {
    if (form === "server" && REPORTS.test(name)) return load(name);
    const before = loaded.get(name);
    if (before) return before;
    const loading = load(name);
    loading.catch(() => loaded.delete(name));
    loaded.set(name, loading);
    return loading;
  };
}

function inParts(
  form: Source["form"],
  load: Load,
  partOf: (table: Table, catalog: Catalog) => string,
  partOfDomain: (domain: Domain) => string,
): Source {
  const part = once(load, form) as Source["part"];
  return {
    form,
    part,
    catalog: async () => Catalog.ofPart(await part("catalog")),
    table: async (table, catalog) => {
      if (!table.whole) catalog.takeTables(await part(partOf(table, catalog)));
    },
    domain: async (domain, catalog) => {
      if (!domain.whole) catalog.takeDomain(domain, await part(partOfDomain(domain)));
    },
  };
}

const asQuery = (values: Record<string, string>) => new URLSearchParams(values).toString();

const SOURCES: Record<string, () => Source> = {
  file: () => ({
    form: "file",
    catalog: async () => Catalog.ofRecords(JSON.parse(document.getElementById("data")?.textContent || "[]")),
    table: async () => {},
    domain: async () => {},
    part: async name => {
      throw new Error(`this file has no part ${name}`);
    },
  }),
  site: () =>
    inParts(
      "site",
      fromScript,
      (table, catalog) => `tables-${Math.floor(table.place / catalog.group)}`,
      domain => `domain-${domain.place}`,
    ),
  server: () =>
    inParts(
      "server",
      name => fromServer(`v1/page/${name}`),
      table => `table?${asQuery({name: table.n})}`,
      domain => `domain?${asQuery({database: domain.b, domain: domain.n})}`,
    ),
};

/** The source that the page was made for. */
export function pageSource(): Source {
  const make = SOURCES[document.documentElement.dataset.source ?? "file"];
  if (!make) throw new Error("the page does not say where its data is");
  return make();
}

/** The name of a domain's part with a prefix: by number in a site, by a query on a server. */
export function domainPart(source: Source, prefix: string, domain: Domain): string {
  return source.form === "server"
    ? `${prefix}?${asQuery({database: domain.b, domain: domain.n})}`
    : `${prefix}-${domain.place}`;
}
