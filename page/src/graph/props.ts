// What the page gives to diagrams and maps.
import type {KeyColumn, Keys} from "../data/keys";

export interface GraphTable {
  name: string;
  label: string;
  /** Missing for tables that have no page. */
  href?: string;
  description?: string;
}

export type GraphColumn = KeyColumn & {type: string};

export interface DiagramProps {
  /** Accessible name, such as "Keys of billing.invoice". */
  label: string;
  tables: (name: string) => GraphTable;
  keys: Keys;
  /** One table, or all tables of a domain. */
  start: string[];
  /** The table in the middle: neighbours of 1 or 2 steps are drawn too. */
  focus?: string;
  allColumns: (name: string) => Promise<GraphColumn[]>;
  dbml?: (names: string[]) => Promise<string>;
}

export interface MapDomain {
  name: string;
  title: string;
  href: string;
  description: string;
  tables: GraphTable[];
  links: [other: string, keys: number][];
}

export interface MapProps {
  label: string;
  domains: MapDomain[];
  /** The picture on the first view: no field, and a click opens the domain. */
  small?: boolean;
  keys: () => Promise<Keys>;
}

export interface LineageNode extends GraphTable {
  /** Columns that the lines begin or end at. */
  columns: string[];
}

export interface LineageFlow {
  id: string;
  from: string;
  fromColumn: string;
  to: string;
  toColumn: string;
  /** Describes it in a sentence. */
  title: string;
}

export interface LineageProps {
  label: string;
  nodes: LineageNode[];
  flows: LineageFlow[];
  focus: string;
  /** The chosen flow. */
  chosen?: string;
  choose: (id: string) => void;
}
