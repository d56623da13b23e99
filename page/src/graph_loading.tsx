// Diagrams and maps: their code and the keys that they draw are loaded when one is shown.
import * as preact from "preact";
import {type ComponentType, h} from "preact";
import * as hooks from "preact/hooks";
import {type App, useApp, useLoaded} from "./app";
import {type Catalog, type Database, type Domain, domainLink, type Table, tableLink} from "./data/catalog";
import {type Keys, keysOfPart} from "./data/keys";
import {keysOfRecords} from "./data/record_keys";
import {domainPart, type Source} from "./data/source";
import {FOREIGN, PRIMARY} from "./data/types";
import type {DiagramProps, GraphTable, LineageProps, MapProps} from "./graph/props";
import type {KeysPart} from "./joins/types";
import {own} from "./text";
import {Loading, Problem} from "./ui";

interface Graph {
  Diagram: ComponentType<DiagramProps>;
  DatabaseMap: ComponentType<MapProps>;
  LineageDrawing: ComponentType<LineageProps>;
}

let register: (graph: Graph) => void = () => {};
const registered = new Promise<Graph>(resolve => {
  register = resolve;
});
Object.assign(globalThis, {tribalShared: {preact, hooks}, tribalGraph: (graph: Graph) => register(graph)});

let loading: Promise<Graph> | undefined;

/** The graph code: a script next to the page, or the second script of the one file. */
function loadGraph(source: Source): Promise<Graph> {
  if (source.form === "file") return registered;
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.addEventListener("error", () => {
      loading = undefined;
      reject(new Error("the code of diagrams cannot be read; reload the page"));
    });
    script.src = `${document.documentElement.dataset.parts ?? ""}graph.js`;
    document.head.append(script);
    registered.then(resolve);
  });
  return loading;
}

/** The keys of all tables, made once for a catalog. */
export function loadKeys({catalog, source}: App): Promise<Keys> {
  let keys = known.get(catalog);
  if (!keys) {
    keys = source.form === "file" ? Promise.resolve(keysOfRecords(catalog.places)) : keysOfSource(source, catalog);
    keys.catch(() => known.delete(catalog));
    known.set(catalog, keys);
  }
  return keys;
}

const known = new WeakMap<Catalog, Promise<Keys>>();

async function keysOfSource(source: Source, catalog: Catalog): Promise<Keys> {
  return keysOfPart(await source.part<KeysPart>("keys"), namesOf(catalog));
}

/** Full names of tables by place. */
export const namesOf = (catalog: Catalog) => catalog.places.map(table => table.n);

export function graphTable(catalog: Catalog, name: string): GraphTable {
  const table = catalog.tables.get(name);
  if (!table) return {name, label: name};
  return {name, label: table.l, href: tableLink(name), description: table.s};
}

async function columnsOf({catalog, source}: App, name: string) {
  const table = catalog.tables.get(name);
  if (!table) return [];
  await source.table(table, catalog);
  return (table.c ?? []).map(([column, type, flags = 0]) => ({
    name: column,
    type,
    primary: Boolean(flags & PRIMARY),
    foreign: Boolean(flags & FOREIGN),
  }));
}

type DbmlPart = {[table: string]: [block: string, refs: [other: string, ref: string][]]};

/** The DBML of tables, from the parts of their domains. */
async function dbmlOf({catalog, source}: App, names: string[]): Promise<string> {
  const tables = names.flatMap(name => catalog.tables.get(name) ?? []);
  const domains = new Set(tables.flatMap(table => catalog.domainOf(table) ?? []));
  const parts = await Promise.all(
    [...domains].map(domain => source.part<DbmlPart>(domainPart(source, "dbml", domain))),
  );
  const known: DbmlPart = Object.assign({}, ...parts);
  const shown = new Set(names);
  const blocks = names.flatMap(name => own(known, name)?.[0] ?? []);
  const refs = names.flatMap(name =>
    (own(known, name)?.[1] ?? []).filter(([other]) => shown.has(other)).map(([, ref]) => ref),
  );
  return `${[...blocks, refs.join("\n")].join("\n\n").trim()}\n`;
}

interface DiagramOfProps {
  label: string;
  start: string[];
  focus?: string;
}

/** A diagram of tables, or of one table and what its keys lead to. */
export function DiagramOf({label, start, focus}: DiagramOfProps) {
  const app = useApp();
  const {value, problem} = useLoaded("diagram", () => Promise.all([loadGraph(app.source), loadKeys(app)]));
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  const [{Diagram}, keys] = value;
  return (
    <Diagram
      key={`${focus ?? ""} ${start.length}`}
      label={label}
      start={start}
      focus={focus}
      keys={keys}
      tables={name => graphTable(app.catalog, name)}
      allColumns={name => columnsOf(app, name)}
      dbml={app.source.form === "file" ? undefined : names => dbmlOf(app, names)}
    />
  );
}

export function LineageOf(props: LineageProps) {
  const {source} = useApp();
  const {value, problem} = useLoaded("lineage", () => loadGraph(source));
  if (problem) return <Problem problem={problem} />;
  return value ? <value.LineageDrawing {...props} /> : <Loading />;
}

export function MapOfDatabase({database, small}: {database: Database; small?: boolean}) {
  const app = useApp();
  const {value, problem} = useLoaded("map", () => loadGraph(app.source));
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  return (
    <value.DatabaseMap
      label={`Map of ${database.n}`}
      small={small}
      domains={database.domains.map(domain => mapDomain(app.catalog, domain))}
      keys={() => loadKeys(app)}
    />
  );
}

function mapDomain(catalog: Catalog, domain: Domain) {
  return {
    name: domain.n,
    title: domain.h,
    href: domainLink(domain.b, domain.n),
    description: domain.s ?? "",
    tables: domain.tables.map((table: Table) => graphTable(catalog, table.n)),
    links: domain.x ?? [],
  };
}
