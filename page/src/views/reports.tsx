// Coverage, changes, and what to document: loaded when they are opened; the one file does not have them.
import {type ComponentChildren, Fragment, h} from "preact";
import {useApp, useLoaded} from "../app";
import {domainLink, searchLink, tableLink} from "../data/catalog";
import type {Blocked, ChangesPart, Coverage, InsideChange, StatePart, TodoPart} from "../data/types";
import {ago, counted, rows, runTime, share, visible} from "../text";
import {
  Bar,
  Code,
  describedColumns,
  describedTables,
  Grid,
  type Head,
  Heading,
  Lead,
  Loading,
  Name,
  Problem,
  Section,
  TableName,
  Trail,
} from "../ui";
import {BlockedQuestions} from "./questions";

const FATES: Record<string, string> = {
  added: "new",
  dropped: "gone",
  changed: "changed",
  excluded: "left out by the configuration",
  unreadable: "no longer readable",
};

interface ReportProps<Part> {
  title: string;
  part: string;
  children: (part: Part) => ComponentChildren;
}

function Report<Part>({title, part, children}: ReportProps<Part>) {
  const {source} = useApp();
  return (
    <>
      <Trail>{[<a href="#/">Catalog</a>, title]}</Trail>
      <Heading>{title}</Heading>
      {source.form === "file" ? (
        <Lead>
          This file does not have this view. The site (<Code>tribal site</Code>) and the served page (
          <Code>tribal serve</Code>) do.
        </Lead>
      ) : (
        <LoadedReport part={part}>{children}</LoadedReport>
      )}
    </>
  );
}

function LoadedReport<Part>({part, children}: {part: string; children: (part: Part) => ComponentChildren}) {
  const {source} = useApp();
  const {value, problem} = useLoaded(part, () => source.part<Part>(part));
  if (problem) return <Problem problem={problem} />;
  return value === undefined ? <Loading /> : children(value);
}

function Moment({time}: {time: string}) {
  return <time dateTime={time}>{`${time.slice(0, 10)} (${ago(time)})`}</time>;
}

export function CoverageView() {
  return (
    <Report<StatePart> title="Coverage" part="state">
      {state => (
        <>
          <Lead>How fresh the documentation is, and how much is described; first the domains that lack most.</Lead>
          <p class="facts">
            <span>
              Index made <Moment time={state.indexed} />
            </span>
          </p>
          {state.databases.map(database => (
            <Section key={database.n} title={<Name>{database.n}</Name>}>
              <CoverageOf database={database} />
            </Section>
          ))}
        </>
      )}
    </Report>
  );
}

function CoverageOf({database}: {database: StatePart["databases"][number]}) {
  const {catalog} = useApp();
  const {tables, columns, domains, oldest, newest, unread} = database;
  const missing = tables.n - describedTables(tables.by);
  const worst = [...domains].sort(([, one], [, other]) => lacking(other) - lacking(one));
  return (
    <>
      <p class="facts">
        <span>
          Documented <Moment time={oldest} />
          {oldest.slice(0, 10) === newest.slice(0, 10) ? null : (
            <>
              {" "}
              to <Moment time={newest} />
            </>
          )}
        </span>
        {unread ? (
          <span>
            Not reached by the last run; read <Moment time={unread} />
          </span>
        ) : null}
      </p>
      <div class="cards">
        <div class="card">
          <div class="soft">Tables described</div>
          <Bar whole={tables.n} by={{...tables.by, derived: 0}} label="Tables described, by source" />
          {missing ? (
            <a href={`${searchLink("")}?what=tables&described=no&${new URLSearchParams({database: database.n})}`}>
              {counted(missing, "table")} without a description
            </a>
          ) : null}
        </div>
        <div class="card">
          <div class="soft">Columns described, of those that need it</div>
          <Bar whole={columns.n} by={columns.by} label="Columns described, by source" />
        </div>
      </div>
      <Grid
        label={`Coverage of ${visible(database.n)}`}
        heads={[
          ["Domain", "name"],
          ["Descriptions missing", "number"],
          ["Tables described", "number"],
          ["Columns described", "number"],
        ]}
        body={worst.map(([name, coverage]) => [
          <a key={name} href={domainLink(database.n, name)}>
            {visible(catalog.domain(database.n, name)?.h ?? name)}
          </a>,
          rows(lacking(coverage)),
          ratio(describedTables(coverage.tables.by), coverage.tables.n),
          ratio(describedColumns(coverage.columns.by), coverage.columns.n),
        ])}
      />
    </>
  );
}

/** How many descriptions a domain lacks. */
const lacking = ({tables, columns}: Coverage) =>
  tables.n - describedTables(tables.by) + columns.n - describedColumns(columns.by);
const ratio = (part: number, whole: number) => `${rows(part)} of ${rows(whole)} (${share(part, whole)})`;

export function ChangesView() {
  return (
    <Report<ChangesPart> title="Changes" part="changes">
      {changes =>
        changes.why ? (
          <Lead>{changes.why}</Lead>
        ) : (
          <>
            <Lead>What is different in the databases between the last two runs.</Lead>
            <p class="facts">
              {runTime(changes.before)} {"\u2192"} {runTime(changes.after)}
            </p>
            {changes.databases.map(database => (
              <Section key={database.n} title={<Name>{database.n}</Name>}>
                {database.problem ? (
                  <p>Not compared: {visible(database.problem)}</p>
                ) : database.tables.length ? (
                  <ChangeGrid database={database} />
                ) : (
                  <p>Nothing has changed.</p>
                )}
              </Section>
            ))}
          </>
        )
      }
    </Report>
  );
}

function ChangeGrid({database}: {database: ChangesPart["databases"][number]}) {
  const {catalog} = useApp();
  const places = new Map(catalog.places.filter(table => table.b === database.n).map(table => [table.l, table.n]));
  const heads: Head[] = [
    ["Table", "name"],
    ["What", ""],
    ["Inside", "wide"],
  ];
  const body = database.tables.map(([label, fate, inside]) => [
    <ChangedTable key={label} label={label} name={places.get(label)} />,
    FATES[fate] ?? fate,
    <ul class="inside">
      {inside.map((change, place) => (
        <li key={place}>{insideChange(change)}</li>
      ))}
    </ul>,
  ]);
  return <Grid label={`Changes of ${visible(database.n)}`} heads={heads} body={body} />;
}

function ChangedTable({label, name}: {label: string; name?: string}) {
  return name === undefined ? <Name>{label}</Name> : <TableName name={name} />;
}

function insideChange([what, name, aspect, before, after]: InsideChange) {
  const subject = (
    <>
      {what} {name ? <Code>{name}</Code> : null}
      {aspect ? ` \u00b7 ${aspect}` : null}
    </>
  );
  if (before === null && after === null) return subject;
  if (before === null)
    return (
      <>
        {subject}
        {aspect ? ": now " : " is new: "}
        <Code>{after ?? ""}</Code>
      </>
    );
  if (after === null)
    return (
      <>
        {subject}
        {aspect ? ": was " : " is gone: "}
        <Code>{before}</Code>
      </>
    );
  return (
    <>
      {subject}: <Code>{before}</Code> {"\u2192"} <Code>{after}</Code>
    </>
  );
}

export function TodoView() {
  return (
    <Report<TodoPart> title="To document" part="todo">
      {todo => <Todo todo={todo} />}
    </Report>
  );
}

function Todo({todo}: {todo: TodoPart}) {
  if (!todo.total && !todo.words.length) return <Lead>Everything is described.</Lead>;
  const shown = todo.items.length < todo.total ? `, the first ${rows(todo.items.length)} are listed` : "";
  return (
    <>
      <Lead>
        What to document first, by how many questions it blocks, how many tables refer to it and how unclear its name
        is.
      </Lead>
      {todo.total ? (
        <>
          <p class="facts">{`${counted(todo.total, "place")} to describe${shown}`}</p>
          <TodoGrid items={todo.items} />
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

function TodoGrid({items}: {items: TodoPart["items"]}) {
  const isAsked = items.some(([, , , count]) => count);
  const heads: Head[] = [
    ["Table", "name"],
    ["Column", "name"],
    ["Tables that refer to the table", "number"],
    ...(isAsked ? [["Questions that it blocks", "wide"] as Head] : []),
  ];
  const body = items.map(([table, column, refer, ...blocked]) => [
    <TableName key={table} name={table} />,
    column ? (
      <a href={tableLink(table, column)}>
        <Code>{column}</Code>
      </a>
    ) : (
      ""
    ),
    rows(refer),
    ...(isAsked ? [blocked[0] ? <BlockedQuestions blocked={blocked as Blocked} /> : ""] : []),
  ]);
  return <Grid label="To document" heads={heads} body={body} />;
}
