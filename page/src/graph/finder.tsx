// The field that finds a table on a map.
import {Fragment, h} from "preact";
import {useState} from "preact/hooks";
import {visible} from "../text";
import type {GraphTable, MapDomain} from "./props";

/** A domain, and a table of it that was looked for. */
export interface TableInDomain {
  domain: MapDomain;
  table?: GraphTable;
}

/** Up and down lead to the other matches, Enter opens the table. */
export function Finder({domains, onFind}: {domains: MapDomain[]; onFind: (found: TableInDomain | undefined) => void}) {
  const [{typed, place}, setState] = useState({typed: "", place: 0});
  const matches = findTables(domains, typed);
  const table = matches[place]?.table;
  const show = (next: {typed: string; place: number}) => {
    setState(next);
    onFind(findTables(domains, next.typed)[next.place]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Enter" && table?.href) location.assign(table.href);
    if (!step || !table) return;
    event.preventDefault();
    show({typed, place: (place + step + matches.length) % matches.length});
  };
  const count = matches.length.toLocaleString("en-US");
  const said = table ? `${visible(table.label)}: ${place + 1} of ${count}, Enter opens it` : "No table has this name";
  return (
    <Fragment>
      <input
        class="g-find"
        type="search"
        placeholder="Find a table"
        aria-label="Find a table on the map"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={event => show({typed: event.currentTarget.value, place: 0})}
        onKeyDown={onKeyDown}
      />
      <span class="g-said" role="status">
        {typed.trim().length > 1 && said}
      </span>
    </Fragment>
  );
}

/** Find the tables whose name contains a text: exact names first, then those that start with it, shorter ones first. */
function findTables(domains: MapDomain[], typed: string) {
  const text = typed.trim().toLowerCase();
  if (text.length < 2) return [];
  const rank = ({table}: {table: GraphTable}) => {
    const label = `.${table.label.toLowerCase()}`;
    return label.length - (label.endsWith(`.${text}`) ? 20_000 : label.includes(`.${text}`) ? 10_000 : 0);
  };
  return domains
    .flatMap(domain => domain.tables.map(table => ({table, domain})))
    .filter(({table}) => table.label.toLowerCase().includes(text))
    .sort((a, b) => rank(a) - rank(b));
}
