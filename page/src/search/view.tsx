// The list of what was found: tables and columns together, narrowed by facets.
import {Fragment, h} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {useApp} from "../app";
import {askLink} from "../ask/link";
import {definitionLink, domainLink, joinLink, schemaOf, type Table, tableLink} from "../data/catalog";
import type {SearchedDefinition} from "../data/definitions";
import {EXPLAINED_COLUMN, SENSITIVE_COLUMN} from "../data/types";
import {type Route, replaceAddress} from "../route";
import {counted, cut, prose, visible} from "../text";
import {Heading, kindOf} from "../ui";
import {type Hit, NAMED, SAME, type SearchResult} from "./match";
import {inOrderOf, RANKED, type Search} from "./search";

const SHOWN = 100;
/** A pause in typing after which the server is asked. */
const PAUSE = 120;

type Facet = [name: string, label: string, valueIn: (hit: Hit) => string];

const FACETS: Facet[] = [
  ["what", "Tables and columns", ({column}) => (column ? "columns" : "tables")],
  ["database", "Database", ({table}) => table.b],
  ["schema", "Schema", ({table}) => schemaOf(table)],
  ["domain", "Domain", ({table}) => `${table.b}/${table.d}`],
  ["kind", "Kind", ({table}) => kindOf(table)],
  ["described", "Described", hit => (isDescribed(hit) ? "yes" : "no")],
  ["sensitive", "Sensitive", hit => (isSensitive(hit) ? "yes" : "no")],
];

const isDescribed = ({table, column}: Hit) =>
  column ? Boolean(column.text || column.values || column.flags & EXPLAINED_COLUMN) : table.described;
const isSensitive = ({table, column}: Hit) => (column ? Boolean(column.flags & SENSITIVE_COLUMN) : table.sensitive);

interface Props {
  route: Route;
  search: Search;
}

export function SearchView({route, search}: Props) {
  const {first: query, query: chosen} = route;
  const [ready, setReady] = useState(0);
  useEffect(() => {
    search.prepare().then(
      () => setReady(before => before + 1),
      () => {},
    );
  }, [search]);
  const found = useMemo(() => search.index.find(query), [query, ready]);
  const ranked = useRanked(search, query);
  const hits = useMemo(() => inOrderOf(ranked, found), [ranked, found]);
  const wanted = FACETS.filter(([name]) => chosen.has(name));
  const kept = hits.filter(hit => wanted.every(([name, , valueIn]) => chosen.get(name) === valueIn(hit)));
  const pattern = useMemo(() => patternOf(found.terms), [found]);
  const defined = search.definitions(query);
  return (
    <div class="search-view">
      <Heading>Search</Heading>
      <p class="soft" id="found" role="status" aria-live="polite">
        {summary(kept, found, query, {ranked: ranked.length, defined: defined.length})}
      </p>
      <Facets hits={hits} route={route} />
      <AskThis query={query} />
      <JoinOfTwo query={query} search={search} />
      <Definitions found={defined} />
      {found.domains.length && !chosen.size ? (
        <p class="domains-found">
          Domains:{" "}
          {found.domains.slice(0, 8).map(domain => (
            <a key={domain.place} class="chip" href={domainLink(domain.b, domain.n)}>
              {visible(domain.h)}
            </a>
          ))}
        </p>
      ) : null}
      <ul class="hits" id="results" data-query={query}>
        {kept.slice(0, SHOWN).map(hit => (
          <HitItem
            key={`${hit.table.place} ${hit.column?.name ?? ""}`}
            hit={hit}
            pattern={pattern}
            hasUnknown={found.hasUnknown}
          />
        ))}
      </ul>
    </div>
  );
}

/** Most words of a search that is read as the names of two tables. */
const NAMES = 4;

/** Words from which on a search may be meant as a question. */
const QUESTION = 3;

/** Where a server answers: the way to ask what was typed. */
function AskThis({query}: {query: string}) {
  const {source} = useApp();
  if (source.form !== "server" || query.trim().split(/\s+/).length < QUESTION) return null;
  return (
    <p>
      <a class="button" href={askLink(query.trim())}>
        Ask this as a question
      </a>
    </p>
  );
}

/** Where a search names two tables: the way to their join. */
function JoinOfTwo({query, search}: {query: string; search: Search}) {
  const words = query.split(/[\s,]+/).filter(Boolean);
  const isPair = words.length > 1 && words.length <= NAMES;
  const named = isPair ? words.flatMap(word => search.index.exactly(word) ?? []) : [];
  const [one, other, ...more] = new Set(named);
  if (!one || !other || more.length) return null;
  return (
    <p>
      <a class="button" href={joinLink(one.n, other.n)}>
        Join {visible(one.l)} with {visible(other.l)}
      </a>
    </p>
  );
}

/** Definitions listed above the tables and columns. */
const LISTED_DEFINITIONS = 5;

function Definitions({found}: {found: SearchedDefinition[]}) {
  if (!found.length) return null;
  return (
    <ul class="definitions" aria-label="Questions, metrics and terms">
      {found.slice(0, LISTED_DEFINITIONS).map(({kind, name, text}) => (
        <li key={kind + text}>
          <a href={definitionLink(name)}>{visible(text)}</a> <span class="src">{kind}</span>
        </li>
      ))}
    </ul>
  );
}

/** What the server finds for a query, once the reader pauses. */
function useRanked(search: Search, query: string): Table[] {
  const [ranked, setRanked] = useState<{query: string; tables: Table[]}>({query: "", tables: []});
  useEffect(() => {
    const asking = new AbortController();
    if (!query.trim()) return () => asking.abort();
    const pause = setTimeout(() => {
      search.ranked(query, asking.signal).then(
        tables => setRanked({query, tables}),
        // Names and texts are found without the server.
        () => {},
      );
    }, PAUSE);
    return () => {
      clearTimeout(pause);
      asking.abort();
    };
  }, [search, query]);
  return useMemo(() => (ranked.query === query ? ranked.tables : []), [ranked, query]);
}

function summary(
  hits: Hit[],
  found: SearchResult,
  query: string,
  {ranked, defined}: {ranked: number; defined: number},
): string {
  const tables = hits.filter(hit => !hit.column).length;
  const columns = hits.length - tables;
  // The server gives the best tables alone.
  const best = ranked >= RANKED && tables <= ranked ? "the best " : "";
  const parts = [
    ...(tables ? [best + counted(tables, "table")] : []),
    ...(columns ? [counted(columns, "column")] : []),
    ...(defined && !hits.length ? [counted(defined, "definition")] : []),
  ];
  if (!parts.length) return "Nothing found: no name, column or description has these words.";
  if (!query.trim()) return `${parts.join(" and ")}${hits.length > SHOWN ? `; ${SHOWN} are listed` : ""}`;
  const rest = hits.length > SHOWN ? `; the best ${SHOWN} are listed` : "";
  return `${parts.join(" and ")} found${found.partly ? " with some of these words" : ""}${rest}`;
}

/** The facets that narrow a list, with the number of hits for each value. */
function facetsOf(hits: Hit[], chosen: URLSearchParams) {
  return FACETS.map(([name, label, valueIn]) => {
    const counts = new Map<string, number>();
    const others = FACETS.filter(([other]) => other !== name && chosen.has(other));
    for (const hit of hits) {
      if (others.some(([other, , valueOfOther]) => chosen.get(other) !== valueOfOther(hit))) continue;
      const value = valueIn(hit);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return {name, label, chosen: chosen.get(name), values: [...counts].sort((one, other) => other[1] - one[1])};
  }).filter(facet => facet.values.length > 1 || facet.chosen !== null);
}

function Facets({hits, route}: {hits: Hit[]; route: Route}) {
  const choose = (name: string, value: string) => {
    const query = new URLSearchParams(route.query);
    if (value) query.set(name, value);
    else query.delete(name);
    replaceAddress(`#/search/${encodeURIComponent(route.first)}${query.size ? `?${query}` : ""}`);
  };
  const {catalog} = useApp();
  const titleOf = (value: string) => {
    const domain = [...catalog.domains.values()].find(({b, n}) => `${b}/${n}` === value);
    return domain ? `${domain.h}${catalog.databases.size > 1 ? ` in ${domain.b}` : ""}` : value;
  };
  const shown = useMemo(() => facetsOf(hits, route.query), [hits, route.query]);
  if (!shown.length) return null;
  return (
    <form class="facets" aria-label="Narrow the search" onSubmit={event => event.preventDefault()}>
      {shown.map(({name, label, chosen, values}) => (
        <label key={name}>
          <span>{label}</span>
          <select name={name} value={chosen ?? ""} onChange={event => choose(name, event.currentTarget.value)}>
            <option value="">all</option>
            {(chosen !== null && !values.some(([value]) => value === chosen)
              ? [...values, [chosen, 0] as const]
              : values
            ).map(([value, count]) => (
              <option key={value} value={value}>
                {`${cut(visible(name === "domain" ? titleOf(value) : value), 40)} (${count})`}
              </option>
            ))}
          </select>
        </label>
      ))}
    </form>
  );
}

function HitItem({hit, pattern, hasUnknown}: {hit: Hit; pattern?: RegExp; hasUnknown: boolean}) {
  const {catalog} = useApp();
  const {table, column} = hit;
  const text = column ? column.text || column.values : table.s;
  const kind = column ? "column" : table.k === "table" ? "" : kindOf(table).toLowerCase();
  const isExplained = column && column.flags & EXPLAINED_COLUMN;
  const domain = catalog.domainOf(table);
  const place = catalog.databases.size > 1 ? `${visible(table.b)} / ` : "";
  return (
    <li>
      <a href={tableLink(table.n, column?.name)}>
        <bdi class={column ? "soft" : undefined}>
          {column ? visible(table.l) : <Marked pattern={pattern}>{visible(table.l)}</Marked>}
        </bdi>
        {column ? (
          <>
            <span class="soft">.</span>
            <bdi>
              <Marked pattern={pattern}>{visible(column.name)}</Marked>
            </bdi>
          </>
        ) : null}
      </a>
      <p dir="auto" class={column || table.described ? "said" : "said soft"}>
        {text ? (
          <Marked pattern={pattern}>{prose(cut(text, 220))}</Marked>
        ) : isExplained ? null : (
          <span class="gap">not described</span>
        )}
      </p>
      <p class="why">
        {place}
        {[visible(domain?.h ?? table.d), kind, why(hit, hasUnknown)].filter(Boolean).join(" \u00b7 ")}
        {isSensitive(hit) ? <span class="tag warn">sensitive</span> : null}
      </p>
    </li>
  );
}

/** Why something was found. */
function why({score, column}: Hit, hasUnknown: boolean): string {
  if (!score) return "";
  if (score >= SAME) return "exact name";
  if (score >= NAMED) return hasUnknown ? "by a similar name" : "by name";
  if (column) return "by description or values";
  return "by columns, description or meaning";
}

const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** The words of the search, which are marked in names and texts. */
function patternOf(terms: string[]): RegExp | undefined {
  const words = terms.filter(term => term.length > 1).map(term => term.replace(SPECIAL, "\\$&"));
  return words.length ? new RegExp(`(?<!\\p{L})(${words.join("|")})`, "giu") : undefined;
}

function Marked({children, pattern}: {children: string; pattern?: RegExp}) {
  if (!pattern) return <>{children}</>;
  // A split at a group gives what is between matches, and the matches, in turn.
  return <>{children.split(pattern).map((part, place) => (place % 2 ? <mark>{part}</mark> : part))}</>;
}
