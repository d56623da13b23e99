// A table as text: for an agent, and as SQL.
import type {Table} from "../data/catalog";
import type {Remembered, VerifiedQuery} from "../data/types";
import {FOREIGN, NULLABLE, PRIMARY} from "../data/types";
import {own, prose, shortType} from "../text";

/** Verified queries that an agent is shown. */
const MOST_QUERIES = 10;

/** The names of all columns, as SQL has them. */
export function columnList(table: Table): string {
  return (table.c ?? []).map(([name]) => own(table.sq, name) ?? name).join(", ");
}

export const tableInSql = (table: Table) => table.sn ?? table.l;

export function selectOf(table: Table): string {
  const columns = (table.c ?? []).map(([name]) => `  ${own(table.sq, name) ?? name}`).join(",\n");
  return `SELECT\n${columns || "  *"}\nFROM ${tableInSql(table)}\nLIMIT 100`;
}

/** What an agent should know of a table before it writes a query. */
export function contextOf(table: Table, remembered: Remembered[], queries: VerifiedQuery[]): string {
  const rows = table.r >= 0 ? `, about ${table.r.toLocaleString("en-US")} rows` : "";
  const lines = [`# ${table.n} (${table.k}${rows})`, ""];
  if (table.s) lines.push(oneLine(table.s), "");
  for (const note of table.no ?? []) lines.push(`- ${oneLine(note)}`);
  lines.push("## Columns", "");
  for (const record of table.c ?? []) lines.push(columnContext(record, table));
  const keys = [
    ...(table.e ?? []).map(key => keyContext(key, "")),
    ...(table.lk ?? []).map(key => keyContext(key, " (likely, not declared)")),
  ];
  if (keys.length) lines.push("", "## Keys", "", ...keys);
  if (remembered.length) lines.push("", "## Decisions and notes", "");
  for (const item of remembered) lines.push(`- ${oneLine(item.text)} (${item.kind} ${item.id})`);
  for (const {q, sql} of queries.slice(0, MOST_QUERIES))
    lines.push("", `## Verified query: ${oneLine(q[0] ?? "")}`, "", `${fenceOf(sql)}sql`, sql, fenceOf(sql));
  return `${lines.join("\n").replace(/\n{3,}/g, "\n\n")}\n`;
}

function columnContext(record: NonNullable<Table["c"]>[number], table: Table): string {
  const [name, type, flags = 0, text, , , , , values, , , meanings] = record;
  const marks = [shortType(type), flags & PRIMARY ? "primary key" : "", flags & NULLABLE ? "nullable" : ""];
  const to = flags & FOREIGN ? table.e?.find(([, out, own]) => out && own.includes(name)) : undefined;
  const parts = [`- ${name} ${marks.filter(Boolean).join(", ")}${to ? ` -> ${to[0]}` : ""}`];
  if (text) parts.push(oneLine(text));
  if (values)
    parts.push(
      `Values: ${values.map(value => (own(meanings, value) ? `${value} (${own(meanings, value)})` : value)).join(", ")}.`,
    );
  return parts.length > 1 ? `${parts[0]}: ${parts.slice(1).join(" ")}` : (parts[0] ?? "");
}

function keyContext([name, out, own, other]: readonly [string, 0 | 1, string[], string[], ...unknown[]], note: string) {
  return `- ${own.join(", ")} ${out ? "->" : "<-"} ${name}(${other.join(", ")})${note}`;
}

/** A text that cannot begin a heading or a list of its own. */
const oneLine = (text: string) => prose(text.replace(/\s+/g, " ").trim());

/** A fence that no line of the code ends. */
const fenceOf = (code: string) => "`".repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map(run => run.length + 1)));
