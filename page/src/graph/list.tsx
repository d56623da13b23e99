// What a diagram shows, as a list.
import {h} from "preact";
import {useState} from "preact/hooks";
import type {Key, Keys} from "../data/keys";
import {counted, visible} from "../text";
import type {Selection} from "./model";
import type {GraphTable} from "./props";

export function TableName({table}: {table: GraphTable}) {
  const name = <bdi>{visible(table.label)}</bdi>;
  return table.href ? <a href={table.href}>{name}</a> : <span>{name}</span>;
}

interface ListProps {
  selection: Selection;
  keys: Keys;
  tables: (name: string) => GraphTable;
}

/** Every table of a diagram with its keys; made when it is opened. */
export function KeyList({selection, keys, tables}: ListProps) {
  const [open, setOpen] = useState(false);
  const names = [...selection.names, ...selection.left];
  const shown = new Set(names);
  return (
    <details class="g-list" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{`As a list (${counted(names.length, "table")})`}</summary>
      {open && (
        <ul>
          {names.map(name => (
            <li key={name}>
              <TableName table={tables(name)} />
              <Outgoing keys={keys.of(name).filter(key => key.from === name && shown.has(key.to))} tables={tables} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function Outgoing({keys, tables}: {keys: Key[]; tables: (name: string) => GraphTable}) {
  if (!keys.length) return null;
  return (
    <ul>
      {keys.map((key, number) => (
        <li key={number}>
          <code>{key.own.map(visible).join(", ")}</code>
          {" refers to "}
          <TableName table={tables(key.to)} /> <code>{key.other.map(visible).join(", ")}</code>
          {key.kind === "likely" ? " (likely, not declared)" : key.kind === "optional" ? " (optional)" : ""}
        </li>
      ))}
    </ul>
  );
}
