// The search of a catalog: by names at once, and as the terminal ranks where a server answers.
import type {Catalog, Table} from "../data/catalog";
import {type SearchedDefinition, searchedDefinitions} from "../data/definitions";
import {fromServer, type Source} from "../data/source";
import type {ColumnsPart, DefinitionsPart} from "../data/types";
import {type Hit, SAME, SearchIndex, type SearchResult} from "./match";
import {stem, wordsOf} from "./words";

/** Most tables that the server ranks. */
export const RANKED = 20;
/** Letters from which on questions and metrics are searched. */
const SEARCHED_LETTERS = 3;

export class Search {
  #index?: SearchIndex;
  #columns?: Promise<void>;
  #definitions: {definition: SearchedDefinition; words: string[]}[] = [];

  constructor(
    private readonly catalog: Catalog,
    private readonly source: Source,
  ) {}

  get index(): SearchIndex {
    this.#index ??= new SearchIndex(this.catalog);
    return this.#index;
  }

  /** Load the names of all columns, when the reader is about to search. */
  prepare(): Promise<void> {
    if (this.catalog.hasColumns) return Promise.resolve();
    this.#columns ??= this.#load().catch(problem => {
      this.#columns = undefined;
      throw problem;
    });
    return this.#columns;
  }

  async #load(): Promise<void> {
    const [columns, definitions] = await Promise.all([
      this.source.part<ColumnsPart>("columns"),
      this.source.part<DefinitionsPart>("definitions"),
    ]);
    this.catalog.takeColumns(columns);
    this.#index = undefined;
    this.#definitions = searchedDefinitions(definitions).map(definition => ({
      definition,
      words: wordsOf(definition.text).map(stem),
    }));
  }

  /** The verified questions, metrics and terms that have all words of a search. */
  definitions(query: string): SearchedDefinition[] {
    const words = wordsOf(query).map(stem);
    if (!words.length || query.trim().length < SEARCHED_LETTERS) return [];
    return this.#definitions
      .filter(each => words.every(word => each.words.some(other => other.startsWith(word))))
      .map(each => each.definition);
  }

  /** The tables that the server finds, by meaning too, in the terminal's order; none in a file or site. */
  async ranked(query: string, signal: AbortSignal): Promise<Table[]> {
    if (this.source.form !== "server") return [];
    const input = {query: query.trim(), limit: RANKED};
    const answer = await fromServer<{tables: {name: string}[]}>("v1/tools/search_tables", input, signal);
    return answer.tables.flatMap(({name}) => this.catalog.tables.get(name) ?? []);
  }
}

/** The hits with the tables in the server's order; columns keep their distance to the tables by their score. */
export function inOrderOf(ranked: Table[], found: SearchResult): Hit[] {
  if (!ranked.length) return found.hits;
  const scores = new Map(found.hits.filter(hit => !hit.column).map(hit => [hit.table, hit.score]));
  let least = Number.POSITIVE_INFINITY;
  const tables = ranked.map((table, place) => {
    least = Math.min(least, scores.get(table) ?? (place ? 1 : SAME));
    return {table, score: least};
  });
  const known = new Set(ranked);
  const others = found.hits.filter(hit => hit.column || !known.has(hit.table));
  const last = tables[tables.length - 1]?.score ?? 0;
  const lower = others.map(hit => (hit.column ? hit : {...hit, score: Math.min(hit.score, last)}));
  return [...tables, ...lower].sort((one, other) => other.score - one.score);
}
