// The catalog in memory: databases, their domains, and tables in order of their place.

import {own} from "../text";
import {
  type CatalogPart,
  type ColumnsPart,
  DESCRIBED,
  type DomainPart,
  type DomainRecord,
  EXPLAINED,
  EXPLAINED_COLUMN,
  type Home,
  type PageRecord,
  SENSITIVE,
  SENSITIVE_COLUMN,
  SENSITIVE_IN_RECORD,
  type TableRecord,
} from "./types";

export interface Column {
  name: string;
  text: string;
  flags: number;
  /** Allowed values, with their meanings. */
  values: string;
}

export interface Table extends TableRecord {
  place: number;
  /** Whether everything that its view shows is here. */
  whole: boolean;
  columnCount: number;
  described: boolean;
  sensitive: boolean;
  connections: number;
  /** For search; absent until they are loaded. */
  columns?: Column[];
}

export interface Domain extends DomainRecord {
  place: number;
  tables: Table[];
  whole: boolean;
}

export interface Database {
  n: string;
  s: string;
  f: string;
  domains: Domain[];
}

const UNNAMED = "Data catalog";

const NOTHING: Home = {
  at: "",
  engines: {},
  tables: {n: 0, by: {}},
  columns: {n: 0, by: {}},
  connected: [],
  read: [],
  questions: [],
  todo: [],
};

export class Catalog {
  name = UNNAMED;
  text = "";
  home: Home = NOTHING;
  /** Number of tables per part of a site. */
  group = 1;
  readonly databases = new Map<string, Database>();
  readonly domains = new Map<string, Domain>();
  readonly tables = new Map<string, Table>();
  readonly places: Table[] = [];
  hasColumns = false;

  /** The catalog of the one file. */
  static ofRecords(records: PageRecord[]): Catalog {
    const catalog = new Catalog();
    for (const record of records) catalog.#takeRecord(record);
    catalog.hasColumns = true;
    catalog.#nameOnlyDatabase();
    return catalog;
  }

  /** The catalog of a site or server, whose other parts are loaded when they are wanted. */
  static ofPart(part: CatalogPart): Catalog {
    const catalog = new Catalog();
    Object.assign(catalog, {name: part.n, text: part.s, home: part.home, group: part.g});
    for (const {domains, q, k: engine, ...database} of part.databases) {
      catalog.databases.set(database.n, {...database, domains: []});
      for (const {tables, ...domain} of domains) {
        catalog.#takeDomain({t: "domain", b: database.n, ...domain}, false);
        for (const [l, s, r, columnCount, k, flags = 0, connections = 0] of tables) {
          const record: TableRecord = {
            t: "table",
            n: `${q}.${l}`,
            b: database.n,
            d: domain.n,
            l,
            s,
            r,
            k: k || "table",
            q: engine,
          };
          catalog.#takeTable(record, {
            whole: false,
            columnCount,
            described: Boolean(flags & DESCRIBED),
            sensitive: Boolean(flags & SENSITIVE),
            connections,
          });
        }
      }
    }
    catalog.#nameOnlyDatabase();
    return catalog;
  }

  /** A catalog of one database is called by its name. */
  #nameOnlyDatabase(): void {
    const [only, ...others] = this.databases.values();
    if (only && !others.length && this.name === UNNAMED) this.name = only.n;
  }

  domain(database: string, name: string): Domain | undefined {
    return this.domains.get(domainKey(database, name));
  }

  domainOf(table: Table): Domain | undefined {
    return this.domain(table.b, table.d);
  }

  takeColumns(part: ColumnsPart): void {
    part.forEach((columns, place) => {
      const table = this.places[place];
      if (table)
        table.columns = columns.map(([name, text, flags = 0, values]) => ({
          name,
          text: text || "",
          flags,
          values: values || "",
        }));
    });
    this.hasColumns = true;
  }

  takeTables(records: TableRecord[]): void {
    for (const record of records) {
      const known = this.tables.get(record.n);
      if (known) Object.assign(known, record, {whole: true});
    }
  }

  takeDomain(domain: Domain, {said, ...more}: DomainPart): void {
    Object.assign(domain, more, {whole: true});
    domain.tables.forEach((table, row) => {
      if (!table.whole) table.s = said[row];
    });
  }

  #takeRecord(record: PageRecord): void {
    if (record.t === "catalog") Object.assign(this, {name: record.n, text: record.s});
    else if (record.t === "home") this.home = record;
    else if (record.t === "database") this.databases.set(record.n, {...record, domains: []});
    else if (record.t === "domain") this.#takeDomain(record, true);
    else this.#takeTable(record, wholeTable(record));
  }

  #takeDomain(record: DomainRecord, whole: boolean): void {
    const domain = {...record, place: this.domains.size, tables: [], whole};
    this.domains.set(domainKey(record.b, record.n), domain);
    this.databases.get(record.b)?.domains.push(domain);
  }

  #takeTable(record: TableRecord, more: Omit<Table, keyof TableRecord | "place">): void {
    const table = {...record, ...more, place: this.places.length};
    this.tables.set(record.n, table);
    this.places.push(table);
    this.domain(record.b, record.d)?.tables.push(table);
  }
}

const domainKey = (database: string, name: string) => `${database}\n${name}`;

const joined = (value: string, meaning: string | undefined) => (meaning ? `${value}: ${meaning}` : value);

function wholeTable(record: TableRecord): Omit<Table, keyof TableRecord | "place"> {
  const columns = (record.c ?? []).map(([name, , flags = 0, text = "", , , , , values, , , meanings]) => ({
    name,
    text,
    values: (values || []).map(value => joined(value, own(meanings, value))).join("; "),
    flags: (flags & EXPLAINED ? EXPLAINED_COLUMN : 0) + (flags & SENSITIVE_IN_RECORD ? SENSITIVE_COLUMN : 0),
  }));
  return {
    whole: true,
    columnCount: columns.length,
    described: Boolean(record.s) && record.o !== "derived",
    sensitive: columns.some(column => column.flags & SENSITIVE_COLUMN),
    connections: (record.e?.length ?? 0) + (record.lk?.length ?? 0),
    columns,
  };
}

/** The address of a table, or of one of its columns. */
export const sectionLink = (name: string, section: string) => `${tableLink(name)}?section=${section}`;
export const tableLink = (name: string, column?: string) =>
  `#/table/${encodeURIComponent(name)}${column === undefined ? "" : `/${encodeURIComponent(column)}`}`;
export const databaseLink = (name: string) => `#/database/${encodeURIComponent(name)}`;
export const domainLink = (database: string, name: string) =>
  `#/domain/${encodeURIComponent(database)}/${encodeURIComponent(name)}`;
export const joinLink = (from: string, to = "") =>
  `#/join/${encodeURIComponent(from)}${to ? `/${encodeURIComponent(to)}` : ""}`;
/** The address of a verified query, by its file or question, of a metric or of a term. */
export const definitionLink = (name: string) => `#/definitions/${encodeURIComponent(name)}`;
export const searchLink = (query: string) => `#/search/${encodeURIComponent(query)}`;

/** The table's own name, without its schema. */
export function ownName(table: Table): string {
  const [, quoted, plain] = /(?:"((?:[^"]|"")*)"|([^."]*))$/.exec(table.l) ?? [];
  return quoted === undefined ? (plain ?? table.l) : quoted.replaceAll('""', '"');
}

/** The schema in a table's label, as SQL has it. */
export function schemaOf(table: Table): string {
  return /^("(?:[^"]|"")*"|[^".]*)\./.exec(table.l)?.[1] ?? "";
}
