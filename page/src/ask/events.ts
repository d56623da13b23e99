// The events of an answer, as the server streams them.
export interface ChatSource {
  source_id: string;
  title: string;
  source_filename: string;
  source_path?: string;
  page_number: number;
  url?: string;
}

export interface Finish {
  type: "finish";
  finish_reason: "stop" | "content-filter" | "length" | "error";
  error?: {message: string};
  governor?: {approved: boolean; reason?: string};
  model_selected?: string;
  verdict?: "answered" | "partly" | "not_documented" | "refused";
  main_tables?: string[];
  warnings?: string[];
}

type ChatEvent =
  | {type: "reasoning-delta"; reasoningDelta: string}
  | {type: "text-delta"; textDelta: string}
  | {type: "sources"; sources: ChatSource[]}
  | Finish;

/** A question with its answer so far. */
export interface Turn {
  question: string;
  /** The collection that is asked; the default one if unset. */
  collection?: string;
  /** What is being done, until the answer begins. */
  step: string;
  /** The question as it was read, if that differs: a question that follows another one. */
  readAs?: string;
  text: string;
  sources: ChatSource[];
  finish?: Finish;
  /** Why the answer broke off. */
  problem?: string;
}

export const newTurn = (question: string, collection?: string): Turn => ({
  question,
  collection,
  step: "",
  text: "",
  sources: [],
});

const READ_AS = "Read as: ";
/** Steps that say something to a reader. */
const TOLD = /^(Found|Asking) /;

/** A turn after another event of its answer. */
export function after(turn: Turn, given: unknown): Turn {
  const event = given as ChatEvent;
  switch (event.type) {
    case "reasoning-delta": {
      const step = event.reasoningDelta.trim();
      if (step.startsWith(READ_AS)) return {...turn, readAs: step.slice(READ_AS.length)};
      // Readers need not know how laws and intents are called.
      return TOLD.test(step) ? {...turn, step} : turn;
    }
    case "text-delta":
      return {...turn, text: turn.text + event.textDelta};
    case "sources":
      return {...turn, sources: event.sources};
    case "finish":
      return {...turn, finish: event, problem: event.error?.message};
    default:
      return turn;
  }
}
