// The page's data as JSON. Names are short because large databases have many values; `rendering/web/records.py` and
// `page_data` write them.

export interface CatalogRecord {
  t: "catalog";
  n: string;
  s: string;
}

export interface DatabaseRecord {
  t: "database";
  n: string;
  s: string;
  /** The annotations file in which people correct its descriptions. */
  f: string;
}

export interface DomainRecord {
  t: "domain";
  b: string;
  n: string;
  /** Title. */
  h: string;
  /** Owner. */
  ow?: string;
  s?: string;
  /** Common joins. */
  j?: string[];
  /** Other domains of the database, and the number of keys between. */
  x?: [string, number][];
  /** Line of the annotations file. */
  al?: number;
}

/** Flags of a column in a table's record. */
export const PRIMARY = 1;
export const FOREIGN = 2;
export const NULLABLE = 4;
export const UNIQUE = 8;
/** Holds personal data or secrets. */
export const SENSITIVE_IN_RECORD = 16;
/** A key, or a name that explains itself. */
export const EXPLAINED = 32;

export type ColumnRecord = [
  name: string,
  type: string,
  flags?: number,
  text?: string,
  source?: string,
  /** Default, identity or generating expression. */
  filled?: string | 0,
  samples?: string[] | 0,
  patterns?: string[] | 0,
  values?: string[] | 0,
  /** Why samples are hidden. */
  hidden?: string | 0,
  /** What a derived text is known from. */
  basis?: string | 0,
  meanings?: {[value: string]: string} | 0,
  /** Whether there are more values than the listed ones. */
  others?: 0 | 1,
  /** Where the meanings come from. */
  meaningSource?: string | 0,
  /** Whether the text lists the allowed values. */
  listed?: 0 | 1,
];

export type RelationRecord = [
  name: string,
  /** Whether this table holds the key. */
  outgoing: 0 | 1,
  own: string[],
  other: string[],
  text: string,
  optional?: 0 | 1,
  /** SQL that joins the two; only in the one file. */
  join?: string | 0,
];

export type LikelyKeyRecord = [name: string, outgoing: 0 | 1, own: string[], other: string[], why: string];

/** The number of blocked questions, some of them, what they found missing, and answers that were marked as wrong. */
export type Blocked = [count: number, questions: string[], lacks: string[], marks?: Mark[]];

/** An answer that someone marked as wrong. */
export type Mark = [id: string, question: string, why: string, by: string, date: string];

/** What a table, as 0, or one of its columns blocks. */
export type OpenQuestions = [column: string | 0, ...blocked: Blocked][];

export interface TableRecord {
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
  /** Source of the description, and what a derived one is known from. */
  o?: string;
  w?: string;
  no?: string[];
  r: number;
  ra?: string;
  p?: number;
  pk?: string[];
  c?: ColumnRecord[];
  u?: [string, string[]][];
  e?: RelationRecord[];
  lk?: LikelyKeyRecord[];
  ix?: [string, string[], string, string?, string[]?][];
  ch?: [string, string, string?][];
  /** The tables that a view reads, and the views that read it, each with their number. */
  rd?: [string[], number];
  rb?: [string[], number];
  v?: string;
  al?: number;
  /** Lines for the annotations file. */
  g?: string;
  /** Only in a site; a server is asked for them. */
  qs?: OpenQuestions;
  rem?: Remembered[];
  /** The table in SQL, if that is not its label, and its columns whose names need quotes there. */
  sn?: string;
  sq?: {[column: string]: string};
}

/** A decision or memory about a table. */
export interface Remembered {
  /** "memory", or the type of a decision. */
  kind: string;
  id: string;
  text: string;
  layer: string;
  author: string;
  /** Not in a site, where it would change. */
  age?: string;
}

export type Sources = {[source: string]: number};

/** The numbers and lists of the first view. */
export interface Home extends Coverage {
  at: string;
  engines: {[engine: string]: number};
  connected: [table: string, connections: number][];
  read: [table: string, readers: number][];
  questions: [text: string, address: string][];
  todo: [table: string, column: string | 0, why: string][];
  changes?: {
    /** A date; empty if it is not known. */
    since: string;
    tables: [added: number, dropped: number, changed: number];
    /** With the name of the table, if it still exists. */
    items: [label: string, what: string, table?: string][];
  };
  exam?: {at: string; answered: number; total: number; blocked: string[]};
}

export interface HomeRecord extends Home {
  t: "home";
}

export type PageRecord = CatalogRecord | DatabaseRecord | DomainRecord | TableRecord | HomeRecord;

/** Flags of a table in the catalog. */
export const DESCRIBED = 1;
export const SENSITIVE = 2;

export type TableLine = [
  label: string,
  text: string,
  rows: number,
  columns: number,
  kind?: string | 0,
  flags?: number,
  connections?: number,
];

/** All that the first view, lists and search need. */
export interface CatalogPart {
  n: string;
  s: string;
  /** Number of tables per part of a site. */
  g: number;
  home: Home;
  databases: {
    n: string;
    s: string;
    f: string;
    q: string;
    k: string;
    domains: {n: string; h: string; s?: string; ow?: string; x?: [string, number][]; tables: TableLine[]}[];
  }[];
}

/** Flags of a column in search. */
export const EXPLAINED_COLUMN = 1;
export const SENSITIVE_COLUMN = 2;

/** The columns of each table, by place. */
export type ColumnsPart = [name: string, text?: string | 0, flags?: number, values?: string | 0][][];

interface Definition {
  /** Whether it is still right. */
  st: "current" | "changed" | "stale" | "broken";
  ow?: string;
  /** The file that has it. */
  f?: string;
  /** Tables. */
  t: string[];
  /** Why it may no longer be right. */
  why?: string[];
}

export interface VerifiedQuery extends Definition {
  q: string[];
  sql: string;
  /** The day on which a person verified it last. */
  on?: string;
}

export interface Metric extends Definition {
  n: string;
  s: string;
  /** Expression and filters in SQL. */
  x: string;
  fi?: string[];
}

export interface Term extends Definition {
  n: string;
  s: string;
  /** Synonyms. */
  sy?: string[];
  /** Columns. */
  c?: string[];
}

/** What people define about the tables. */
export interface DefinitionsPart {
  queries: VerifiedQuery[];
  metrics: Metric[];
  terms: Term[];
  /** Files that cannot be used. */
  unusable?: [file: string, line: number, message: string][];
}

export type Via = "direct" | "computed" | "aggregated" | "filter";

/** What views are made from: tables by place, and columns, which are empty where only the table is known. */
export interface LineagePart {
  edges: [from: number, fromColumn: string, to: number, toColumn: string, via: Via][];
  /** Views whose SQL cannot be followed, and why. */
  problems: [view: number, reason: string][];
}

export type ExamGap = [target: string, category: string, severity: string];

export interface Exam {
  at: string;
  answered: number;
  total: number;
  notAsked: number;
  questions: [text: string, verdict: "answered" | "blocked" | "not_asked", session: string | 0, blockers: ExamGap[]][];
  /** Those that block most questions first. */
  gaps: [...gap: ExamGap, description: string, count: number, questions: string[]][];
  /** Compared with the exam before. */
  newly?: [answered: string[], failing: string[]];
}

export interface ExamPart {
  /** The latest one, and the one before. */
  exams: Exam[];
}

/** What the caller of a server may do, and what waits. */
export interface CallerPart {
  rights: {
    write: boolean;
    propose: boolean;
    interrogate: boolean;
    read_sessions: boolean;
    contribute: boolean;
    upload: boolean;
    ask: boolean;
  };
  waiting: {proposals: number; contributions: number; uploads: number};
  collections: [name: string, title: string, asksModels: boolean][];
}

/** A page of an uploaded document. */
export interface PassagesPart {
  title: string;
  file: string;
  path?: string;
  page: number;
  pages: number;
  passages: string[];
  /** Whether there are more passages. */
  truncated?: boolean;
}

export interface DomainPart {
  j?: string[];
  al?: number;
  /** Descriptions of its tables. */
  said: string[];
}

export interface TodoPart {
  total: number;
  items: [table: string, column: string | 0, refer: number, ...blocked: Blocked][];
  words: [word: string, ...blocked: Blocked][];
  /** Texts that the next run takes over. */
  pending?: [table: string, column: string | 0, text: string][];
}

/** How many tables, and columns that need a description, there are, and how many have one, by source. */
export interface Coverage {
  tables: {n: number; by: Sources};
  columns: {n: number; by: Sources};
}

/** What a run documented, and what its models cost in US dollars. */
export interface PastRun extends Coverage {
  at: string;
  domains: [database: string, domain: string, tables: Coverage["tables"], columns: Coverage["columns"]][];
  usd?: number;
  quoted?: number;
}

export interface StatePart {
  indexed: string;
  /** Oldest first; absent for callers who do not see everything. */
  runs?: PastRun[];
  databases: (Coverage & {
    n: string;
    oldest: string;
    newest: string;
    unread?: string;
    domains: [name: string, coverage: Coverage][];
  })[];
}

export type InsideChange = [what: string, name: string, aspect: string, before: string | null, after: string | null];

export interface ChangesPart {
  /** Runs that the last one can be compared with, newest first. */
  runs: string[];
  before: string;
  after: string;
  why?: string;
  databases: {n: string; problem?: string; tables: [label: string, fate: string, changes: InsideChange[]][]}[];
}
