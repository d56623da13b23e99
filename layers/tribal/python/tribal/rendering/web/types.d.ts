// What the page holds. Names are short because large databases have many; `records.py` and `page_data` write them.

type Child = Node | string | null | undefined;
type Children = Child | Child[];

interface CatalogRecord {
  t: "catalog";
  n: string;
  s: string;
}

interface DatabaseRecord {
  t: "database";
  n: string;
  s: string;
  /** The annotations file in which people correct what is said of it. */
  f: string;
}

interface Database extends DatabaseRecord {
  domains: Domain[];
}

interface DomainRecord {
  t: "domain";
  b: string;
  n: string;
  h: string;
  /** Owner. */
  ow?: string;
  s?: string;
  /** Common joins. */
  j?: string[];
  /** Other domains of the database, and how many keys lead there or from there. */
  x?: [string, number][];
  /** Line of the annotations file. */
  al?: number;
  /** Keys between its tables, by their places in it, each of a kind. */
  k?: [number, number, string][];
}

interface Domain extends DomainRecord {
  tables: Table[];
  whole: boolean;
  unfold?: () => void;
}

type Column = [
  name: string,
  type: string,
  flags?: number,
  text?: string,
  source?: string,
  otherwise?: string | 0,
  samples?: string[] | 0,
  patterns?: string[] | 0,
  values?: string[] | 0,
  kind?: string | 0,
  basis?: string | 0,
  meanings?: {[value: string]: string} | 0,
  others?: 0 | 1,
  by?: string | 0,
];

type Relation = [
  name: string,
  outgoing: 0 | 1,
  own: string[],
  other: string[],
  text: string,
  optional?: 0 | 1,
  join?: string | 0,
];

type LikelyKey = [name: string, outgoing: 0 | 1, own: string[], other: string[], why: string];

interface TableRecord {
  t: "table";
  n: string;
  b: string;
  d: string;
  l: string;
  k: string;
  /** The dialect of its SQL. */
  q?: string;
  ow?: string;
  s?: string;
  o?: string;
  w?: string;
  no?: string[];
  r: number;
  ra?: string;
  p?: number;
  pk?: string[];
  c?: Column[];
  u?: [string, string[]][];
  e?: Relation[];
  lk?: LikelyKey[];
  ix?: [string, string[], string, string?, string[]?][];
  ch?: [string, string, string?][];
  /** The tables that a view reads, and the views that read it, each with how many there are. */
  rd?: [string[], number];
  rb?: [string[], number];
  v?: string;
  al?: number;
  g?: string;
  /** Only in a site; a server is asked for them. */
  qs?: OpenQuestions;
}

interface Searchable {
  own: string;
  words: string[];
  glued: string;
  stems: string;
  place: string;
  columns: string;
  text: string;
}

interface Table extends TableRecord {
  /** Whether everything that its page shows is here. */
  whole: boolean;
  /** Its place in the catalog. */
  place: number;
  /** How many columns it has. */
  cc: number;
  /** The names of its columns, where the columns themselves are not here. */
  names?: string[];
  parts?: Searchable;
}

type PageRecord = CatalogRecord | DatabaseRecord | DomainRecord | TableRecord;

type TableLine = [label: string, said: string, rows: number, columns: number, kind?: string];

/** All that search and lists need. */
interface CatalogPart {
  n: string;
  s: string;
  /** So many tables come in one part of a site. */
  g: number;
  databases: {
    n: string;
    s: string;
    f: string;
    q: string;
    domains: {n: string; h: string; s?: string; x?: [string, number][]; tables: TableLine[]}[];
  }[];
}

/** Keys that joins follow: names as SQL has them, by place in the catalog. */
interface KeysPart {
  q: string[];
  e: [from: number, to: number, own: string[], other: string[], optional: 0 | 1][];
}

/** How many questions are blocked, some of them, and what they found missing. */
type Blocked = [count: number, questions: string[], lacks: string[]];

interface TodoPart {
  total: number;
  items: [table: string, column: string | 0, refer: number, ...blocked: Blocked][];
  words: [word: string, ...blocked: Blocked][];
}

/** What a table, as 0, or one of its columns blocks. */
type OpenQuestions = [column: string | 0, ...blocked: Blocked][];

interface StatePart {
  indexed: string;
  databases: {
    n: string;
    tables: number;
    columns: number;
    told: number;
    sources: {[source: string]: number};
    oldest: string;
    newest: string;
    unread?: string;
  }[];
}

type InsideChange = [what: string, name: string, aspect: string, before: string | null, after: string | null];

interface ChangesPart {
  before: string;
  after: string;
  why?: string;
  databases: {n: string; problem?: string; tables: [label: string, fate: string, changes: InsideChange[]][]}[];
}

interface Key {
  from: string;
  to: string;
  kind: string;
}

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Term {
  word: string;
  root: string;
  names: Set<string>;
  nearly: Set<string>;
  misspelt: boolean;
}

interface Asked {
  text: string;
  terms: Term[];
  glued: string;
  stems: string;
  misspelt: boolean;
}

interface Match {
  table: Table;
  points: number;
}

interface JoinStep {
  from: number;
  to: number;
  own: string[];
  other: string[];
  certain: boolean;
}

interface View {
  title: string;
  parts: Children[];
}

/** One of the things that a person can say about a subject. */
interface Saying {
  label: string;
  said?: "title";
  column?: string;
  /** What the page says now. */
  shown?: string;
  /** Whether a person wrote that. */
  own?: boolean;
}

/** What corrections are about. */
interface Subject {
  named: Record<string, string>;
  sayings: Saying[];
}

/** A decision or memory about a table. */
interface Remembered {
  /** "memory", or the type of a decision. */
  kind: string;
  id: string;
  text: string;
  layer: string;
  author: string;
  age: string;
}

interface Source {
  /** Whether there are the parts that only a served page or a site has. */
  reports: boolean;
  /** Whether a server answers, which searches by meaning and finds joins. */
  served: boolean;
  start: () => Promise<void>;
  table: (table: Table) => Promise<void>;
  domain: (domain: Domain) => Promise<void>;
  part: (name: string) => Promise<any>;
}
