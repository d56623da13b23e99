// The first view: what is documented, in numbers and as a picture, and where to begin.
import {type ComponentChildren, Fragment, h} from "preact";
import {useApp} from "../app";
import {type Database, type Domain, databaseLink, domainLink, ownName, tableLink} from "../data/catalog";
import {MapOfDatabase} from "../graph_loading";
import {counted, cut, day, prose, rows, share, visible} from "../text";
import {Backticked, Bar, describedColumns, describedTables, Grid, Heading, Lead, Name, Section, TableName} from "../ui";

const DIALECTS: Record<string, string> = {postgres: "PostgreSQL", snowflake: "Snowflake"};
/** Domains of a database on the first view; a database's own view lists all. */
const LISTED_DOMAINS = 24;
/** Databases whose maps and domains are on the first view; more of them are listed. */
const FEW_DATABASES = 3;

export function HomeView() {
  const {catalog} = useApp();
  const databases = [...catalog.databases.values()];
  const isFew = databases.length <= FEW_DATABASES;
  return (
    <>
      <Heading>{catalog.name}</Heading>
      <Lead>{intro(catalog.home.engines, catalog.home.at, catalog.places.length, catalog.domains.size)}</Lead>
      {catalog.text && databases.length !== 1 ? <p dir="auto">{prose(catalog.text)}</p> : null}
      <Numbers />
      <Waiting />
      <Questions />
      {isFew
        ? databases.map(database => (
            <DatabaseMapSection key={database.n} database={database} isOnly={databases.length === 1} />
          ))
        : null}
      <div class="two">
        <div>
          {isFew ? (
            databases.map(database => (
              <Section
                key={database.n}
                title={databases.length === 1 ? "Domains" : <Of what="Domains" database={database} />}
              >
                <Domains database={database} limit={LISTED_DOMAINS} />
              </Section>
            ))
          ) : (
            <Section title="Databases">
              <Databases />
            </Section>
          )}
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
  const what = tables === 1 ? "1 table or view" : `${counted(tables, "table")} and views`;
  return `${what} in ${counted(domains, "domain")}${where}${at ? `, documented on ${day(at)}` : ""}.`;
}

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
  const [known, needed] = [describedColumns(columns.by), columns.n];
  const {derived = 0, ...written} = tables.by;
  return (
    <div class="cards">
      <Card
        title="Tables described"
        number={`${describedTables(tables.by)} of ${tables.n}`}
        href={inReports ? "#/coverage" : undefined}
      >
        <Bar whole={tables.n} by={written} label={`${share(describedTables(written), tables.n)} of the tables`} />
        {derived ? <div class="src">the others have no description of their own</div> : null}
      </Card>
      <Card title="Columns described" number={needed ? share(known, needed) : "all"}>
        <Bar whole={needed} by={columns.by} label={`${share(known, needed)} of the columns that need a description`} />
        <div class="src">of {counted(needed, "column")}; keys and names that explain themselves are not counted</div>
      </Card>
      {exam ? (
        <Card
          title={`Exam of ${day(exam.at)}`}
          href={inReports ? "#/exam" : undefined}
          number={`${exam.answered} of ${counted(exam.total, "question")}`}
        >
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

/** What waits for a person. */
function Waiting() {
  const {proposals, contributions, uploads} = useApp().caller.waiting;
  const items: [number: number, noun: string, rest: string, address: string][] = [
    [proposals, "proposal", "to accept or reject", "#/proposals"],
    [contributions, "contribution", "to approve", "#/contributions"],
    [uploads, "upload", "being indexed", "#/definitions"],
  ];
  const shown = items.filter(([number]) => number);
  if (!shown.length) return null;
  return (
    <p class="facts">
      <span>Waiting:</span>
      {shown.map(([number, noun, rest, address]) => (
        <a key={noun} href={address}>
          {counted(number, noun)} {rest}
        </a>
      ))}
    </p>
  );
}

/** Questions that the page answers. */
function Questions() {
  const {catalog, source} = useApp();
  const {questions} = catalog.home;
  if (!questions.length) return null;
  const ask =
    source.form === "server" ? (
      <a class="button" href="#/ask">
        Ask a question
      </a>
    ) : null;
  return (
    <Section title="Start here" tools={ask}>
      <ul class="questions">
        {questions.map(([text, address]) => (
          <li key={text}>
            <a href={address}>
              <Backticked>{text}</Backticked>
            </a>
          </li>
        ))}
      </ul>
    </Section>
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

function Of({what, database}: {what: string; database: Database}) {
  return (
    <>
      {what} of <Name>{database.n}</Name>
    </>
  );
}

function Databases() {
  const {catalog} = useApp();
  return (
    <Grid
      label="Databases"
      heads={[
        ["Database", "name"],
        ["Description", "wide"],
        ["Domains", "number"],
        ["Tables", "number"],
      ]}
      body={[...catalog.databases.values()].map(database => [
        <a key={database.n} href={databaseLink(database.n)}>
          <Name>{database.n}</Name>
        </a>,
        <span key={database.n} dir="auto">
          {prose(cut(database.s, 200))}
        </span>,
        rows(database.domains.length),
        rows(database.domains.reduce((sum, domain) => sum + domain.tables.length, 0)),
      ])}
    />
  );
}

function DatabaseMapSection({database, isOnly}: {database: Database; isOnly: boolean}) {
  if (database.domains.length < 2) return null;
  const open = (
    <a class="button" href={`#/map/${encodeURIComponent(database.n)}`}>
      Open the map
    </a>
  );
  const title = isOnly ? "Map" : <Of what="Map" database={database} />;
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
  const names = domain.tables.slice(0, 4).map(table => visible(ownName(table)));
  return <span class="gap">{names.join(", ")}</span>;
}

/** The first sentences of a text, until they say something. */
function beginning(text: string): string {
  let said = "";
  for (const sentence of text.trim().split(/(?<=[.!?])\s+/)) if (said.length < 40) said = `${said} ${sentence}`;
  return said.trim();
}

function Lists() {
  const {catalog, source} = useApp();
  const {connected, read, todo, changes} = catalog.home;
  return (
    <>
      <Ranked title="Most connected" label="keys to other tables" items={connected} />
      <Ranked title="Most read" label="views and verified queries read it" items={read} />
      {changes?.items.length ? (
        <Section title="Recent changes">
          <ul class="plain">
            {changes.items.map(([label, what, table]) => (
              <li key={`${table ?? label} ${what}`}>
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
