// What all views share: the catalog, its source, and where the reader is.
import {createContext} from "preact";
import {useContext, useEffect, useState} from "preact/hooks";
import type {Catalog} from "./data/catalog";
import type {Source} from "./data/source";

export interface App {
  catalog: Catalog;
  source: Source;
}

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
