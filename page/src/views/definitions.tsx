// Definitions: verified queries, metrics, terms and uploads, each with its state, and what an agent gets for a question.
import {Fragment, h} from "preact";
import {useEffect, useState} from "preact/hooks";
import {useApp, useLoaded} from "../app";
import {AgentText} from "../ask/agent_text";
import {loadDefinitions} from "../data/definitions";
import type {DefinitionsPart, Metric, Term, VerifiedQuery} from "../data/types";
import {TargetName} from "../editing/target";
import {day, prose, visible} from "../text";
import {Code, Codes, Heading, Joined, Lead, Loading, Notes, Problem, Section, Sql, TableName} from "../ui";
import {NotInFile} from "./report";
import {Uploads} from "./uploads";

const STATES: Record<string, [kind: string, words: string]> = {
  current: ["good", "current"],
  changed: ["warn", "changed: a table that it uses has changed"],
  stale: ["warn", "stale: it no longer passes its check"],
  broken: ["bad", "broken"],
};

export function State({children}: {children: string}) {
  const [kind, words] = STATES[children] ?? ["", children];
  return (
    <span class={`tag ${kind}`} title={words}>
      {children}
    </span>
  );
}

export function DefinitionsView({named}: {named: string}) {
  const {source} = useApp();
  const {value, problem} = useLoaded("definitions", () => loadDefinitions(source));
  return (
    <>
      <Heading>Definitions</Heading>
      {source.form === "file" ? (
        <NotInFile />
      ) : problem ? (
        <Problem problem={problem} />
      ) : value ? (
        <Definitions part={value} named={named} />
      ) : (
        <Loading />
      )}
    </>
  );
}

function Definitions({part, named}: {part: DefinitionsPart; named: string}) {
  const {source, caller} = useApp();
  const {queries, metrics, terms, unusable} = part;
  useEffect(() => {
    if (named) document.querySelector("main details[open], main .chosen")?.scrollIntoView({block: "center"});
  }, [named]);
  return (
    <>
      <Lead>What people defined about the tables, and whether it is still right.</Lead>
      <Section id="queries" title={`Verified queries ${queries.length}`}>
        {queries.length ? (
          queries.map(query => <QueryItem key={query.sql} query={query} isOpen={isNamed(query, named)} withTables />)
        ) : (
          <p class="soft">
            None yet: put SQL files with a line <Code>-- question: ...</Code> into <Code>queries/</Code>
          </p>
        )}
      </Section>
      <Section id="metrics" title={`Metrics ${metrics.length}`}>
        {metrics.length ? (
          <ul class="notes">
            {metrics.map(metric => (
              <MetricItem key={metric.n} metric={metric} isChosen={metric.n === named} withTables />
            ))}
          </ul>
        ) : (
          <p class="soft">None yet.</p>
        )}
      </Section>
      <Section id="terms" title={`Terms ${terms.length}`}>
        {terms.length ? (
          <ul class="notes">
            {terms.map(term => (
              <TermItem key={term.n} term={term} isChosen={term.n === named} />
            ))}
          </ul>
        ) : (
          <p class="soft">None yet.</p>
        )}
      </Section>
      {unusable?.length ? (
        <Section title="Files that cannot be used">
          <Notes>
            {unusable.map(([file, line, message]) => (
              <>
                <Code>{file}</Code>, line {line}: {prose(message)}
              </>
            ))}
          </Notes>
        </Section>
      ) : null}
      {source.form === "server" ? (
        <>
          <AgentContext />
          {caller.rights.upload ? <Uploads /> : null}
        </>
      ) : (
        <p class="foot">Uploads, and what an agent gets for a question, are in the served page.</p>
      )}
    </>
  );
}

const isNamed = ({q, f}: VerifiedQuery, named: string) => Boolean(named) && (q.includes(named) || f === named);

function Reasons({children}: {children?: string[]}) {
  return children?.length ? (
    <ul class="warnings">
      {children.map(reason => (
        <li key={reason}>{prose(reason)}</li>
      ))}
    </ul>
  ) : null;
}

function Tables({children}: {children: string[]}) {
  return children.length ? (
    <p class="src">
      Uses{" "}
      <Joined>
        {children.map(name => (
          <TableName key={name} name={name} />
        ))}
      </Joined>
    </p>
  ) : null;
}

interface QueryProps {
  query: VerifiedQuery;
  isOpen: boolean;
  withTables?: boolean;
}

export function QueryItem({query, isOpen, withTables}: QueryProps) {
  const [question = "", ...others] = query.q;
  return (
    <details class="folded" open={isOpen}>
      <summary>
        <span dir="auto">{visible(question)}</span> <State>{query.st}</State>{" "}
        <span class="src">
          {query.on ? `verified on ${day(query.on)}` : "verified query"}
          {query.ow ? `, by ${visible(query.ow)}` : ""}
        </span>
      </summary>
      {others.length ? <p class="src">Also: {others.map(visible).join(" \u00b7 ")}</p> : null}
      <Reasons>{query.why}</Reasons>
      <Sql>{query.sql}</Sql>
      {withTables ? <Tables>{query.t}</Tables> : null}
      {query.st === "current" || !query.f ? null : (
        <p class="src">
          {query.st === "changed"
            ? "All of its names still exist. If its result is still right"
            : "Once it is repaired"}
          , set the date with <Code>{`tribal queries verify ${query.f}`}</Code>
        </p>
      )}
    </details>
  );
}

interface MetricProps {
  metric: Metric;
  isChosen?: boolean;
  withTables?: boolean;
}

export function MetricItem({metric, isChosen, withTables}: MetricProps) {
  const {n, s, x, fi, st, ow, t, why} = metric;
  return (
    <li class={isChosen ? "chosen" : undefined}>
      <b>{visible(n)}</b> <span dir="auto">{prose(s)}</span> <Code>{x}</Code>
      {fi?.length ? (
        <>
          {" "}
          where <Codes>{fi}</Codes>
        </>
      ) : null}{" "}
      <State>{st}</State> <span class="src">metric{ow ? `, by ${visible(ow)}` : ""}</span>
      <Reasons>{why}</Reasons>
      {withTables ? <Tables>{t}</Tables> : null}
    </li>
  );
}

function TermItem({term, isChosen}: {term: Term; isChosen: boolean}) {
  return (
    <li class={isChosen ? "chosen" : undefined}>
      <b>{visible(term.n)}</b> <span dir="auto">{prose(term.s)}</span> <State>{term.st}</State>{" "}
      {term.sy?.length ? <span class="src">also {term.sy.map(visible).join(", ")}</span> : null}
      <Reasons>{term.why}</Reasons>
      {term.c?.length ? (
        <p class="src">
          Columns{" "}
          <Joined>
            {term.c.map(column => (
              <TargetName key={column} target={column} />
            ))}
          </Joined>
        </p>
      ) : null}
      <Tables>{term.t}</Tables>
    </li>
  );
}

/** What an agent gets that is about to write SQL for a question. */
function AgentContext() {
  const [question, setQuestion] = useState("");
  const [asked, setAsked] = useState("");
  return (
    <Section id="agent" title="What an agent gets">
      <form
        class="ask"
        onSubmit={event => {
          event.preventDefault();
          setAsked(question.trim());
        }}
      >
        <div class="field">
          <label for="agent-question">A question for SQL</label>
          <input
            id="agent-question"
            value={question}
            required
            maxLength={2000}
            onInput={event => setQuestion(event.currentTarget.value)}
          />
        </div>
        <button type="submit">Show</button>
      </form>
      {asked ? <AgentText key={asked} question={asked} /> : null}
    </Section>
  );
}
