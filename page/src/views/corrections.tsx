// What people write: shown as a difference before it is written, and as waiting until the next run has taken it over.
import {Fragment, h} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import {useApp} from "../app";
import type {Table} from "../data/catalog";
import {fromServer, TokenRequired} from "../data/source";
import {own, prose, visible} from "../text";
import {Code, Folded, Section} from "../ui";

const PATH = "v1/corrections";

/** One of the texts about a subject that a person can correct. */
export interface Correctable {
  label: string;
  field?: "title";
  column?: string;
  /** What the page shows now, and whether a person wrote it. */
  shown?: string;
  isHuman?: boolean;
}

export interface Subject {
  named: Record<string, string>;
  texts: Correctable[];
}

/** What is written already, as the server has it. */
interface SavedTexts {
  writable: boolean;
  title: string | null;
  description: string | null;
  columns: {[column: string]: string};
}

interface Proposal {
  difference: string;
  file: string;
  token: string;
}

export function tableSubject(table: Table): Subject {
  const columns = (table.c ?? []).map(([name, , , text, source]) => ({
    label: `Column ${name}`,
    column: name,
    shown: text,
    isHuman: source === "human",
  }));
  const own = {label: "What the table is", shown: table.s, isHuman: table.o === "human"};
  return {named: {table: table.n}, texts: [own, ...columns]};
}

interface Props {
  subject: Subject;
  database: string;
  /** Line of the annotations file that has its texts, or where they belong there. */
  line?: number;
  where: string;
}

/** Where people correct texts by hand or, where a server takes them, a form. */
export function Corrections({subject, database, line, where}: Props) {
  const {source} = useApp();
  const [written, setWritten] = useState<SavedTexts>();
  const [message, setMessage] = useState("");
  const [writes, setWrites] = useState(0);
  const load = () => fromServer<SavedTexts>(`${PATH}?${new URLSearchParams(subject.named)}`).then(setWritten);
  useEffect(() => {
    // Without it the texts are corrected by hand.
    if (source.form === "server") load().catch(() => {});
  }, []);
  const byHand = <ByHand database={database} line={line} where={where} />;
  if (!written) return byHand;
  const waiting = subject.texts.filter(text => {
    const words = wordsAbout(written, text);
    return words !== undefined && words !== (text.shown ?? "");
  });
  const write = async (correction: object, token: string) => {
    const {file} = await fromServer<{file: string}>(PATH, {...correction, token});
    await load();
    setMessage(`Written to ${file}. It appears here after the next run.`);
    setWrites(before => before + 1);
  };
  return (
    <div class="corrections">
      {waiting.length ? (
        <Section title="Waiting for the next run">
          <dl>
            {waiting.map(text => (
              <Fragment key={text.label}>
                <dt>{visible(text.label)}</dt>
                <dd dir="auto">{prose(wordsAbout(written, text))}</dd>
              </Fragment>
            ))}
          </dl>
        </Section>
      ) : null}
      {written.writable ? <CorrectionForm key={writes} subject={subject} written={written} write={write} /> : byHand}
      {message ? <p role="status">{visible(message)}</p> : null}
    </div>
  );
}

function ByHand({database, line, where}: {database: string; line?: number; where: string}) {
  const file = useApp().catalog.databases.get(database)?.f ?? "";
  return (
    <p class="foot">
      Something wrong or missing? Write it in <Code>{file}</Code>
      {line ? (
        `, line ${line}`
      ) : (
        <Fragment>
          {" "}
          under <Code>{where}</Code>
        </Fragment>
      )}
      ; your words are never overwritten.
    </p>
  );
}

function wordsAbout(written: SavedTexts, text: Correctable): string | undefined {
  const words = text.column === undefined ? written[text.field ?? "description"] : own(written.columns, text.column);
  return words ?? undefined;
}

interface FormProps {
  subject: Subject;
  written: SavedTexts;
  write: (correction: object, token: string) => Promise<void>;
}

function CorrectionForm({subject, written, write}: FormProps) {
  const [chosen, setChosen] = useState(0);
  const text = subject.texts[chosen] ?? {label: ""};
  const before = (each: Correctable) => wordsAbout(written, each) ?? (each.isHuman ? (each.shown ?? "") : "");
  const [words, setWords] = useState(before(text));
  const [answer, setAnswer] = useState<Proposal | Error>();
  const asked = useRef<object>(undefined);
  const correction = () => ({
    ...subject.named,
    words,
    ...(text.field ? {said: text.field} : {}),
    ...(text.column === undefined ? {} : {column: text.column}),
  });
  const choose = (place: number) => {
    setChosen(place);
    setWords(before(subject.texts[place] ?? {label: ""}));
    setAnswer(undefined);
    asked.current = undefined;
  };
  const preview = (event: Event) => {
    event.preventDefault();
    const previewed = correction();
    asked.current = previewed;
    const show = (shown: Proposal | Error) => {
      // The reader may have written something else since.
      if (asked.current === previewed) setAnswer(shown);
    };
    fromServer<Proposal>(`${PATH}/preview`, previewed).then(show, show);
  };
  return (
    <Folded title="Correct this" open>
      <form class="correct" onSubmit={preview}>
        <label for="corrected">What is wrong or missing</label>
        <select id="corrected" value={String(chosen)} onChange={event => choose(Number(event.currentTarget.value))}>
          {subject.texts.map((each, place) => (
            <option key={each.label} value={String(place)}>
              {visible(each.label)}
            </option>
          ))}
        </select>
        <label for="words">Your words (empty takes them back)</label>
        <textarea
          id="words"
          rows={3}
          dir="auto"
          maxLength={4000}
          value={words}
          onInput={event => {
            setWords(event.currentTarget.value);
            setAnswer(undefined);
            asked.current = undefined;
          }}
        />
        <button type="submit">Show the change</button>
        <div class="proposal" aria-live="polite">
          {answer ? (
            <Answer answer={answer} agree={token => write(asked.current ?? {}, token).catch(setAnswer)} />
          ) : null}
        </div>
      </form>
    </Folded>
  );
}

function Answer({answer, agree}: {answer: Proposal | Error; agree: (token: string) => Promise<void>}) {
  const [isWriting, setWriting] = useState(false);
  if (answer instanceof Error) {
    const message =
      answer instanceof TokenRequired ? "The token is no longer accepted; reload the page." : answer.message;
    return <p role="alert">{visible(message)}</p>;
  }
  if (!answer.difference) return <p>That is what is written already.</p>;
  const write = () => {
    setWriting(true);
    agree(answer.token).finally(() => setWriting(false));
  };
  return (
    <>
      <p>
        This would change <Code>{answer.file}</Code>:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard. */}
      <pre class="difference" tabIndex={0} dir="ltr">
        {answer.difference.split("\n").map((line, place) => (
          <span key={place} class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined}>
            {`${visible(line)}\n`}
          </span>
        ))}
      </pre>
      <button type="button" disabled={isWriting} onClick={write}>
        Write it
      </button>
    </>
  );
}
