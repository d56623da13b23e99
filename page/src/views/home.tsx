// The first view: what is documented, in numbers and as a picture, and where to begin.
import {type ComponentChildren, Fragment, h} from "preact";
import {useApp} from "../app";
import {type Database, type Domain, databaseLink, domainLink, tableLink} from "../data/catalog";
import type {Sources} from "../data/types";
import {MapOfDatabase} from "../graph_loading";
import {counted, cut, day, prose, share, visible} from "../text";
import {Backticked, Bar, Heading, Lead, Name, Section, TableName} from "../ui";

const DIALECTS: Record<string, string> = {postgres: "PostgreSQL", snowflake: "Snowflake"};
/** Domains of a database on the first view; a database's own view lists all. */
const LISTED_DOMAINS = 24;

export function HomeView() {
  const {catalog} = useApp();
  const databases = [...catalog.databases.values()];
  return (
    <>
      <Heading>{catalog.name}</Heading>
      <Lead>{intro(catalog.home.engines, catalog.home.at, catalog.places.length, catalog.domains.size)}</Lead>
      {catalog.text && databases.length !== 1 ? <p dir="auto">{prose(catalog.text)}</p> : null}
      <Numbers />
      {databases.map(database => (
        <DatabaseMapSection key={database.n} database={database} isOnly={databases.length === 1} />
      ))}
      <div class="two">
        <div>
          {databases.map(database => (
            <Section
              key={database.n}
              title={
                databases.length === 1 ? (
                  "Domains"
                ) : (
                  <Fragment>
                    Domains of <Name>{database.n}</Name>
                  </Fragment>
                )
              }
            >
              <Domains database={database} limit={LISTED_DOMAINS} />
            </Section>
          ))}
        </div>
        <div>
          <Lists />
        </div>
      </div>
    </>
  );
}

function intro(engines: {[engine: string]: number}, at: string, tables: number, domains: number): string {
  const kinds = Object.entries(engines);
  const places = kinds.map(([engine, number]) => {
    const name = DIALECTS[engine] ?? engine;
    return number === 1 ? `one ${name} database` : `${number} ${name} databases`;
  });
  const where = places.length ? ` of ${places.join(" and ")}` : "";
  return `${counted(tables, "table")} and views in ${counted(domains, "domain")}${where}${at ? `, documented on ${day(at)}` : ""}.`.replace(
    /^1 table and views/,
    "1 table or view",
  );
}

/** Texts that someone wrote; those that rules derive are on the bar, not in the number. */
const described = (by: Sources) => (by.human ?? 0) + (by.comment ?? 0) + (by.model ?? 0);

function Card({
  title,
  number,
  children,
  href,
}: {
  title: string;
  number: string;
  children?: ComponentChildren;
  href?: string;
}) {
  return (
    <div class="card">
      <div class="soft">{href ? <a href={href}>{title}</a> : title}</div>
      <div class="number">{number}</div>
      {children}
    </div>
  );
}

function Numbers() {
  const {catalog, source} = useApp();
  const {tables, columns, exam, changes} = catalog.home;
  const inReports = source.form !== "file";
  const [known, needed] = [described(columns.by) + (columns.by.derived ?? 0), columns.n];
  return (
    <div class="cards">
      <Card
        title="Tables described"
        number={`${described(tables.by)} of ${tables.n}`}
        href={inReports ? "#/state" : undefined}
      >
        <Bar
          whole={tables.n}
          by={tables.by}
          label={`${share(described(tables.by), tables.n)} of the tables are described`}
        />
      </Card>
      <Card title="Columns described" number={needed ? share(known, needed) : "all"}>
        <Bar
          whole={needed}
          by={columns.by}
          label={`${share(known, needed)} of the columns that need it are described`}
        />
        <div class="src">
          {counted(needed, "column")} need a description; names and keys that explain themselves are not counted
        </div>
      </Card>
      {exam ? (
        <Card title={`Exam of ${day(exam.at)}`} number={`${exam.answered} of ${exam.total}`}>
          <div class="src">
            {exam.blocked[0] ? `blocked: ${visible(cut(exam.blocked[0], 90))}` : "every question is answered"}
          </div>
        </Card>
      ) : null}
      {changes ? (
        <Card
          title={changes.since ? `Changed since ${day(changes.since)}` : "Changed"}
          number={String(changes.tables.reduce((sum, count) => sum + count, 0))}
          href="#/changes"
        >
          <div class="src">{changeWords(changes.tables)}</div>
        </Card>
      ) : null}
    </div>
  );
}

function changeWords([added, dropped, changed]: [number, number, number]): string {
  const parts = [
    added && `${counted(added, "table")} added`,
    dropped && `${counted(dropped, "table")} dropped`,
    changed && `${counted(changed, "table")} changed`,
  ].filter(Boolean);
  return parts.join(" \u00b7 ") || "nothing in the databases";
}

function DatabaseMapSection({database, isOnly}: {database: Database; isOnly: boolean}) {
  if (database.domains.length < 2) return null;
  const open = (
    <a class="button" href={`#/map/${encodeURIComponent(database.n)}`}>
      Open the map
    </a>
  );
  const title = isOnly ? (
    "Map"
  ) : (
    <Fragment>
      Map of <Name>{database.n}</Name>
    </Fragment>
  );
  return (
    <Section title={title} tools={open}>
      <MapOfDatabase database={database} small />
    </Section>
  );
}

/** The domains of a database, each with a sentence or its most connected tables. */
export function Domains({database, limit}: {database: Database; limit?: number}) {
  const largest = [...database.domains].sort((one, other) => other.tables.length - one.tables.length);
  const listed = limit ? largest.slice(0, limit) : largest;
  return (
    <>
      <table class="domains" aria-label={`Domains of ${visible(database.n)}`}>
        <thead class="hidden">
          <tr>
            <th scope="col">Domain</th>
            <th scope="col">Description</th>
            <th scope="col">Tables</th>
          </tr>
        </thead>
        <tbody>
          {listed.map(domain => (
            <tr key={domain.n}>
              <td class="name">
                <a href={domainLink(domain.b, domain.n)}>{visible(domain.h)}</a>
              </td>
              <td>
                <DomainText domain={domain} />
              </td>
              <td class="count">{domain.tables.length}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {listed.length < largest.length ? (
        <p>
          <a href={databaseLink(database.n)}>{`All ${largest.length} domains`}</a>
        </p>
      ) : null}
    </>
  );
}

/** The first sentence of a domain's description; without one, some of its tables. */
function DomainText({domain}: {domain: Domain}) {
  if (domain.s) return <span dir="auto">{prose(cut(beginning(domain.s), 200))}</span>;
  const names = domain.tables.slice(0, 4).map(table => visible(table.l.replace(/^.*\./, "")));
  return <span class="gap">{names.join(", ")}</span>;
}

/** The first sentences of a text, until they say something. */
function beginning(text: string): string {
  const sentences = text.match(/[^.!?]+[.!?]+(?=\s|$)\s*/g) ?? [text];
  let said = "";
  for (const sentence of sentences) if (said.length < 40) said += sentence;
  return said.trim();
}

function Lists() {
  const {catalog, source} = useApp();
  const {questions, connected, read, todo, changes} = catalog.home;
  return (
    <>
      {questions.length ? (
        <Section title="Start here">
          <ul class="plain">
            {questions.map(([text, address]) => (
              <li key={text}>
                <a href={address}>
                  <Backticked>{text}</Backticked>
                </a>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      <Ranked title="Most connected" label="keys" items={connected} />
      <Ranked title="Most read" label="readers" items={read} />
      {changes?.items.length ? (
        <Section title="Recent changes">
          <ul class="plain">
            {changes.items.map(([label, what, table]) => (
              <li key={label + what}>
                {table ? <TableName name={table} /> : <Name>{label}</Name>} <span class="src">{visible(what)}</span>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {todo.length ? (
        <Section title={source.form === "file" ? "To document" : <a href="#/todo">To document</a>}>
          <ul class="plain">
            {todo.map(([table, column, why]) => (
              <li key={`${table} ${column}`}>
                <TableName name={table} column={column || undefined} /> <span class="src">{visible(why)}</span>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
    </>
  );
}

function Ranked({title, label, items}: {title: string; label: string; items: [string, number][]}) {
  const {catalog} = useApp();
  if (!items.length) return null;
  return (
    <Section title={title}>
      <p class="chips">
        {items.map(([name, count]) => (
          <a key={name} class="chip" href={tableLink(name)} title={`${count} ${label}`}>
            <Name>{catalog.tables.get(name)?.l ?? name}</Name> <span class="soft">{count}</span>
          </a>
        ))}
      </p>
    </Section>
  );
}
