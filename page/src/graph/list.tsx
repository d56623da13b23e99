// Lists of what diagrams and maps show.
import {type ComponentChildren, Fragment, h} from "preact";
import {useState} from "preact/hooks";
import {counted, prose, visible} from "../text";
import type {DiagramProps, GraphTable, MapDomain} from "./props";
import {KINDS} from "./shapes";

interface ListProps<Item> {
  title: string;
  items: Item[];
  children: (item: Item) => ComponentChildren;
}

function List<Item>({items, children}: Omit<ListProps<Item>, "title">) {
  const entries = items.map((item, number) => <li key={number}>{children(item)}</li>);
  return entries.length > 0 ? <ul>{entries}</ul> : null;
}

/** A list that is rendered when it is opened. */
function ClosedList<Item>({title, ...list}: ListProps<Item>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="g-list" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <List {...list} />}
    </details>
  );
}

function TableName({table}: {table: GraphTable}) {
  const name = <bdi>{visible(table.label)}</bdi>;
  return table.href ? <a href={table.href}>{name}</a> : name;
}

/** Every table of a diagram with its keys. */
export function KeyList({names, keys, tables}: {names: string[]} & Pick<DiagramProps, "keys" | "tables">) {
  const shown = new Set(names);
  return (
    <ClosedList title={`As a list (${counted(names.length, "table")})`} items={names}>
      {name => (
        <Fragment>
          <TableName table={tables(name)} />
          <List items={keys.of(name).filter(key => key.from === name && shown.has(key.to))}>
            {({own, to, other, kind}) => (
              <Fragment>
                <code>{own.map(visible).join(", ")}</code>
                {" refers to "}
                <TableName table={tables(to)} /> <code>{other.map(visible).join(", ")}</code>
                {kind && ` (${KINDS[kind]})`}
              </Fragment>
            )}
          </List>
        </Fragment>
      )}
    </ClosedList>
  );
}

/** Every domain of a map with its links and its tables. */
export function DomainList({domains}: {domains: MapDomain[]}) {
  const byName = new Map(domains.map(domain => [domain.name, domain]));
  const linked = ({links}: MapDomain) =>
    links.flatMap(([name, keys]) => {
      const other = byName.get(name);
      return other ? [{...other, keys}] : [];
    });
  return (
    <ClosedList title={`As a list (${counted(domains.length, "domain")})`} items={domains}>
      {domain => (
        <Fragment>
          <a href={domain.href}>{visible(domain.title)}</a> {prose(domain.description)}
          {linked(domain).map(({name, href, title, keys}, number) => (
            <span key={name}>
              {number ? ", " : <br />}
              {number ? "" : "Keys with "}
              <a href={href}>{visible(title)}</a> ({keys.toLocaleString("en-US")})
            </span>
          ))}
          <ClosedList title={counted(domain.tables.length, "table")} items={domain.tables}>
            {table => <TableName table={table} />}
          </ClosedList>
        </Fragment>
      )}
    </ClosedList>
  );
}
