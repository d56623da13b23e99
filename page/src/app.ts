// What all views share: the catalog, its source, and where the reader is.
import {createContext} from "preact";
import {useContext, useEffect, useState} from "preact/hooks";
import type {Conversation} from "./ask/conversation";
import type {Catalog} from "./data/catalog";
import type {Source} from "./data/source";
import type {CallerPart} from "./data/types";

export interface App {
  catalog: Catalog;
  source: Source;
  /** Without a server the page is read-only. */
  caller: CallerPart;
  /** Whether the caller's rights have been loaded. */
  isCallerKnown: boolean;
  /** Reload rights and counts. */
  refreshCaller: () => void;
  conversation: Conversation;
}

export const READER: CallerPart = {
  rights: {
    write: false,
    propose: false,
    interrogate: false,
    read_sessions: false,
    contribute: false,
    upload: false,
    ask: false,
  },
  waiting: {proposals: 0, contributions: 0, uploads: 0},
  collections: [],
};

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("a view needs the catalog");
  return app;
}

export interface LoadState<Value> {
  value?: Value;
  problem?: unknown;
}

/** Load something for a view, again whenever `key` changes; what arrives too late is dropped. */
export function useLoaded<Value>(key: string, load: () => Promise<Value>): LoadState<Value> {
  const [loaded, setLoaded] = useState<LoadState<Value> & {key: string}>({key: ""});
  useEffect(() => {
    let isCurrent = true;
    load().then(
      value => isCurrent && setLoaded({key, value}),
      problem => isCurrent && setLoaded({key, problem}),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return loaded.key === key ? loaded : {};
}
