// The text of an answer: paragraphs, lists, code, and citations; everything else in it is text.
import {type ComponentChildren, Fragment, h} from "preact";
import {useApp, useLoaded} from "../app";
import {type Catalog, tableLink} from "../data/catalog";
import {fromServer} from "../data/source";
import {grouped} from "../grouped";
import {prose, visible} from "../text";
import {Code, Name, Sql} from "../ui";
import type {ChatSource} from "./events";
import {SourceLink} from "./sources";

type Block =
  | {kind: "text"; lines: string[]}
  | {kind: "list"; items: string[]; isOrdered: boolean}
  | {kind: "code"; text: string; language: string};

const FENCE = /^(`{3,})\s*(\w*)/;
const ITEM = /^\s*(?:[-*\u2022]|(\d{1,2}[.)]))\s+(.*)$/;

/** Cut a text, which may be incomplete, into blocks. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const last = blocks[blocks.length - 1];
    const [, marks = "", language = ""] = FENCE.exec(line) ?? [];
    const [, number, item] = ITEM.exec(line) ?? [];
    const isOrdered = number !== undefined;
    if (fence && line.startsWith(fence)) fence = "";
    else if (fence && last?.kind === "code") last.text += `${last.text ? "\n" : ""}${line}`;
    else if (marks) {
      fence = marks;
      blocks.push({kind: "code", text: "", language: language.toLowerCase() || "sql"});
    } else if (item !== undefined) {
      if (last?.kind === "list" && last.isOrdered === isOrdered) last.items.push(item);
      else blocks.push({kind: "list", items: [item], isOrdered});
    } else if (!line.trim()) blocks.push({kind: "text", lines: []});
    else if (last?.kind === "text") last.lines.push(line);
    else blocks.push({kind: "text", lines: [line]});
  }
  return blocks.filter(block => block.kind !== "text" || block.lines.length);
}

interface Props {
  text: string;
  sources: ChatSource[];
  collection?: string;
  /** A database that the answer is about. */
  database?: string;
  isComplete: boolean;
}

export function AnswerText({text, sources, collection, database, isComplete}: Props) {
  const {catalog} = useApp();
  const tables = citedTables(catalog, sources);
  const [only, ...others] = catalog.databases.keys();
  // Names without a database have to be looked up in one.
  const checked = database ?? (others.length ? undefined : only);
  const inline = (part: string) => (
    <Inline sources={sources} collection={collection} tables={tables}>
      {part}
    </Inline>
  );
  return (
    <>
      {blocksOf(text).map((block, place) => {
        if (block.kind === "code")
          return (
            <Fragment key={place}>
              <Sql language={block.language}>{block.text}</Sql>
              {isComplete && checked && block.language === "sql" ? (
                <Findings sql={block.text} database={checked} />
              ) : null}
            </Fragment>
          );
        if (block.kind === "list") {
          const items = block.items.map((item, number) => (
            <li key={number} dir="auto">
              {inline(item)}
            </li>
          ));
          return block.isOrdered ? <ol key={place}>{items}</ol> : <ul key={place}>{items}</ul>;
        }
        return (
          <p key={place} dir="auto">
            {inline(block.lines.join(" "))}
          </p>
        );
      })}
    </>
  );
}

/** The tables that an answer cites, by their labels; a source of a join names two. */
function citedTables(catalog: Catalog, sources: ChatSource[]): Map<string, string> {
  const names = sources.flatMap(({title}) => [title, ...title.split(" and ")]);
  const tables = new Set(names.flatMap(name => catalog.tables.get(name) ?? []));
  // A label that several databases have says nothing.
  const byLabel = grouped([...tables], table => table.l);
  return new Map(
    [...byLabel].flatMap(([label, [table, ...others]]) => (table && !others.length ? [[label, table.n]] : [])),
  );
}

// Citations, code, and names such as `schema.table.column`.
const PIECES = /(\[\d{1,3}\]|`[^`\n]+`|[\p{L}_][\p{L}\p{N}_$]*(?:\.[\p{L}_][\p{L}\p{N}_$]*){1,2})/u;

interface InlineProps {
  children: string;
  sources: ChatSource[];
  collection?: string;
  tables: Map<string, string>;
}

function Inline({children, sources, collection, tables}: InlineProps) {
  const show = (piece: string): ComponentChildren => {
    if (piece.startsWith("[")) {
      const source = sources.find(({source_id}) => `[${source_id}]` === piece);
      return source ? <SourceLink source={source} collection={collection} short /> : <span class="soft">{piece}</span>;
    }
    if (piece.startsWith("`")) return <Code>{piece.slice(1, -1)}</Code>;
    const table = tables.get(piece);
    if (table) return <NameLink href={tableLink(table)} name={piece} />;
    const [, label = "", column = ""] = /^(.+)\.([^.]+)$/.exec(piece) ?? [];
    const named = tables.get(label);
    return named ? <NameLink href={tableLink(named, column)} name={piece} /> : visible(piece);
  };
  return <>{children.split(PIECES).map((piece, place) => (place % 2 ? show(piece) : prose(piece)))}</>;
}

const NameLink = ({href, name}: {href: string; name: string}) => (
  <a href={href}>
    <Name>{name}</Name>
  </a>
);

interface Finding {
  severity: "error" | "warning";
  message: string;
  suggestion?: string;
}

/** What a check of SQL against the documentation finds. */
function Findings({sql, database}: {sql: string; database: string}) {
  const {value, problem} = useLoaded(`${database} ${sql}`, () =>
    fromServer<{findings: Finding[]}>("v1/tools/check_sql", {sql, database}),
  );
  if (problem) return <p class="soft">This SQL could not be checked.</p>;
  if (!value) return null;
  if (!value.findings.length) return <p class="soft checked">Every table and column in this SQL is documented.</p>;
  return (
    <ul class="warnings" aria-label="Findings about this SQL">
      {value.findings.map(({severity, message, suggestion}, place) => (
        <li key={place}>
          {severity === "error" ? "Error: " : ""}
          {prose(message)}
          {suggestion ? ` ${prose(suggestion)}` : ""}
        </li>
      ))}
    </ul>
  );
}
