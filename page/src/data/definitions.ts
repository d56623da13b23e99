// Verified queries, metrics and terms, from one part of a site or server; the one file has none.
import type {Table} from "./catalog";
import type {Source} from "./source";
import type {DefinitionsPart, Metric, VerifiedQuery} from "./types";

const NOTHING: DefinitionsPart = {queries: [], metrics: [], terms: []};

export const loadDefinitions = (source: Source): Promise<DefinitionsPart> =>
  source.form === "file" ? Promise.resolve(NOTHING) : source.part<DefinitionsPart>("definitions");

export interface TableDefinitions {
  queries: VerifiedQuery[];
  metrics: Metric[];
}

/** The definitions that use a table, current ones first. */
export async function definitionsOf(source: Source, table: Table): Promise<TableDefinitions> {
  const {queries, metrics} = await loadDefinitions(source);
  const uses = ({t}: {t: string[]}) => t.includes(table.n);
  return {queries: queries.filter(uses), metrics: metrics.filter(uses)};
}

/** A name or question that is searched; `name` is in the address of its definition. */
export interface SearchedDefinition {
  kind: "verified query" | "metric" | "term";
  name: string;
  text: string;
}

export function searchedDefinitions({queries, metrics, terms}: DefinitionsPart): SearchedDefinition[] {
  return [
    ...queries.flatMap(({q}) => q.map(text => ({kind: "verified query" as const, name: q[0] ?? text, text}))),
    ...metrics.map(({n, s}) => ({kind: "metric" as const, name: n, text: `${n}: ${s}`})),
    ...terms.map(({n, s}) => ({kind: "term" as const, name: n, text: `${n}: ${s}`})),
  ];
}
