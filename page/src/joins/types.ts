// The part of the data for diagrams and joins, which `page_data/joins.py` writes, and the answer that is found in it.
// Tables are given by their places in the catalog, columns by their numbers in `c`.

/** The number of one column, or those of several. */
export type Columns = number | number[];

/** A column as it is named, or that with how SQL and sentences write it where they differ. */
export type ColumnName = string | [name: string, sql: string, sentence: string];

export const NULLABLE = 1;
export const INFERRED = 2;
/** The key's own columns are unique. */
export const ONE = 4;
/** The key's own columns identify a row of a table that extends the other one. */
export const ALONE = 8;
/** The key's own columns and those of one more key identify a row. */
export const WITH_ANOTHER = 16;
export const OTHER_NOT_UNIQUE = 32;
/** The key is not in the index; it counts only where keys of the index do not connect two tables. */
export const GUESSED = 64;

/** A key; of `cost` and what follows, diagrams have nothing. Lines are in the order in which equal steps are taken. */
export type KeyLine = [
  from: number,
  to: number,
  own: Columns,
  other: Columns,
  flags: number,
  cost?: number,
  roles?: number,
  confidence?: number,
  evidence?: number[],
];

/** What it costs to pass a table, and which tables are hubs; what is left out costs `n.transit`. */
export interface Passing {
  t: [place: number, any?: number, upAndDown?: number, downAndUp?: number][];
  h: Record<string, string>;
}

export interface Limits {
  hops: number;
  mostHops: number;
  moreHops: number;
  compared: number;
  extended: number;
  extra: number;
  step: number;
  across: number;
  transit: [any: number, upAndDown: number, downAndUp: number];
  nearlyEqual: number;
  nearlyEqualBridges: number;
  otherMeaning: number;
  subject: number;
  alternatives: number;
  rows: number;
}

export interface JoinsPart extends Passing {
  /** Tables in SQL; 0 if that is `schema.table` as in the catalog. Zeros at the end are left out. */
  q: (string | 0)[];
  /** Each database: number of tables, what their full names begin with, why they are not joined to others. */
  b: [tables: number, prefix: string, reason: string][];
  /** Number of each table's schema. */
  s: number[];
  /** By two numbers of schemas whose columns were compared: the guessed keys; 0 if there are none. */
  g: Record<string, (Passing & {k: number[]}) | 0>;
  /** Pieces of evidence for inferred keys. */
  v: Evidence[];
  w: [code: string, message: string][];
  n: Limits;
}

export interface KeysPart {
  c: ColumnName[];
  /** Columns of each table's primary key. */
  p: Columns[];
  k: KeyLine[];
  /** Only in a site; a server is asked for joins. */
  j?: JoinsPart;
}

export interface Evidence {
  kind: string;
  of: string;
  compared?: number;
  found?: number;
}

export interface JoinStep {
  step: number;
  from_table: string;
  to_table: string;
  join_type: "INNER" | "LEFT";
  on_clause: string;
  from_alias: string;
  to_alias: string;
  fans_out?: boolean;
  source?: "inferred";
  confidence?: number;
  evidence?: Evidence[];
}

export interface JoinAlternative {
  path: JoinStep[];
  hop_count: number;
  sql_snippet: string;
  reasons: string[];
}

export interface JoinWarning {
  code: string;
  message: string;
}

/** What `get_join_path` answers. */
export interface JoinAnswer {
  path_found: boolean;
  hop_count?: number;
  path?: JoinStep[];
  sql_snippet?: string;
  alternatives?: JoinAlternative[];
  warnings?: JoinWarning[];
}
