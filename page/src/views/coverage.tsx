// Coverage: how fresh the documentation is, and how much is described, now and in the last runs.
import {Fragment, h} from "preact";
import {useApp} from "../app";
import {domainLink, searchLink} from "../data/catalog";
import type {Coverage, PastRun, Sources, StatePart} from "../data/types";
import {ago, counted, day, moment, rows, share, visible} from "../text";
import {Bar, describedColumns, describedTables, Grid, Lead, Legend, Name, Section, SOURCES} from "../ui";
import {Report} from "./report";

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
          {state.runs?.length ? <History runs={state.runs} /> : null}
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

/** Earlier runs that are drawn. */
function History({runs}: {runs: PastRun[]}) {
  return (
    <Section title="Over the last runs">
      {runs.length < 2 ? (
        <p class="soft">There is one run with numbers so far; the next one can be compared with it.</p>
      ) : (
        <div class="trends">
          <Trend
            title="Tables described"
            runs={runs.map(run => ({at: run.at, ...run.tables, by: written(run.tables.by)}))}
          />
          <Trend title="Columns described" runs={runs.map(run => ({at: run.at, ...run.columns}))} />
        </div>
      )}
      {runs.length < 2 ? null : <Legend sources={Object.keys(SOURCES)} />}
      <RunGrid runs={runs} />
      {runs.length > 1 ? <DomainTrends runs={runs} /> : null}
    </Section>
  );
}

const written = ({derived, ...by}: Sources): Sources => by;

interface TrendProps {
  title: string;
  runs: {at: string; n: number; by: Sources}[];
}

/** The share that is described in each run, by source, as stacked bars. */
function Trend({title, runs}: TrendProps) {
  const width = 100 / Math.max(6, runs.length);
  const last = runs.at(-1);
  const first = runs[0];
  const shareOf = (run?: TrendProps["runs"][number]) => (run ? share(describedColumns(run.by), run.n) : "");
  return (
    <figure class="trend">
      <figcaption class="soft">
        {title}: {shareOf(first)} {"\u2192"} {shareOf(last)}
      </figcaption>
      <svg
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}, from ${shareOf(first)} to ${shareOf(last)}`}
      >
        {runs.flatMap(({at, n, by}, place) => {
          let top = 40;
          return Object.entries(SOURCES).map(([source, [color]]) => {
            const height = n ? (40 * (by[source] ?? 0)) / n : 0;
            top -= height;
            return (
              <rect key={at + source} class={color} x={place * width} y={top} width={width * 0.8} height={height} />
            );
          });
        })}
      </svg>
    </figure>
  );
}

function RunGrid({runs}: {runs: PastRun[]}) {
  const costs = runs.some(({usd}) => usd !== undefined);
  return (
    <Grid
      label="Runs"
      heads={[
        ["Run", "name"],
        ["Tables described", "number"],
        ["Columns described", "number"],
        ...(costs
          ? ([
              ["Cost", "number"],
              ["Quoted", "number"],
            ] as [string, string][])
          : []),
      ]}
      body={[...runs].reverse().map(run => [
        <time key={run.at} dateTime={run.at}>
          {moment(run.at)}
        </time>,
        ratio(describedTables(run.tables.by), run.tables.n),
        ratio(describedColumns(run.columns.by), run.columns.n),
        ...(costs ? [dollars(run.usd), dollars(run.quoted)] : []),
      ])}
    />
  );
}

const dollars = (usd: number | undefined) => (usd === undefined ? "" : `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`);

/** For each domain, the share that is described in the first and in the last of the runs. */
function DomainTrends({runs}: {runs: PastRun[]}) {
  const {catalog} = useApp();
  const shares = (run: PastRun | undefined) =>
    new Map(
      (run?.domains ?? []).map(([database, domain, tables, columns]) => [
        JSON.stringify([database, domain]),
        {
          database,
          domain,
          part: describedTables(tables.by) + describedColumns(columns.by),
          whole: tables.n + columns.n,
        },
      ]),
    );
  const before = shares(runs[0]);
  const now = [...shares(runs.at(-1))];
  return (
    <details class="folded">
      <summary>By domain</summary>
      <Grid
        label="Described by domain"
        heads={[
          ["Domain", "name"],
          [`Described on ${day(runs[0]?.at ?? "")}`, "number"],
          ["Described now", "number"],
        ]}
        body={now.map(([key, {database, domain, part, whole}]) => {
          const earlier = before.get(key);
          return [
            <a key={key} href={domainLink(database, domain)}>
              {visible(catalog.domain(database, domain)?.h ?? domain)}
            </a>,
            earlier ? share(earlier.part, earlier.whole) : "new",
            share(part, whole),
          ];
        })}
      />
    </details>
  );
}
