// The latest exam: how many questions the documentation answers, and what to write first.
import {Fragment, h} from "preact";
import {useState} from "preact/hooks";
import {useApp, useLoaded} from "../app";
import {askLink} from "../ask/link";
import {fromServer} from "../data/source";
import type {Exam, ExamPart} from "../data/types";
import {EditTarget, TargetName} from "../editing/target";
import {ago, counted, moment, prose, rows, share, visible} from "../text";
import {Code, Grid, Heading, Lead, Loading, Problem, Section, Trail} from "../ui";
import {Report} from "./report";

export function ExamView() {
  const {source} = useApp();
  return (
    <Report<ExamPart> title="Exam" part="exam">
      {({exams: [latest, before]}) => (
        <>
          {latest ? (
            <Latest exam={latest} before={before} />
          ) : (
            <Lead>
              No exam was taken yet, or you may not see exams. Write questions into a file, one a line, and run{" "}
              <Code>tribal interrogate --questions FILE</Code>
            </Lead>
          )}
          {source.form === "server" ? <Sessions /> : null}
        </>
      )}
    </Report>
  );
}

function Latest({exam, before}: {exam: Exam; before?: Exam}) {
  const blocked = exam.questions.filter(([, verdict]) => verdict === "blocked");
  const answered = exam.questions.filter(([, verdict]) => verdict === "answered");
  const [newly = [], failing = []] = exam.newly ?? [];
  return (
    <>
      <Lead>
        The documentation answers {exam.answered} of {counted(exam.total - exam.notAsked, "question")} (
        {share(exam.answered, exam.total - exam.notAsked)}).
      </Lead>
      <ExamBar exam={exam} />
      {before ? <ExamBar exam={before} /> : null}
      <p class="soft">{comparison(exam, before)}</p>
      {newly.length ? <Questions title="Answered since the previous exam" questions={newly} /> : null}
      {failing.length ? <Questions title="No longer answered" questions={failing} /> : null}
      {exam.gaps.length ? (
        <Section title="What to write first">
          <Grid
            label="Gaps"
            heads={[
              ["What", "name"],
              ["Lacks", "wide"],
              ["Questions that it blocks", "wide"],
            ]}
            body={exam.gaps.map(([target, category, , description, count, questions]) => [
              <>
                <TargetName target={target} /> <EditTarget target={target} />
              </>,
              <>
                {prose(description)} <span class="src">{visible(category.replaceAll("_", " "))}</span>
              </>,
              <BlockedBy count={count} questions={questions} />,
            ])}
          />
        </Section>
      ) : null}
      {blocked.length ? (
        <Section title={`Blocked questions ${blocked.length}`}>
          <ul class="notes">
            {blocked.map(([text, , session, blockers], place) => (
              <li key={place}>
                <Question text={text} session={session} />
                {blockers.length ? (
                  <>
                    {" \u2013 "}
                    {blockers.map(([target], number) => (
                      <Fragment key={target + String(number)}>
                        {number ? ", " : ""}
                        <TargetName target={target} />
                      </Fragment>
                    ))}
                  </>
                ) : null}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {answered.length ? (
        <details class="folded">
          <summary>
            <h2>Answered questions {answered.length}</h2>
          </summary>
          <ul class="notes">
            {answered.map(([text, , session], place) => (
              <li key={place}>
                <Question text={text} session={session} />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

function comparison({newly}: Exam, before: Exam | undefined): string {
  if (!before) return "There is no previous exam to compare with.";
  const [answered = [], failing = []] = newly ?? [];
  if (!answered.length && !failing.length) return "The same questions are answered as in the previous exam.";
  return `Since the previous exam: ${answered.length} newly answered, ${failing.length} no longer answered.`;
}

/** Answered, blocked and not asked questions, as a bar. */
function ExamBar({exam}: {exam: Exam}) {
  const {at, answered, total, notAsked} = exam;
  const blocked = total - answered - notAsked;
  const part = (count: number) => (100 * count) / Math.max(1, total);
  const words = `${answered} answered, ${blocked} blocked${notAsked ? `, ${notAsked} not asked` : ""}`;
  return (
    <div class="exam-bar">
      <time dateTime={at}>{moment(at)}</time>
      <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="answered" width={part(answered)} height="8" />
        <rect class="blocked" x={part(answered)} width={part(blocked)} height="8" />
      </svg>
      <span class="src">{words}</span>
    </div>
  );
}

function Question({text, session}: {text: string; session: string | 0}) {
  const {source} = useApp();
  if (session) return <a href={sessionLink(session)}>{visible(text)}</a>;
  return source.form === "server" ? (
    <a href={askLink(text)} dir="auto">
      {visible(text)}
    </a>
  ) : (
    <span dir="auto">{visible(text)}</span>
  );
}

function Questions({title, questions}: {title: string; questions: string[]}) {
  return (
    <Section title={title}>
      <ul class="notes">
        {questions.map(text => (
          <li key={text} dir="auto">
            {visible(text)}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function BlockedBy({count, questions}: {count: number; questions: string[]}) {
  const shown = questions.slice(0, 3);
  return (
    <>
      {counted(count, "question")}
      <ul class="inside">
        {shown.map(text => (
          <li key={text}>
            <q dir="auto">{visible(text)}</q>
          </li>
        ))}
        {count > shown.length ? <li class="soft">{`and ${rows(count - shown.length)} more`}</li> : null}
      </ul>
    </>
  );
}

interface ListedSession {
  id: string;
  hypothesis: string;
  startTime: string;
  status: string;
  consistencyScore: number | null;
}

interface SessionList {
  sessions: ListedSession[];
  nextCursor?: string;
}

/** The most that the server lists at once. */
const MOST_SESSIONS = 100;

const sessionLink = (id: string) => `#/session/${encodeURIComponent(id)}`;

/** The interrogations that the reader may see. */
function Sessions() {
  const {caller} = useApp();
  const [limit, setLimit] = useState(20);
  const {value, problem} = useLoaded(`sessions ${caller.rights.read_sessions} ${limit}`, async () =>
    caller.rights.read_sessions
      ? fromServer<SessionList>("v1/tools/list_interrogations", {limit})
      : ({sessions: []} as SessionList),
  );
  if (problem) return <Problem problem={problem} />;
  if (!value?.sessions.length) return null;
  return (
    <Section title="Interrogations">
      <Grid
        label="Interrogations"
        heads={[
          ["Question", "name"],
          ["State", ""],
          ["Consistency of the answers (0 to 100)", "number"],
          ["Started", ""],
        ]}
        body={value.sessions.map(({id, hypothesis, startTime, status, consistencyScore}) => [
          <a key={id} href={sessionLink(id)} dir="auto">
            {visible(hypothesis)}
          </a>,
          visible(status),
          consistencyScore === null ? "" : String(consistencyScore),
          ago(startTime),
        ])}
      />
      {value.nextCursor && limit < MOST_SESSIONS ? (
        <button type="button" onClick={() => setLimit(MOST_SESSIONS)}>
          Show more
        </button>
      ) : value.nextCursor ? (
        <p class="soft">
          Older ones: <Code>tribal interrogations</Code>
        </p>
      ) : null}
    </Section>
  );
}

interface Pair {
  sequence: number;
  question: string;
  answer: string;
  gapAnalysis: {completenessScore: number; gaps: {category: string; severity: string; description: string}[]};
}

interface SessionPage {
  session?: {hypothesis: {text: string}; status: string};
  qaPairs: Pair[];
  nextCursor?: string;
}

/** Read a session question by question. */
export function SessionView({id}: {id: string}) {
  const {source} = useApp();
  const {value, problem} = useLoaded(id, async () => {
    if (source.form !== "server") throw new Error("interrogations are in the served page only");
    return wholeSession(id);
  });
  const pairs = value?.qaPairs ?? [];
  return (
    <>
      <Trail>{[<a href="#/exam">Exam</a>, "Interrogation"]}</Trail>
      <Heading>{value?.session?.hypothesis.text ?? "Interrogation"}</Heading>
      {problem ? <Problem problem={problem} /> : value ? null : <Loading />}
      {value?.session ? <p class="facts">{visible(value.session.status)}</p> : null}
      {pairs.map(pair => (
        <section key={pair.sequence} class="turn">
          <h2 dir="auto">
            {pair.sequence}. {visible(pair.question)}
          </h2>
          <p class="passage" dir="auto">
            {prose(pair.answer)}
          </p>
          <p class="src">
            Completeness so far: {pair.gapAnalysis.completenessScore} %
            {pair.gapAnalysis.gaps.length ? "; still open after this answer:" : ""}
          </p>
          {pair.gapAnalysis.gaps.length ? (
            <ul class="warnings">
              {pair.gapAnalysis.gaps.map(gap => (
                <li key={gap.description}>
                  {visible(gap.severity)}: {prose(gap.description)}
                </li>
              ))}
            </ul>
          ) : null}
        </section>
      ))}
    </>
  );
}

/** All pages of a session. */
async function wholeSession(sessionId: string): Promise<SessionPage> {
  const page = await fromServer<SessionPage>("v1/tools/get_interrogation", {sessionId});
  let next = page.nextCursor;
  while (next) {
    const more = await fromServer<SessionPage>("v1/tools/get_interrogation", {sessionId, cursor: next});
    page.qaPairs.push(...more.qaPairs);
    next = more.nextCursor;
  }
  return page;
}
