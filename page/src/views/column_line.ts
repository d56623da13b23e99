// A column as it is shown.
import type {Table} from "../data/catalog";
import {type ColumnRecord, PRIMARY} from "../data/types";

const SHAPELESS =
  /^(bigint|date|double precision|float|integer|number|numeric|real|smallint|time|timestamp)(?=$|[ ([])/;

interface Reference {
  table: string;
  /** The column that it refers to. */
  column?: string;
  likely: boolean;
  why: string;
}

/** A column as it is shown. */
export interface ColumnLine {
  name: string;
  type: string;
  flags: number;
  text: string;
  source: string;
  filled: string;
  samples: string[];
  patterns: string[];
  values: string[];
  hidden: string;
  basis: string;
  meanings: {[value: string]: string};
  hasOthers: boolean;
  meaningSource: string;
  /** Whether the text lists the values. */
  isListed: boolean;
  references: Reference[];
  position: number;
}

export function columnLine(record: ColumnRecord, position: number, table: Table): ColumnLine {
  const [
    name,
    type,
    flags = 0,
    text = "",
    source = "",
    filled,
    samples,
    patterns,
    values,
    hidden,
    basis,
    meanings,
    others,
    by,
    listed,
  ] = record;
  return {
    name,
    type,
    flags,
    text,
    source,
    position,
    filled: filled || "",
    samples: samples || [],
    patterns: SHAPELESS.test(type) ? [] : patterns || [],
    values: values || [],
    hidden: hidden || "",
    basis: basis || "",
    meanings: meanings || {},
    hasOthers: Boolean(others),
    meaningSource: by || "",
    isListed: Boolean(listed),
    references: referencesOf(name, table),
  };
}

function referencesOf(column: string, table: Table): Reference[] {
  const declared = (table.e ?? [])
    .filter(([, outgoing, own]) => outgoing && own.includes(column))
    .map(([name, , own, other, why]) => ({table: name, column: other[own.indexOf(column)], likely: false, why}));
  const likely = (table.lk ?? [])
    .filter(([, outgoing, own]) => outgoing && own.includes(column))
    .map(([name, , own, other, why]) => ({table: name, column: other[own.indexOf(column)], likely: true, why}));
  return [...declared, ...likely];
}

const SOURCE_WORDS: Record<string, string> = {human: "person", comment: "comment", model: "model"};

/** Where the meaning of a column is known from. */
export function fromWords(line: ColumnLine): string {
  if (line.text) return SOURCE_WORDS[line.source] ?? (line.basis.replace(/^from (its |the )?/, "") || "name");
  if (line.flags & PRIMARY) return "primary key";
  const [reference] = line.references;
  if (reference) return reference.likely ? "likely key" : "foreign key";
  if (line.values.length) return "check";
  return line.filled.startsWith("generated") ? "generated" : "";
}
