// Parts of a table's view: lineage, questions, samples, indexes and checks.
import {Fragment, h} from "preact";
import {type Table, tableLink} from "../data/catalog";
import type {TableDefinitions} from "../data/definitions";
import type {OpenQuestions} from "../data/types";
import {Code, Codes, Grid} from "../ui";
import {columnLine} from "./column_line";
import {Hidden} from "./columns";
import {MetricItem, QueryItem} from "./definitions";
import {BlockedQuestions} from "./questions";

/** Verified queries and metrics that use a table, and the questions that it leaves open. */
interface QuestionsProps {
  table: Table;
  definitions: TableDefinitions;
  open: OpenQuestions;
  isChosen: boolean;
}

export function Questions({table, definitions, open, isChosen}: QuestionsProps) {
  return (
    <>
      {definitions.queries.map(query => (
        <QueryItem key={query.sql} query={query} isOpen={isChosen} />
      ))}
      {definitions.metrics.length ? (
        <ul class="notes">
          {definitions.metrics.map(metric => (
            <MetricItem key={metric.n} metric={metric} />
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
