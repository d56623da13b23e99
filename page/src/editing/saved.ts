// What people have written about tables, domains and databases, also what the next run takes over.
import {createContext} from "preact";
import {useContext, useEffect, useState} from "preact/hooks";
import {useApp} from "../app";
import {fromServer} from "../data/source";
import {own} from "../text";

export const CORRECTIONS = "v1/corrections";

/** A table, a domain of a database, or a database. */
export type Named = {table: string} | {database: string; domain?: string};

/** A text that a person can write. */
export interface Editable {
  named: Named;
  column?: string;
  /** Of a domain, instead of its description. */
  field?: "title";
  /** Names it for the reader. */
  label: string;
  /** What is documented now, and whether a person wrote it. */
  shown?: string;
  isHuman?: boolean;
  /** A text that an agent proposed. */
  proposal?: {id: string; text: string};
}

export interface SavedTexts {
  title: string | null;
  description: string | null;
  columns: {[column: string]: string};
}

/** Texts that were read once, and again after each change. */
export class SavedStore {
  readonly #known = new Map<string, Promise<SavedTexts>>();

  load(named: Named): Promise<SavedTexts> {
    const key = keyOf(named);
    const known = this.#known.get(key);
    if (known) return known;
    const loading = fromServer<SavedTexts>(`${CORRECTIONS}?${new URLSearchParams({...named})}`);
    this.#known.set(key, loading);
    loading.catch(() => this.#known.delete(key));
    return loading;
  }

  forget(named: Named): void {
    this.#known.delete(keyOf(named));
  }
}

const keyOf = (named: Named) => JSON.stringify(named);
export const textKey = ({named, column, field}: Editable) => JSON.stringify([named, column, field]);

export interface Editing {
  store: SavedStore;
  /** What was saved since the page was opened, by `textKey`. */
  written: ReadonlyMap<string, string>;
  /** Take over a text that was just saved. */
  saved: (text: Editable, words: string) => void;
  /** Marks of wrong answers that were closed since then. */
  closedMarks: ReadonlySet<string>;
  /** Close a mark, also where it stands in other rows. */
  closeMark: (id: string) => Promise<void>;
  /** Open the editor; absent where the reader may not write. */
  edit?: (text: Editable) => void;
}

export const EditingContext = createContext<Editing>({
  store: new SavedStore(),
  written: new Map(),
  saved: () => {},
  closedMarks: new Set(),
  closeMark: () => Promise.resolve(),
});

/** What is written about something, once it is loaded. */
export function useSaved(named: Named): SavedTexts | undefined {
  const {source} = useApp();
  const {store, written} = useContext(EditingContext);
  const [saved, setSaved] = useState<SavedTexts>();
  const key = keyOf(named);
  useEffect(() => {
    let isCurrent = true;
    if (source.form === "server")
      store.load(named).then(
        found => isCurrent && setSaved(found),
        // Everything else is shown without it.
        () => {},
      );
    return () => {
      isCurrent = false;
    };
  }, [key, written]);
  return saved;
}

/** The text that a person wrote, if any. */
export function textIn(saved: SavedTexts | undefined, {column, field}: Pick<Editable, "column" | "field">) {
  const text = column === undefined ? saved?.[field ?? "description"] : own(saved?.columns, column);
  return text ?? undefined;
}

/** The text that the next run takes over, if it is not documented yet; empty if it removes the documented one. */
export function pendingIn(saved: SavedTexts | undefined, text: Editable): string | undefined {
  const written = textIn(saved, text);
  if (saved && written === undefined && text.isHuman) return "";
  return written !== undefined && written !== (text.shown ?? "") ? written : undefined;
}
