// The editor of a text: what is there now, the new text, and the difference that saving it would make.
import {type ComponentChildren, Fragment, h} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {useApp} from "../app";
import type {Catalog} from "../data/catalog";
import {fromServer, messageOf} from "../data/source";
import {prose, visible} from "../text";
import {Code, Difference} from "../ui";
import {CORRECTIONS, type Editable, EditingContext, SavedStore, textIn, textKey} from "./saved";

/** Gives its views an editor, where the reader may write. */
export function EditingProvider({children}: {children: ComponentChildren}) {
  const {catalog, source, caller, refreshCaller} = useApp();
  const [edited, setEdited] = useState<{text: Editable; opening: number}>();
  const openings = useRef(0);
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map());
  const [closedMarks, setClosedMarks] = useState<ReadonlySet<string>>(new Set());
  const store = useMemo(() => new SavedStore(), []);
  const closeMark = async (id: string) => {
    await fromServer("v1/tools/close_mark", {mark: id});
    setClosedMarks(before => new Set([...before, id]));
  };
  const edit = (text: Editable) => {
    const opening = ++openings.current;
    const open = () => {
      // The reader may have opened another one meanwhile.
      if (opening === openings.current) setEdited({text: documented(text, catalog), opening});
    };
    const table = "table" in text.named ? catalog.tables.get(text.named.table) : undefined;
    if (table) source.table(table, catalog).then(open, open);
    else open();
  };
  const saved = (text: Editable, words: string) => {
    store.forget(text.named);
    setWritten(before => new Map([...before, [textKey(text), words]]));
    if (text.proposal) refreshCaller();
  };
  return (
    <EditingContext.Provider
      value={{store, written, saved, closedMarks, closeMark, edit: caller.rights.write ? edit : undefined}}
    >
      {children}
      {edited ? (
        <Editor
          key={edited.opening}
          text={edited.text}
          store={store}
          saved={saved}
          close={() => setEdited(undefined)}
        />
      ) : null}
    </EditingContext.Provider>
  );
}

/** A text with what is documented now; lists do not know it. */
function documented(text: Editable, catalog: Catalog): Editable {
  const table = "table" in text.named ? catalog.tables.get(text.named.table) : undefined;
  if (!table) return text;
  if (text.column === undefined) return {...text, shown: table.s, isHuman: table.o === "human"};
  const [, , , shown, source] = table.c?.find(([name]) => name === text.column) ?? ["", ""];
  return {...text, shown, isHuman: source === "human"};
}

interface Preview {
  difference: string;
  file: string;
  token: string;
}

/** A pause in typing after which the difference is shown. */
const PAUSE = 250;

interface Props {
  text: Editable;
  store: SavedStore;
  saved: (text: Editable, words: string) => void;
  close: () => void;
}

function Editor({text, store, saved, close}: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState<string>();
  const [problem, setProblem] = useState("");
  const [preview, setPreview] = useState<Preview & {words: string}>();
  const [isSaving, setSaving] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const started = useRef("");
  const isLeaving = useRef(false);
  useEffect(() => {
    dialog.current?.showModal();
    const before = text.proposal?.text;
    store.load(text.named).then(
      found => {
        const start = before ?? textIn(found, text) ?? (text.isHuman ? (text.shown ?? "") : "");
        started.current = start;
        setWords(start);
      },
      // Without it, saving could remove what the reader has not seen.
      reason => setProblem(messageOf(reason)),
    );
  }, []);
  useEffect(() => field.current?.focus(), [words === undefined]);
  const correction = {
    ...text.named,
    words: words ?? "",
    ...(text.field ? {said: text.field} : {}),
    ...(text.column === undefined ? {} : {column: text.column}),
  };
  useEffect(() => {
    if (words === undefined) return;
    let isCurrent = true;
    const pause = setTimeout(() => {
      fromServer<Preview>(`${CORRECTIONS}/preview`, correction).then(
        found => {
          if (!isCurrent) return;
          setPreview({...found, words});
          if (!attempt) setProblem("");
        },
        reason => isCurrent && setProblem(messageOf(reason)),
      );
    }, PAUSE);
    return () => {
      isCurrent = false;
      clearTimeout(pause);
    };
  }, [words, attempt]);
  const isShown = preview?.words === words;
  const save = (event: Event) => {
    event.preventDefault();
    if (!preview || !isShown) return;
    setSaving(true);
    const accepted = text.proposal ? {proposal: text.proposal.id} : {};
    fromServer(CORRECTIONS, {...correction, ...accepted, token: preview.token}).then(
      () => {
        saved(text, words ?? "");
        dialog.current?.close();
      },
      reason => {
        setSaving(false);
        setProblem(messageOf(reason));
        // The file may have changed: what would change now is shown next.
        setPreview(undefined);
        setAttempt(before => before + 1);
      },
    );
  };
  /** Whether the editor may be closed: what was typed is dropped only if the reader insists. */
  const leave = (event: Event) => {
    if (isLeaving.current || (words ?? "") === started.current) return true;
    isLeaving.current = true;
    event.preventDefault();
    setProblem("Your text is not saved. Cancel again to drop it.");
    return false;
  };
  return (
    <dialog class="editor" aria-labelledby="edited" ref={dialog} onClose={close} onCancel={leave}>
      <form onSubmit={save}>
        <h2 id="edited">{visible(text.label)}</h2>
        {text.shown ? (
          <p dir="auto">
            <span class="src">Now: </span>
            {prose(text.shown)}
          </p>
        ) : (
          <p class="gap">Not described yet.</p>
        )}
        <label for="words">Your text (leave it empty to remove what people wrote)</label>
        <textarea
          id="words"
          rows={4}
          dir="auto"
          maxLength={4000}
          disabled={words === undefined}
          value={words}
          ref={field}
          onInput={event => {
            isLeaving.current = false;
            setAttempt(0);
            setWords(event.currentTarget.value);
          }}
        />
        <div aria-live="polite">
          {preview && isShown ? <Change preview={preview} /> : null}
          {problem ? (
            <p class="problem" role="alert">
              {visible(problem)}
            </p>
          ) : null}
        </div>
        <p class="actions">
          <button
            type="submit"
            class="main"
            disabled={!isShown || isSaving || (!preview?.difference && !text.proposal)}
          >
            Save
          </button>
          <button type="button" onClick={event => leave(event) && dialog.current?.close()}>
            Cancel
          </button>
          {text.shown && !text.proposal ? (
            <button
              type="button"
              onClick={() => {
                setWords(text.shown);
                field.current?.focus();
              }}
            >
              Start from the current text
            </button>
          ) : null}
        </p>
      </form>
    </dialog>
  );
}

function Change({preview}: {preview: Preview}) {
  if (!preview.difference) return <p class="soft">Nothing would change.</p>;
  return (
    <>
      <p class="src">
        Saving changes <Code>{preview.file}</Code>:
      </p>
      <Difference>{preview.difference}</Difference>
    </>
  );
}
