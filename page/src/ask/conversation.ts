// A conversation: it goes on while the reader opens sources and comes back.
import {useEffect, useState} from "preact/hooks";
import {messageOf, streamFromServer} from "../data/source";
import {after, newTurn, type Turn} from "./events";

/** Most earlier turns that are sent along: the server takes 40 messages and 64 KB. */
const SENT_TURNS = 8;
/** Characters of an earlier answer that are sent along. */
const SENT_CHARS = 2000;

export class Conversation {
  turns: Turn[] = [];
  #asking?: AbortController;
  readonly #listeners = new Set<() => void>();

  get isAsking(): boolean {
    return this.#asking !== undefined;
  }

  /** The turn that asks a question, in these words or as they were read. */
  find(question: string, collection: string | undefined): Turn | undefined {
    const asks = (turn: Turn) => turn.question === question || turn.readAs === question;
    return this.turns.find(turn => turn.collection === collection && asks(turn));
  }

  async ask(question: string, collection: string | undefined): Promise<void> {
    this.stop();
    const earlier = this.turns.filter(turn => turn.collection === collection);
    const stop = new AbortController();
    this.#asking = stop;
    let turn = newTurn(question, collection);
    const show = (next: Turn) => {
      // Nothing is left to replace once the conversation was cleared.
      this.turns = this.turns.map(each => (each === turn ? next : each));
      turn = next;
      this.#changed();
    };
    this.turns = [...this.turns, turn];
    this.#changed();
    const input = {messages: messagesOf(earlier, question), ...(collection ? {collection} : {})};
    try {
      await streamFromServer("api/chat/stream", input, stop.signal, event => show(after(turn, event)));
      if (!turn.finish) show({...turn, problem: "The answer broke off before its end. Ask again."});
    } catch (problem) {
      show({...turn, problem: stop.signal.aborted ? "Stopped." : messageOf(problem)});
    }
    if (this.#asking === stop) this.#asking = undefined;
    this.#changed();
  }

  stop(): void {
    this.#asking?.abort();
    this.#asking = undefined;
    this.#changed();
  }

  clear(): void {
    this.turns = [];
    this.stop();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Show a view again whenever the conversation changes. */
export function useConversation(conversation: Conversation): void {
  const [, update] = useState(0);
  useEffect(() => conversation.subscribe(() => update(before => before + 1)), [conversation]);
}

function messagesOf(earlier: Turn[], question: string) {
  const answered = earlier.filter(turn => turn.text && turn.finish?.governor?.approved).slice(-SENT_TURNS);
  const turns = answered.flatMap(turn => [
    {role: "user", content: turn.question},
    {role: "assistant", content: turn.text.slice(0, SENT_CHARS)},
  ]);
  return [...turns, {role: "user", content: question}];
}
