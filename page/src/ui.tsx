// Small components that views are made of.
import {type ComponentChildren, Fragment, h} from "preact";
import {useState} from "preact/hooks";
import {useApp} from "./app";
import {databaseLink, domainLink, type Table, tableLink} from "./data/catalog";
import {messageOf} from "./data/source";
import type {Sources} from "./data/types";
import {prose, visible} from "./text";

export function Name({children}: {children: string}) {
  return <bdi>{visible(children)}</bdi>;
}

export function Code({children}: {children: string}) {
  return <code dir="ltr">{visible(children)}</code>;
}

/** Names or values, one after the other. */
export function Codes({children}: {children: string[]}) {
  return (
    <Joined>
      {children.map(each => (
        <Code key={each}>{each}</Code>
      ))}
    </Joined>
  );
}

/** A sentence in which names between backticks are code. */
export function Backticked({children}: {children: string}) {
  return <>{children.split("`").map((part, place) => (place % 2 ? <Code>{part}</Code> : visible(part)))}</>;
}

const ADDRESS = /(https:\/\/[^\s()<>"'`]*[^\s()<>"'`.,;:])/;

/** A sentence with code between backticks, and addresses that lead there. */
export function Linked({children}: {children: string}) {
  return (
    <>
      {children.split(ADDRESS).map((part, place) =>
        place % 2 ? (
          <a key={part} href={part} rel="noreferrer">
            {visible(part)}
          </a>
        ) : (
          <Backticked key={part}>{part}</Backticked>
        ),
      )}
    </>
  );
}

/** The heading of a view, which is focused when the view is opened. */
export function Heading({children}: {children: string}) {
  return (
    <h1 tabIndex={-1}>
      <Name>{children}</Name>
    </h1>
  );
}

export function Lead({children}: {children?: ComponentChildren}) {
  return (
    <p class="lead" dir="auto">
      {children}
    </p>
  );
}

export function Trail({children}: {children: ComponentChildren[]}) {
  return (
    <nav class="trail" aria-label="Where you are">
      <Joined by=" / ">{children}</Joined>
    </nav>
  );
}

/** The way to a table or domain. */
export function TrailTo({database, domain}: {database: string; domain?: string}) {
  const {catalog} = useApp();
  const title = domain === undefined ? undefined : catalog.domain(database, domain)?.h;
  return (
    <Trail>
      {[
        <a href="#/">Catalog</a>,
        <a href={databaseLink(database)}>
          <Name>{database}</Name>
        </a>,
        ...(domain === undefined ? [] : [<a href={domainLink(database, domain)}>{visible(title ?? domain)}</a>]),
      ]}
    </Trail>
  );
}

export function Joined({children, by = ", "}: {children: ComponentChildren[]; by?: string}) {
  return (
    <>
      {children.map((child, place) => (
        <Fragment key={place}>
          {place ? by : null}
          {child}
        </Fragment>
      ))}
    </>
  );
}

/** A table's name, which leads to its view if it has one. */
export function TableName({name, column}: {name: string; column?: string}) {
  const table = useApp().catalog.tables.get(name);
  const label = <Name>{(table?.l ?? name) + (column === undefined ? "" : `.${column}`)}</Name>;
  return table ? <a href={tableLink(name, column)}>{label}</a> : label;
}

export function Section({
  title,
  id,
  tools,
  children,
}: {
  title: ComponentChildren;
  id?: string;
  tools?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <section id={id}>
      <div class="head">
        <h2>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}

/** A section that is closed until the reader opens it. */
export function Folded({
  title,
  id,
  children,
  open,
}: {
  title: ComponentChildren;
  id?: string;
  children?: ComponentChildren;
  open?: boolean;
}) {
  return (
    <details class="folded" id={id} open={open}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

export type Head = [title: string, kind: string];

/** A table whose rows become cards on a phone. */
export function Grid({label, heads, body}: {label: string; heads: Head[]; body: ComponentChildren[][]}) {
  return (
    <table class="grid" aria-label={label}>
      <thead>
        <tr>
          {heads.map(([title, kind]) => (
            <th key={title} scope="col" class={kind}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, place) => (
              <td key={heads[place]?.[0]} class={heads[place]?.[1]} data-head={heads[place]?.[0]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Notes({children}: {children: ComponentChildren[]}) {
  return (
    <ul class="notes">
      {children.map((child, place) => (
        <li key={place}>{child}</li>
      ))}
    </ul>
  );
}

interface CopyProps {
  /** Made when it is wanted. */
  text: () => string | Promise<string>;
  label?: string;
  /** A longer name, which begins with the label. */
  name?: string;
  hint?: string;
}

/** A button that copies a text, and says whether that was allowed. */
export function Copy({text, label = "Copy", name, hint}: CopyProps) {
  const [said, setSaid] = useState("");
  const copy = async (event: {currentTarget: HTMLButtonElement}) => {
    // What stands next to it stays where it is.
    event.currentTarget.style.minWidth = `${event.currentTarget.offsetWidth}px`;
    try {
      await navigator.clipboard.writeText(await text());
      setSaid("Copied");
    } catch {
      setSaid("Not allowed");
    }
  };
  // Browsers allow it on safe origins alone.
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      class="copy"
      aria-label={said ? undefined : name}
      title={hint}
      onClick={copy}
      onBlur={() => setSaid("")}
    >
      {said || label}
    </button>
  );
}

/** Code in a box, with a button that copies it. */
export function Sql({children, language = "SQL"}: {children: string; language?: string}) {
  return (
    <div class="sql">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard. */}
      <pre dir="ltr" tabIndex={0}>
        <code>{prose(children)}</code>
      </pre>
      <Copy text={() => children} name={`Copy this ${language}`} />
    </div>
  );
}

/** A difference between two texts, with the removed and the added lines. */
export function Difference({children}: {children: string}) {
  const lines = children.split("\n");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard.
    <pre class="difference" tabIndex={0} dir="ltr">
      {lines.map((line, place) => (
        <span key={place} class={kindOfLine(line, isHead(lines, place))}>
          {`${visible(line)}\n`}
        </span>
      ))}
    </pre>
  );
}

/** Whether a line names a file, which a removed line that begins with hyphens does not. */
const isHead = (lines: string[], place: number) =>
  (lines[place]?.startsWith("--- ") && lines[place + 1]?.startsWith("+++ ")) ||
  (lines[place]?.startsWith("+++ ") && lines[place - 1]?.startsWith("--- ")) ||
  false;

const kindOfLine = (line: string, isHead: boolean) =>
  isHead ? "soft" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined;

export const SOURCES: Record<string, [color: string, many: string, one: string]> = {
  human: ["c1", "people", "written by a person"],
  comment: ["c2", "comments", "comment"],
  model: ["c3", "model", "written by a model"],
  derived: ["c4", "derived", "derived"],
};

/** Tables that someone described: what rules derive from keys says no more than these. */
export const describedTables = (by: Sources) => (by.human ?? 0) + (by.comment ?? 0) + (by.model ?? 0);
/** Columns with a description, also one that rules derived from a name, a type or values. */
export const describedColumns = (by: Sources) => describedTables(by) + (by.derived ?? 0);

/** How many of a whole are described, by source, as a bar with its legend. */
export function Bar({whole, by, label}: {whole: number; by: Sources; label: string}) {
  let at = 0;
  const parts = Object.entries(SOURCES).flatMap(([source, [color]]) => {
    const count = by[source] ?? 0;
    if (!count || !whole) return [];
    const part = {source, color, x: at, width: (100 * count) / whole};
    at += part.width;
    return [part];
  });
  return (
    <div class="coverage">
      <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={label}>
        {parts.map(part => (
          <rect key={part.color} class={part.color} x={part.x} width={part.width} height="8" />
        ))}
      </svg>
      <Legend sources={parts.map(part => part.source)} by={by} />
    </div>
  );
}

/** The colors of sources, with their numbers. */
export function Legend({sources, by}: {sources: string[]; by?: Sources}) {
  return (
    <div class="src">
      {sources.map(source => {
        const [color, many] = SOURCES[source] ?? ["", source];
        return (
          <span key={source} class="key-of">
            <svg class="swatch" viewBox="0 0 9 9" aria-hidden="true">
              <rect class={color} width="9" height="9" rx="2" />
            </svg>
            {many} {by?.[source]?.toLocaleString("en-US")}
          </span>
        );
      })}
    </div>
  );
}

export function Loading() {
  return (
    <p class="soft loading" role="status">
      Loading {"\u2026"}
    </p>
  );
}

/** Why a part of a view is missing. */
export function Problem({problem}: {problem: unknown}) {
  return (
    <p class="problem" role="alert">
      This could not be loaded: {visible(messageOf(problem))}
    </p>
  );
}

/** A description, or that there is none. */
export function Text({children}: {children?: string}) {
  return children ? <span dir="auto">{prose(children)}</span> : <span class="gap">not described</span>;
}

export const KINDS: Record<string, string> = {
  table: "Table",
  partitioned_table: "Partitioned table",
  partition: "Partition",
  view: "View",
  materialized_view: "Materialized view",
  foreign_table: "Foreign table",
  dynamic_table: "Dynamic table",
  external_table: "External table",
  iceberg_table: "Iceberg table",
  hybrid_table: "Hybrid table",
};

export const kindOf = (table: Table) => KINDS[table.k] ?? table.k;
