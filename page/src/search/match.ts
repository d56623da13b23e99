// Tables, columns and domains that answer a search: names first, exactly or nearly, then columns and texts.
import {type Catalog, type Column, type Domain, ownName, type Table} from "../data/catalog";
import {bagOf, type Form, formOf, isNear, stem, typosAllowed, wordsOf} from "./words";

/** Lowest score of a name that has all words of the search, and of one that has no others. */
export const NAMED = 600;
export const SAME = 890;
/** Letters from which on the descriptions of columns are searched too. */
const SEARCHED_TEXT = 3;

export interface Hit {
  table: Table;
  /** The column that was found, or the table itself. */
  column?: Column;
  score: number;
}

export interface SearchResult {
  hits: Hit[];
  domains: Domain[];
  /** Whether no hit has all of the words. */
  partly: boolean;
  /** Whether no name here has one of the words, so that names are found that are like it. */
  hasUnknown: boolean;
  terms: string[];
}

interface Term {
  word: string;
  /** Tables that have a column with it. */
  tables: Set<Table>;
  root: string;
  /** Words of names that it begins or that mean the same. */
  names: Set<string>;
  /** Words of names that it may be a misspelling of. */
  nearly: Set<string>;
  isUnknown: boolean;
}

interface Query extends Form {
  text: string;
  terms: Term[];
  hasUnknown: boolean;
}

interface SearchedTable {
  form: Form;
  /** Its schema and domain. */
  place: string;
  text: string;
}

interface SearchedName extends Form {
  name: string;
  at: {table: Table; place: number}[];
}

const spaced = (text: string) => ` ${wordsOf(text).join(" ")} `;

/** What is searched, prepared once for a catalog and again when its columns have arrived. */
export class SearchIndex {
  readonly #tables = new Map<Table, SearchedTable>();
  /** Tables by each of their names, in lower case. */
  readonly #named = new Map<string, Table[]>();
  readonly #columns = new Map<string, SearchedName>();
  readonly #texts: {table: Table; place: number; text: string}[] = [];
  readonly #nameWords = new Set<string>();
  readonly #known = new Set<string>();

  constructor(private readonly catalog: Catalog) {
    for (const table of catalog.places) this.#addTable(table);
  }

  #addTable(table: Table): void {
    const own = ownName(table);
    const searched = {
      form: formOf(own),
      place: spaced([table.n.slice(0, -own.length), table.d, this.catalog.domainOf(table)?.h].join("\n")),
      text: spaced([table.s, ...(table.no ?? [])].join("\n")),
    };
    this.#tables.set(table, searched);
    for (const name of new Set([own.toLowerCase(), table.l.toLowerCase(), table.n.toLowerCase()])) {
      this.#named.set(name, [...(this.#named.get(name) ?? []), table]);
    }
    for (const word of searched.form.words) this.#nameWords.add(word);
    for (const word of wordsOf(searched.place)) this.#known.add(word);
    table.columns?.forEach((column, place) => {
      const name = column.name.toLowerCase();
      let known = this.#columns.get(name);
      if (!known) {
        known = {...formOf(column.name), name, at: []};
        this.#columns.set(name, known);
        for (const word of known.words) this.#nameWords.add(word);
      }
      known.at.push({table, place});
      if (column.text || column.values)
        this.#texts.push({table, place, text: spaced(`${column.text} ${column.values}`)});
    });
  }

  /** The best hits first; ties by connections, then by rows. */
  find(text: string): SearchResult {
    const query = this.#query(text);
    const terms = query.terms.map(term => term.word);
    if (!query.text) {
      const hits = this.catalog.places.map(table => ({table, score: 0}));
      return {hits: hits.sort(byWorth), domains: [], partly: false, hasUnknown: false, terms};
    }
    const all = this.#hits(query, false);
    const hits = all.length ? all : this.#hits(query, true);
    hits.sort(byWorth);
    const domains = terms.length
      ? [...this.catalog.domains.values()].filter(domain => {
          const words = spaced(`${domain.h} ${domain.n}`);
          return query.terms.every(term => isInText(words, term));
        })
      : [];
    return {hits, domains, partly: !all.length, hasUnknown: query.hasUnknown, terms};
  }

  /** The table that has just this name; of several, the most connected. */
  exactly(text: string): Table | undefined {
    const named = this.#named.get(text.toLowerCase()) ?? [];
    return named.map(table => ({table, score: SAME})).sort(byWorth)[0]?.table;
  }

  /** The table that a text names, of equally good ones that in a database, or nothing. */
  named(text: string, database?: string): Table | undefined {
    const known = this.catalog.tables.get(text);
    if (known) return known;
    const [best, ...others] = this.find(text).hits.filter(hit => !hit.column && hit.score >= NAMED);
    const near = others.find(hit => hit.score === best?.score && hit.table.b === database);
    return best?.table.b === database ? best?.table : (near ?? best)?.table;
  }

  #hits(query: Query, some: boolean): Hit[] {
    const columns = this.#columnHits(query, some);
    if (!some && query.glued.length >= SEARCHED_TEXT)
      columns.push(...this.#textHits(query, new Set(columns.map(hit => hit.column))));
    const tables = this.catalog.places.flatMap(table => {
      const score = this.#tableScore(table, query, some);
      return score ? [{table, score}] : [];
    });
    return [...tables, ...columns];
  }

  #columnHits(query: Query, some: boolean): Hit[] {
    const hits: Hit[] = [];
    for (const searched of this.#columns.values()) {
      const own = columnScore(searched, query);
      const isPart = !own && query.terms.some(term => isInName(searched.words, term));
      if (!own && !isPart) continue;
      for (const {table, place} of searched.at) {
        const column = table.columns?.[place];
        const score = own || this.#columnInTable(searched, table, query, some);
        if (column && score) hits.push({table, column, score});
      }
    }
    return hits;
  }

  /** The score of a column whose other words its table or its text has. */
  #columnInTable(searched: SearchedName, table: Table, query: Query, some: boolean): number {
    const known = this.#tables.get(table);
    if (!known) return 0;
    if (query.text.endsWith(`.${searched.name}`)) {
      const name = query.text.slice(0, -searched.name.length - 1);
      if (this.#named.get(name)?.includes(table)) return 1000;
    }
    const rest = query.terms.filter(term => !isInName(searched.words, term));
    if (rest.every(term => isInName(known.form.words, term))) return 740 - Math.min(searched.words.length, 20);
    return some ? 6 * (query.terms.length - rest.length) : 0;
  }

  /** Columns whose descriptions have all words. */
  #textHits(query: Query, before: Set<Hit["column"]>): Hit[] {
    return this.#texts.flatMap(({table, place, text}) => {
      const column = table.columns?.[place];
      if (!column || before.has(column) || !query.terms.every(term => isInText(text, term))) return [];
      return [{table, column, score: 3 * query.terms.length}];
    });
  }

  #query(text: string): Query {
    const words = wordsOf(text);
    const terms = words.map(word => this.#term(word));
    const hasUnknown = terms.some(term => term.isUnknown);
    return {text: text.trim().toLowerCase(), words, terms, glued: words.join(""), bag: bagOf(words), hasUnknown};
  }

  #term(word: string): Term {
    const root = stem(word);
    const begins = (other: string) => other.startsWith(word) || stem(other) === root;
    const names = new Set([...this.#nameWords].filter(begins));
    const isUnknown = !names.size && ![...this.#known].some(begins);
    const most = typosAllowed(word.length);
    const nearly = new Set(isUnknown ? [...this.#nameWords].filter(other => isNear(word, other, most)) : []);
    const tables = new Set<Table>();
    for (const {words, at} of this.#columns.values()) {
      if (words.some(other => names.has(other))) for (const {table} of at) tables.add(table);
    }
    return {word, root, names, nearly, isUnknown, tables};
  }

  /** 0 where a word is missing; or, if `some` of the words will do, where none is in a name. */
  #tableScore(table: Table, query: Query, some: boolean): number {
    const searched = this.#tables.get(table);
    if (!searched) return 0;
    if (!some && this.#named.get(query.text)?.includes(table)) return 1000;
    const named = some ? 0 : nameScore(searched, query);
    if (named) return named;
    let sum = 0;
    for (const term of query.terms) {
      if (isInName(searched.form.words, term)) sum += 12;
      else if (isNearName(searched.form.words, term)) sum += 8;
      else if (term.tables.has(table)) sum += 6;
      else if (some) continue;
      else if (isInText(searched.place, term)) sum += 4;
      else if (isInText(searched.text, term)) sum += 2;
      else if (term.word.length > 2 && searched.text.includes(term.word)) sum += 1;
      else return 0;
    }
    return sum;
  }
}

function byWorth(one: Hit, other: Hit): number {
  return (
    other.score - one.score ||
    other.table.connections - one.table.connections ||
    other.table.r - one.table.r ||
    one.table.place - other.table.place
  );
}

const isInName = (words: string[], {names}: Term) => words.some(word => names.has(word));
const isNearName = (words: string[], {nearly}: Term) => words.some(word => nearly.has(word));
const isInText = (text: string, {word, root}: Term) => text.includes(` ${word}`) || text.includes(` ${root} `);

/** The score of a table whose name is not just what was typed. */
function nameScore({form, place}: SearchedTable, query: Query): number {
  const {terms, glued} = query;
  if (!terms.length) return 0;
  if (glued === form.glued) return 950;
  if (query.bag === form.bag) return 900;
  if (stem(glued) === stem(form.glued)) return SAME;
  const more = Math.min(Math.abs(form.words.length - terms.length), 20);
  const isNamed = (term: Term) => isInName(form.words, term);
  if (terms.every(isNamed)) return 800 - more;
  const holds = (word: string) => word.length > 2 && form.glued.includes(word);
  if (holds(glued) || terms.every(({word, root}) => holds(word) || holds(root))) return 770 - more;
  if (terms.some(isNamed) && terms.every(term => isNamed(term) || isInText(place, term))) return 745 - more;
  if (!query.hasUnknown) return 0;
  if (isNear(glued, form.glued, typosAllowed(glued.length))) return 720;
  return terms.every(term => isNamed(term) || isNearName(form.words, term)) ? 710 - more : 0;
}

/** The score of a column's name alone: below a table of the same name, above tables with more words. */
function columnScore(searched: SearchedName, query: Query): number {
  const {text, terms, glued, bag} = query;
  if (searched.name === text) return 940;
  if (!terms.length) return 0;
  if (glued === searched.glued) return 930;
  if (bag === searched.bag) return 895;
  const more = Math.min(Math.abs(searched.words.length - terms.length), 20);
  if (terms.every(term => isInName(searched.words, term))) return 700 - more;
  if (glued.length > 3 && searched.glued.includes(glued)) return 670 - more;
  if (query.hasUnknown && isNear(glued, searched.glued, typosAllowed(glued.length))) return 660;
  return 0;
}
