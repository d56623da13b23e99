// What could go back to the repositories that create the tables, and what became of it. No view approves.
import {Fragment, h} from "preact";
import {useState} from "preact/hooks";
import {useApp, useLoaded} from "../app";
import {fromServer} from "../data/source";
import {counted, day, prose, visible} from "../text";
import {
  Code,
  Codes,
  Difference,
  Grid,
  Heading,
  Lead,
  Linked,
  Loading,
  Notes,
  Problem,
  Section,
  Sql,
  TableName,
  Trail,
} from "../ui";
import {OnlyServed, ReportTabs} from "./report";

interface Offer {
  table: string;
  column?: string;
  text: string;
  state: string;
  repository: string;
  questions: number;
  reason?: string;
  repository_says?: string;
  where?: string;
}

interface Cycle {
  cycle: number;
  state: string;
  outcome?: string;
  title: string;
  repository: string;
  descriptions: number;
  started_at: string;
}

interface Contributions {
  descriptions: Offer[];
  repositories: {name: string; location: string; database: string; problem?: string}[];
  cycles: Cycle[];
  counts: {[state: string]: number};
  total: number;
}

export function ContributionsView() {
  const {source, caller, isCallerKnown} = useApp();
  return (
    <>
      <ReportTabs title="Contributions" />
      <Heading>Contributions</Heading>
      {source.form !== "server" ? (
        <OnlyServed />
      ) : !isCallerKnown ? (
        <Loading />
      ) : caller.rights.contribute ? (
        <Listed />
      ) : (
        <Lead>
          No repository is configured, or you may not see contributions. Name the repository that creates the tables
          under <Code>contribution:</Code> in databases.yaml.
        </Lead>
      )}
    </>
  );
}

function Listed() {
  const [state, setState] = useState("open");
  const {value, problem} = useLoaded(`contributions ${state}`, () =>
    fromServer<Contributions>("v1/tools/list_contributions", {...(state ? {state} : {}), limit: 200}),
  );
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  return (
    <>
      <Lead>
        Descriptions that people wrote here, and whether the repository that creates the tables has them. Prepare a
        change with <Code>tribal contribute prepare</Code>
      </Lead>
      {value.cycles.length ? (
        <Section title="Prepared changes">
          <Grid
            label="Prepared changes"
            heads={[
              ["Change", "name"],
              ["State", ""],
              ["Repository", ""],
              ["Descriptions", "number"],
              ["Started", ""],
            ]}
            body={value.cycles.map(each => [
              <a key={each.cycle} href={`#/contributions/${each.cycle}`}>
                {each.cycle}. {visible(each.title || "no title yet")}
              </a>,
              <span class="tag">{stateOf(each)}</span>,
              visible(each.repository),
              String(each.descriptions),
              day(each.started_at),
            ])}
          />
        </Section>
      ) : null}
      <Section title="Descriptions">
        <p class="chips">
          {["", ...Object.keys(value.counts)].map(each => (
            <button key={each} type="button" class="chip" aria-pressed={each === state} onClick={() => setState(each)}>
              {each ? each.replaceAll("_", " ") : "all"} {each ? value.counts[each] : ""}
            </button>
          ))}
        </p>
        {value.descriptions.length ? (
          <Offers offers={value.descriptions} />
        ) : (
          <p class="soft">{state === "open" ? "Nothing left to contribute." : "None."}</p>
        )}
        {value.total > value.descriptions.length ? (
          <p class="soft">{counted(value.total - value.descriptions.length, "more description")} not listed.</p>
        ) : null}
      </Section>
      <Section title="Repositories">
        <Notes>
          {value.repositories.map(({name, location, database, problem: why}) => (
            <>
              <b>{visible(name)}</b> {location === name ? "" : <Code>{location}</Code>} creates the tables of{" "}
              {visible(database)}
              {why ? <span class="problem"> {prose(why)}</span> : null}
            </>
          ))}
        </Notes>
      </Section>
    </>
  );
}

/** How far a change is. */
const stateOf = ({state = "", outcome}: {state?: string; outcome?: string}) =>
  visible(outcome ?? (state === "waiting" ? "waits for approval" : state === "following" ? "waits for review" : state));

function Offers({offers}: {offers: Offer[]}) {
  return (
    <Grid
      label="Descriptions"
      heads={[
        ["Table", "name"],
        ["Text", "wide"],
        ["State", ""],
        ["Questions", "number"],
      ]}
      body={offers.map(({table, column, text, state, questions, reason, repository_says, where}) => [
        <TableName key={table + column} name={table} column={column} />,
        <>
          <span dir="auto">{prose(text)}</span>
          {repository_says ? (
            <p class="src">
              The repository says in <Code>{where ?? ""}</Code>: <span dir="auto">{prose(repository_says)}</span>
            </p>
          ) : null}
          {reason ? <p class="src">{prose(reason)}</p> : null}
        </>,
        <span class="tag">{state.replaceAll("_", " ")}</span>,
        questions ? String(questions) : "",
      ])}
    />
  );
}

interface Contribution {
  cycle?: number;
  state?: string;
  outcome?: string;
  publication?: {title: string; body?: string; branch: string};
  diff?: string;
  checks: {name: string; status: string; output?: string}[];
  warnings: string[];
  blockers: string[];
  /** Answers to a review, which wait for approval. */
  answers: {comment: number; author: string; quote: string; reply: string}[];
  /** Comments of reviewers that were not answered. */
  left_to_you: string[];
  message: string;
}

export function ContributionView({cycle}: {cycle: string}) {
  const {source} = useApp();
  const {value, problem} = useLoaded(cycle, async () => {
    if (source.form !== "server") throw new Error("contributions are in the served page only");
    return fromServer<Contribution>("v1/tools/get_contribution", {cycle: Number(cycle)});
  });
  return (
    <>
      <Trail>{[<a href="#/contributions">Contributions</a>, visible(cycle)]}</Trail>
      <Heading>{value?.publication?.title ?? `Contribution ${cycle}`}</Heading>
      {problem ? <Problem problem={problem} /> : value ? <Details value={value} /> : <Loading />}
    </>
  );
}

function Details({value}: {value: Contribution}) {
  const {publication, checks, warnings, blockers, answers, left_to_you: left} = value;
  return (
    <>
      <p class="facts">
        <span class="tag">{stateOf(value)}</span>
        {publication ? (
          <span>
            Branch <Code>{publication.branch}</Code>
          </span>
        ) : null}
      </p>
      <p>
        <Linked>{value.message}</Linked>
      </p>
      {blockers.length ? (
        <Section title="Blockers">
          <Notes>{blockers.map(each => prose(each))}</Notes>
        </Section>
      ) : null}
      {warnings.length ? (
        <ul class="warnings">
          {warnings.map(each => (
            <li key={each}>{prose(each)}</li>
          ))}
        </ul>
      ) : null}
      {answers.length ? (
        <Section title="Answers to the review, which wait for approval">
          <Notes>
            {answers.map(({author, quote, reply}) => (
              <>
                {visible(author)}: <q dir="auto">{visible(quote)}</q>
                <p dir="auto">{reply ? prose(reply) : "Left to you."}</p>
              </>
            ))}
          </Notes>
        </Section>
      ) : null}
      {left.length ? (
        <Section title="Comments that are left to you">
          <Notes>{left.map(each => prose(each))}</Notes>
        </Section>
      ) : null}
      {value.diff ? (
        <Section title="Change">
          <Difference>{value.diff}</Difference>
        </Section>
      ) : null}
      {publication?.body ? (
        <details class="folded">
          <summary>Text of the pull request</summary>
          <Sql language="text">{publication.body}</Sql>
        </details>
      ) : null}
      {checks.length ? (
        <p class="src">
          Checks: <Codes>{checks.map(({name, status}) => `${name} ${status.replaceAll("_", " ")}`)}</Codes>
        </p>
      ) : null}
    </>
  );
}
