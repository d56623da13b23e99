// What to document first.
import {Fragment, h} from "preact";
import {tableLink} from "../data/catalog";
import type {Blocked, TodoPart} from "../data/types";
import {EditText} from "../editing/target";
import {counted, rows} from "../text";
import {Code, Grid, type Head, Lead, Section, TableName} from "../ui";
import {BlockedQuestions} from "./questions";
import {Report} from "./report";

export function TodoView() {
  return (
    <Report<TodoPart> title="To document" part="todo">
      {todo => <Todo todo={todo} />}
    </Report>
  );
}

function Todo({todo}: {todo: TodoPart}) {
  if (!todo.total && !todo.words.length) return <Lead>Everything is described.</Lead>;
  const shown =
    todo.items.length < todo.total
      ? `; the first ${rows(todo.items.length)} are listed, tribal todo --limit lists more`
      : "";
  return (
    <>
      <Lead>
        What to document first, by how many questions it blocks, how many tables refer to it and how unclear its name
        is.
      </Lead>
      {todo.total ? (
        <>
          <p class="facts">{`${counted(todo.total, "place")} to describe${shown}`}</p>
          <TodoGrid items={todo.items} pending={todo.pending} />
        </>
      ) : null}
      {todo.words.length ? (
        <Section title="Words that nothing explains">
          <p class="soft">Define them as terms, in an annotations file or in databases.yaml.</p>
          <Grid
            label="Words that nothing explains"
            heads={[
              ["Word", "name"],
              ["Questions that it blocks", "wide"],
            ]}
            body={todo.words.map(([word, ...blocked]) => [
              <Code key={word}>{word}</Code>,
              <BlockedQuestions blocked={blocked} />,
            ])}
          />
        </Section>
      ) : null}
    </>
  );
}

function TodoGrid({items, pending = []}: Pick<TodoPart, "items" | "pending">) {
  const textOf = (table: string, column: string | 0) =>
    pending.find(each => each[0] === table && each[1] === column)?.[2];
  const isAsked = items.some(([, , , count, , , marks]) => count || marks);
  const heads: Head[] = [
    ["Table", "name"],
    ["Column", "name"],
    ["Tables that refer to the table", "number"],
    ...(isAsked ? [["Questions that it blocks", "wide"] as Head] : []),
  ];
  const body = items.map(([table, column, refer, ...blocked]) => [
    <>
      <TableName name={table} /> {column ? null : <EditText table={table} pending={textOf(table, 0)} />}
    </>,
    column ? (
      <>
        <a href={tableLink(table, column)}>
          <Code>{column}</Code>
        </a>{" "}
        <EditText table={table} column={column} pending={textOf(table, column)} />
      </>
    ) : (
      ""
    ),
    rows(refer),
    ...(isAsked ? [blocked[0] || blocked[3] ? <BlockedQuestions blocked={blocked as Blocked} /> : ""] : []),
  ]);
  return <Grid label="To document" heads={heads} body={body} />;
}
