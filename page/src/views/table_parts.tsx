// Parts of a table's view: lineage, questions, samples, indexes and checks.
import {Fragment, h} from "preact";
import {type Table, tableLink} from "../data/catalog";
import type {OpenQuestions} from "../data/types";
import {prose, visible} from "../text";
import {Code, Codes, Grid, Joined, Sql, TableName} from "../ui";
import {columnLine} from "./column_line";
import {Hidden} from "./columns";
import {BlockedQuestions} from "./questions";

export function Lineage({table}: {table: Table}) {
  return (
    <>
      <Reads label="Reads" read={table.rd} />
      <Reads label="Read by" read={table.rb} />
      {table.v ? (
        <details class="folded" open={!table.rd && !table.rb}>
          <summary>Definition</summary>
          <Sql>{table.v}</Sql>
        </details>
      ) : null}
    </>
  );
}

function Reads({label, read}: {label: string; read?: [string[], number]}) {
  if (!read) return null;
  const [names, total] = read;
  return (
    <p>
      {label}{" "}
      <Joined>
        {names.map(name => (
          <TableName key={name} name={name} />
        ))}
      </Joined>
      {total > names.length ? ` and ${total - names.length} more` : ""}.
    </p>
  );
}

/** Verified queries and metrics that use a table, and the questions that it leaves open. */
export function Questions({table, open, isChosen}: {table: Table; open: OpenQuestions; isChosen: boolean}) {
  return (
    <>
      {(table.vq ?? []).map(([question, sql, state, owner]) => (
        <details class="folded" key={question + sql} open={isChosen}>
          <summary>
            <span dir="auto">{visible(question)}</span>{" "}
            <span class="src">
              verified query, {state}
              {owner ? `, by ${visible(owner)}` : ""}
            </span>
          </summary>
          <Sql>{sql}</Sql>
        </details>
      ))}
      {table.mt?.length ? (
        <ul class="notes">
          {table.mt.map(([name, text, state, expression]) => (
            <li key={name}>
              <b>{visible(name)}</b> {prose(text)} <Code>{expression}</Code> <span class="src">metric, {state}</span>
            </li>
          ))}
        </ul>
      ) : null}
      {open.length ? (
        <>
          <h3>Questions that it leaves open</h3>
          <ul class="notes">
            {open.map(([column, ...blocked]) => (
              <li key={String(column)}>
                {column ? (
                  <a href={tableLink(table.n, column)}>
                    <Code>{column}</Code>
                  </a>
                ) : (
                  "The table"
                )}
                : <BlockedQuestions blocked={blocked} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </>
  );
}

/** The columns with samples, or with a reason why there are none. */
const sampled = (table: Table) =>
  (table.c ?? [])
    .map((record, position) => columnLine(record, position, table))
    .filter(line => line.samples.length || line.patterns.length || line.hidden);

export const hasSamples = (table: Table) => sampled(table).length > 0;

export function Samples({table}: {table: Table}) {
  const body = sampled(table).map(line => [
    <Code>{line.name}</Code>,
    <Codes>{line.samples}</Codes>,
    <Hidden line={line} />,
  ]);
  return (
    <Grid
      label="Sample values"
      heads={[
        ["Column", "name"],
        ["Values", ""],
        ["Not shown", ""],
      ]}
      body={body}
    />
  );
}

export function Constraints({table}: {table: Table}) {
  return (
    <>
      {table.u ? (
        <Grid
          label="Unique keys"
          heads={[
            ["Unique key", "name"],
            ["Columns", ""],
          ]}
          body={table.u.map(([name, columns]) => [<Code>{name}</Code>, <Codes>{columns}</Codes>])}
        />
      ) : null}
      {table.ix ? (
        <Grid
          label="Indexes"
          heads={[
            ["Index", "name"],
            ["Columns", ""],
            ["Unique", ""],
            ["Only rows where", ""],
          ]}
          body={table.ix.map(([name, columns, unique, where, included]) => [
            <Code>{name}</Code>,
            <>
              <Codes>{columns}</Codes>
              {included ? (
                <>
                  , includes <Codes>{included}</Codes>
                </>
              ) : null}
            </>,
            unique,
            where ? <Code>{where}</Code> : "",
          ])}
        />
      ) : null}
      {table.ch ? (
        <Grid
          label="Checks"
          heads={[
            ["Check", "name"],
            ["Condition", "wide"],
          ]}
          body={table.ch.map(([name, condition, state]) => [
            <Code>{name}</Code>,
            <>
              <Code>{condition}</Code> {state ?? ""}
            </>,
          ])}
        />
      ) : null}
    </>
  );
}
