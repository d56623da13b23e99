// Ask: a conversation about what is documented. Each question has an address that asks it again.
import {Fragment, h} from "preact";
import {useEffect, useId, useLayoutEffect, useRef, useState} from "preact/hooks";
import {useApp} from "../app";
import {fromServer, messageOf} from "../data/source";
import {type Route, replaceAddress} from "../route";
import {visible} from "../text";
import {Code, Copy, Heading, Lead} from "../ui";
import {AgentText} from "./agent_text";
import {AnswerText} from "./answer_text";
import {useConversation} from "./conversation";
import type {Turn} from "./events";
import {askLink} from "./link";
import {Sources} from "./sources";

export function AskView({route}: {route: Route}) {
  const {source} = useApp();
  if (source.form !== "server")
    return (
      <>
        <Heading>Ask</Heading>
        <Lead>
          Asking needs a server: run <Code>tribal serve</Code> and open its address, or ask in a terminal with{" "}
          <Code>tribal ask "..."</Code>
        </Lead>
      </>
    );
  return <Asking route={route} />;
}

/** The collection of everything that is documented. */
const CATALOG = "catalog";

function Asking({route}: {route: Route}) {
  const {caller, isCallerKnown, conversation} = useApp();
  useConversation(conversation);
  const {turns} = conversation;
  const {collections} = caller;
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const named = route.query.get("in") ?? undefined;
  const collection = chosen ?? named ?? turns.at(-1)?.collection;
  const ask = (question: string, about: string | undefined) => {
    setText("");
    const asked = conversation.ask(question, about);
    // What the question was read as is known by now.
    const show = () => {
      const turn = conversation.turns.at(-1);
      if (turn?.question === question && location.hash.startsWith("#/ask")) replaceAddress(linkOf(turn));
    };
    location.hash = askLink(question, about);
    asked.then(show);
  };
  useEffect(() => {
    if (!route.first) field.current?.focus({preventScroll: true});
  }, []);
  useEffect(() => {
    if (!route.first || !isCallerKnown || conversation.find(route.first, named)) return;
    // The reader may have left already.
    if (location.hash !== route.hash) return;
    const asksModels = collections.find(([name]) => !named || name === named)?.[2] ?? true;
    // An address that someone sent must not spend money on a model.
    if (asksModels) setText(route.first);
    else ask(route.first, named);
  }, [route.hash, isCallerKnown]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim()) ask(text.trim(), collection);
  };
  return (
    <div class="conversation">
      <Heading>Ask</Heading>
      {turns.length ? null : (
        <Lead>
          Ask about tables, columns, codes, joins and documents. Answers cite what they are from; no data is read.
        </Lead>
      )}
      {turns.map((turn, place) => (
        <TurnView key={place} turn={turn} isAsking={conversation.isAsking && place === turns.length - 1} />
      ))}
      <form class="question" onSubmit={submit}>
        <label for="question">{turns.length ? "Ask more" : "Question"}</label>
        <textarea
          id="question"
          rows={2}
          maxLength={4000}
          dir="auto"
          value={text}
          ref={field}
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
          }}
        />
        <div class="actions">
          <button type="submit" class="main">
            Ask
          </button>
          {conversation.isAsking ? (
            <button type="button" onClick={() => conversation.stop()}>
              Stop
            </button>
          ) : null}
          {turns.length ? (
            <button
              type="button"
              onClick={() => {
                conversation.clear();
                location.hash = "#/ask";
              }}
            >
              New conversation
            </button>
          ) : null}
          {collections.length > 1 ? (
            <label class="choice">
              About{" "}
              <select
                value={collection ?? collections[0]?.[0]}
                onChange={event => setChosen(event.currentTarget.value)}
              >
                {collections.map(([name, title]) => (
                  <option key={name} value={name}>
                    {name === CATALOG ? "the documentation" : visible(title)}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
        </div>
      </form>
      {turns.length ? null : <Examples heading="For example" limit={5} />}
    </div>
  );
}

/** Questions about the documentation that have an answer. */
function Examples({heading, limit}: {heading?: string; limit: number}) {
  const questions = useApp().catalog.home.questions.slice(0, limit);
  if (!questions.length) return null;
  return (
    <>
      {heading ? <h2>{heading}</h2> : null}
      <ul class="plain">
        {questions.map(([text]) => (
          <li key={text}>
            <a href={askLink(text.replaceAll("`", ""))}>{visible(text.replaceAll("`", ""))}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

const linkOf = ({question, readAs, collection}: Turn) => askLink(readAs ?? question, collection);

const VERDICTS: Record<string, string> = {
  partly: "Answered in part: something in the question is not documented.",
  not_documented: "Not documented. The closest matches are listed.",
};

function TurnView({turn, isAsking}: {turn: Turn; isAsking: boolean}) {
  const {catalog, caller} = useApp();
  const article = useRef<HTMLElement>(null);
  const [hasAgent, setAgent] = useState(false);
  const {finish, problem, text, sources} = turn;
  const collection = turn.collection ?? caller.collections[0]?.[0];
  const link = linkOf(turn);
  useLayoutEffect(() => {
    if (isAsking) article.current?.scrollIntoView();
  }, [isAsking]);
  const [main] = finish?.main_tables ?? [];
  const isRefused = finish?.finish_reason === "content-filter";
  return (
    <article class="turn" ref={article}>
      <h2 dir="auto">
        <a href={link}>{visible(turn.question)}</a>
      </h2>
      {turn.readAs ? <p class="src">Read as: {visible(turn.readAs)}</p> : null}
      <div class="answer" aria-live="polite" aria-busy={isAsking}>
        {text ? (
          <AnswerText
            text={text}
            sources={sources}
            collection={collection}
            database={main === undefined ? undefined : catalog.tables.get(main)?.b}
            isComplete={finish !== undefined}
          />
        ) : isAsking ? (
          <p class="soft loading">{visible(turn.step || "Looking it up")}</p>
        ) : null}
        {isRefused ? <MayBeAsked collection={collection} /> : null}
        {problem ? (
          <p class="problem" role="alert">
            {visible(problem)}
          </p>
        ) : null}
      </div>
      <Sources sources={sources} collection={collection} />
      {finish ? (
        <>
          <p class="src">
            {sources.length ? VERDICTS[finish.verdict ?? ""] : ""}{" "}
            {finish.finish_reason === "length" ? "The answer reached its limit of length. " : ""}
            {finish.model_selected && finish.model_selected !== "extractive"
              ? `Written by ${visible(finish.model_selected)}; every sentence was checked against its source.`
              : ""}
          </p>
          {finish.warnings?.length ? (
            <ul class="warnings">
              {finish.warnings.map(warning => (
                <li key={warning}>{visible(warning)}</li>
              ))}
            </ul>
          ) : null}
          <p class="actions">
            <Copy label="Copy answer" text={() => text} />
            <Copy label="Copy link" text={() => new URL(link, document.baseURI).href} />
          </p>
          {isRefused ? null : (
            <>
              <details class="folded" onToggle={() => setAgent(true)}>
                <summary>What an agent gets for this question</summary>
                {hasAgent ? <AgentText question={turn.readAs ?? turn.question} /> : null}
              </details>
              <MarkWrong turn={turn} />
            </>
          )}
        </>
      ) : null}
    </article>
  );
}

function MayBeAsked({collection}: {collection?: string}) {
  if (collection !== CATALOG)
    return <p>Questions here may be about the documents of the collection {visible(collection ?? "")} alone.</p>;
  return (
    <>
      <p>
        Questions may be about the tables, columns, values, joins and decisions that are documented here, for example:
      </p>
      <Examples limit={3} />
    </>
  );
}

/** Say that an answer is wrong, and why: it becomes an open gap of the tables that it cites. */
function MarkWrong({turn}: {turn: Turn}) {
  const {catalog, caller} = useApp();
  const [state, setState] = useState<"closed" | "open" | "sending" | "sent">("closed");
  const [why, setWhy] = useState("");
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), [state === "open"]);
  const cited = turn.sources.flatMap(({title}) => title.split(" and ")).filter(name => catalog.tables.has(name));
  const tables = [...new Set(turn.finish?.main_tables?.length ? turn.finish.main_tables : cited)].slice(0, 10);
  if (!caller.rights.interrogate || !tables.length) return null;
  const send = (event: Event) => {
    event.preventDefault();
    setState("sending");
    fromServer("v1/tools/mark_answer", {question: turn.readAs ?? turn.question, why: why.trim(), tables}).then(
      () => setState("sent"),
      reason => {
        setState("open");
        setProblem(messageOf(reason));
      },
    );
  };
  if (state === "sent")
    return (
      <p role="status">
        Marked as wrong. <a href="#/todo">To document</a> lists it with your reason.
      </p>
    );
  if (state === "closed")
    return (
      <button type="button" class="quiet" onClick={() => setState("open")}>
        This is wrong
      </button>
    );
  return (
    <form class="correct" onSubmit={send}>
      <label for={id}>What is wrong with this answer?</label>
      <textarea
        id={id}
        rows={2}
        maxLength={500}
        required
        dir="auto"
        value={why}
        ref={field}
        onInput={event => setWhy(event.currentTarget.value)}
      />
      <button type="submit" disabled={state === "sending"}>
        Mark as wrong
      </button>
      {problem ? (
        <p class="problem" role="alert">
          {visible(problem)}
        </p>
      ) : null}
    </form>
  );
}
