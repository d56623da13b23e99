// A table: what it is, its columns, and all that leads to it and away from it.
import {type ComponentChildren, Fragment, h} from "preact";
import {useEffect, useState} from "preact/hooks";
import {type App, useApp, useLoaded} from "../app";
import {sectionLink, type Table} from "../data/catalog";
import {definitionsOf, type TableDefinitions} from "../data/definitions";
import {fromServer} from "../data/source";
import {EXPLAINED, type OpenQuestions, type Remembered} from "../data/types";
import {ByHand} from "../editing/by_hand";
import {Pencil, Pending} from "../editing/pencil";
import {type Editable, pendingIn, useSaved} from "../editing/saved";
import {DiagramOf} from "../graph_loading";
import {scrollWhileGrowing} from "../scrolling";
import type {Search} from "../search/search";
import {counted, prose, visible} from "../text";
import {Code, Copy, Folded, Heading, kindOf, Notes, Problem, Section, SOURCES, Sql, TrailTo} from "../ui";
import {Columns} from "./columns";
import {columnList, contextOf, selectOf, tableInSql} from "./context";
import {KeyList, TableJoins} from "./join";
import {Lineage} from "./lineage";
import {Constraints, hasSamples, Questions, Samples} from "./table_parts";

interface Props {
  table: Table;
  column?: string;
  section?: string;
  search: Search;
  /** Counts the visits: a link to the same address leads there again. */
  visit: number;
  isReturn: boolean;
}

export function TableView({table, column: named, section, search, visit, isReturn}: Props) {
  const app = useApp();
  const asked = useLoaded("questions", () => questionsOf(app, table));
  const known = useLoaded("remembered", () => rememberedOf(app, table));
  const defined = useLoaded("definitions", () => definitionsOf(app.source, table));
  const problem = asked.problem ?? known.problem ?? defined.problem;
  const questions = asked.value ?? [];
  const remembered = known.value ?? [];
  const definitions = defined.value ?? {queries: [], metrics: []};
  const column = table.c?.some(([name]) => name === named) ? named : undefined;
  useEffect(() => {
    if (isReturn) return;
    if (section) {
      scrollWhileGrowing(() => document.getElementById(section)?.scrollIntoView());
      if (section === "joins") document.getElementById("join-with")?.focus({preventScroll: true});
    }
    if (column !== undefined) document.querySelector("tbody.chosen")?.scrollIntoView({block: "center"});
  }, [visit, section, column, isReturn]);
  const sections = sectionsOf(table, questions, definitions, search, {
    column,
    section,
    hasAnyJoin: app.source.form !== "file",
  });
  const current = useCurrentSection(
    sections.map(({id}) => id),
    section,
  );
  const editable: Editable = {named: {table: table.n}, label: table.l, shown: table.s, isHuman: table.o === "human"};
  return (
    <article class="table-view">
      <TrailTo database={table.b} domain={table.d} />
      <div class="top">
        <Heading>{table.l}</Heading>
        <Actions table={table} remembered={remembered} definitions={definitions} />
      </div>
      <p class="lead" dir="auto">
        {table.s ? prose(table.s) : <span class="gap">Not described yet.</span>}{" "}
        <span class="src">{sourceWords(table)}</span> <Pencil text={editable} />
        <Pending>{pendingIn(useSaved(editable.named), editable)}</Pending>
      </p>
      <Facts table={table} definitions={definitions} />
      {table.no ? <Notes>{table.no.map(note => prose(note))}</Notes> : null}
      <Guidance items={remembered} />
      {problem ? <Problem problem={problem} /> : null}
      {named === undefined || column !== undefined ? null : (
        <p role="status">
          This table has no column <Code>{named}</Code>.
        </p>
      )}
      <nav class="tabs" aria-label="Sections">
        {sections.map(({id, title}) => (
          <a key={id} href={sectionLink(table.n, id)} aria-current={id === current ? "true" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {sections.map(({id, title, content, isFolded}) =>
        isFolded ? (
          <Folded key={id} id={id} title={title} open={section === id}>
            {content}
          </Folded>
        ) : (
          <Section key={id} id={id} title={title}>
            {content}
          </Section>
        ),
      )}
      <ByHand database={table.b} line={table.al} where={table.l} />
    </article>
  );
}

/** The section that the reader has scrolled to. */
function useCurrentSection(ids: string[], chosen: string | undefined): string {
  const [current, setCurrent] = useState("columns");
  useEffect(() => {
    const look = () => {
      const topOf = (id: string) =>
        document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
      const isAtEnd = window.scrollY > 0 && window.innerHeight + window.scrollY >= document.body.scrollHeight - 2;
      // The last sections cannot be scrolled to the top.
      const isChosenSeen = chosen !== undefined && isAtEnd && topOf(chosen) < window.innerHeight;
      const last = ids.filter(id => topOf(id) < window.innerHeight / 3).at(-1);
      setCurrent((isChosenSeen ? chosen : last) ?? "columns");
    };
    window.addEventListener("scroll", look, {passive: true});
    look();
    return () => window.removeEventListener("scroll", look);
  }, [ids.join(), chosen]);
  return current;
}

async function questionsOf({source}: App, table: Table): Promise<OpenQuestions> {
  if (source.form !== "server") return table.qs ?? [];
  return fromServer(`v1/page/questions?name=${encodeURIComponent(table.n)}`);
}

async function rememberedOf({source}: App, table: Table): Promise<Remembered[]> {
  if (source.form !== "server") return table.rem ?? [];
  return fromServer(`v1/page/remembered?name=${encodeURIComponent(table.n)}`);
}

function sourceWords(table: Table): string {
  if (!table.s) return "";
  if (table.o === "derived") return `from ${table.w?.replace(/^from /, "") ?? "the catalog"}, not confirmed`;
  return SOURCES[table.o ?? ""]?.[2] ?? "";
}

function Facts({table, definitions}: {table: Table; definitions: TableDefinitions}) {
  const columns = table.c ?? [];
  const needed = columns.filter(([, , flags = 0]) => !(flags & EXPLAINED));
  const described = needed.filter(([, , , text]) => text).length;
  const rows =
    table.k === "view"
      ? ""
      : table.r < 0
        ? "rows unknown"
        : `~${counted(table.r, "row")}${table.ra ? ` on ${table.ra}` : ""}`;
  const facts: ComponentChildren[] = [
    [kindOf(table), counted(columns.length, "column"), rows].filter(Boolean).join(" \u00b7 "),
    table.p ? counted(table.p, table.k === "table" ? "inheriting table" : "partition") : null,
    table.ow ? (
      <>
        Owner <b>{visible(table.ow)}</b>
      </>
    ) : null,
    needed.length ? `${described} of ${counted(needed.length, "column")} described` : null,
    table.rb ? `Read by ${counted(table.rb[1], "view")}` : null,
    definitions.queries.length ? counted(definitions.queries.length, "verified query") : null,
  ];
  return (
    <p class="facts">
      {facts.filter(Boolean).map((fact, place) => (
        <span key={place}>{fact}</span>
      ))}
    </p>
  );
}

interface ActionsProps {
  table: Table;
  remembered: Remembered[];
  definitions: TableDefinitions;
}

function Actions({table, remembered, definitions}: ActionsProps) {
  const {source} = useApp();
  const hasJoins = source.form !== "file" || table.e || table.lk;
  return (
    <p class="actions">
      <Copy
        label="Copy for an agent"
        hint="What an agent should know of this table, as Markdown"
        text={() => contextOf(table, remembered, definitions.queries)}
      />
      <Copy label="Copy SELECT" text={() => selectOf(table)} />
      <Copy label="Copy name" text={() => tableInSql(table)} />
      <Copy label="Copy columns" text={() => columnList(table)} />
      {hasJoins ? (
        <a class="button" href={sectionLink(table.n, "joins")}>
          Join with{"\u2026"}
        </a>
      ) : null}
    </p>
  );
}

/** What others decided and learned of a table. */
function Guidance({items}: {items: Remembered[]}) {
  if (!items.length) return null;
  const isMemory = (item: Remembered) => item.kind === "memory";
  const decisionsFirst = [...items.filter(item => !isMemory(item)), ...items.filter(isMemory)];
  return (
    <ul class="box guidance" aria-label="Decisions and memories">
      {decisionsFirst.map(item => (
        <li key={`${item.kind} ${item.id}`}>
          <strong>{isMemory(item) ? "Remembered" : "Decision"}</strong> <span dir="auto">{prose(item.text)}</span>{" "}
          <span class="src">
            {isMemory(item) ? "" : `${item.kind} ${visible(item.id)} \u00b7 `}
            {item.layer}, by {visible(item.author)}
            {item.age ? `, ${item.age} ago` : ""}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ViewSection {
  id: string;
  title: string;
  content: ComponentChildren;
  isFolded?: boolean;
}

function sectionsOf(
  table: Table,
  questions: OpenQuestions,
  definitions: TableDefinitions,
  search: Search,
  {column, section, hasAnyJoin}: {column?: string; section?: string; hasAnyJoin: boolean},
): ViewSection[] {
  const keys = (table.e?.length ?? 0) + (table.lk?.length ?? 0);
  const asked = questions.length + definitions.queries.length + definitions.metrics.length;
  const constraints = (table.u?.length ?? 0) + (table.ix?.length ?? 0) + (table.ch?.length ?? 0);
  const samples = <Samples table={table} />;
  const all: (ViewSection | false)[] = [
    {
      id: "columns",
      title: `Columns ${table.c?.length ?? 0}`,
      content: <Columns table={table} chosen={column} questions={questions} />,
    },
    keys > 0 && {
      id: "diagram",
      title: "Diagram",
      content: <DiagramOf label={`Keys of ${visible(table.l)}`} start={[table.n]} focus={table.n} />,
    },
    (keys > 0 || hasAnyJoin) && {
      id: "joins",
      title: "Joins",
      content: (
        <>
          <TableJoins table={table} search={search} />
          {keys > 0 ? (
            <details class="folded">
              <summary>All keys, with their meaning</summary>
              <KeyList table={table} />
            </details>
          ) : null}
        </>
      ),
    },
    (Boolean(table.rd || table.rb || table.v) || definitions.queries.length + definitions.metrics.length > 0) && {
      id: "lineage",
      title: "Lineage",
      content: <Lineage table={table} column={column} definitions={definitions} isChosen={section === "lineage"} />,
    },
    asked > 0 && {
      id: "questions",
      title: `Questions ${asked}`,
      content: (
        <Questions table={table} definitions={definitions} open={questions} isChosen={section === "questions"} />
      ),
    },
    hasSamples(table) && {
      id: "samples",
      title: "Samples",
      content: samples,
      isFolded: true,
    },
    constraints > 0 && {
      id: "indexes",
      title: `Indexes and checks ${constraints}`,
      content: <Constraints table={table} />,
      isFolded: true,
    },
    Boolean(table.g) && {
      id: "describe",
      title: "To describe",
      content: (
        <>
          <p class="soft">Lines for the annotations file, to fill in:</p>
          <Sql language="YAML">{table.g ?? ""}</Sql>
        </>
      ),
      isFolded: true,
    },
  ];
  return all.filter(section => section !== false);
}
