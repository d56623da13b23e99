// Addresses: `#/kind/first/second?name=value`. The place in the page is kept for each entry of the browser's history.
import {useEffect, useState} from "preact/hooks";

export interface Route {
  kind: string;
  first: string;
  second?: string;
  query: URLSearchParams;
  /** The address itself. */
  hash: string;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const [, kind = "", first = "", second] = path.split("/").map(decoded);
  return {kind, first, second, query: new URLSearchParams(query), hash};
}

/** Show another address without an entry in the browser's history, such as a search while it is typed. */
export function replaceAddress(hash: string): void {
  history.replaceState(history.state, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

interface Entry {
  entry: number;
}

const scrolled = new Map<number, number>();
let entries = 0;
let current = 0;

/** The number of the history's entry, and whether the reader has come back to it. */
function enter(): boolean {
  const known = (history.state as Entry | null)?.entry;
  current = known ?? ++entries;
  if (known === undefined) history.replaceState({entry: current}, "");
  return known !== undefined;
}

/** Where the reader was in this entry of the history. */
export const scrollBefore = () => scrolled.get(current) ?? 0;

export interface Visit {
  route: Route;
  /** Whether the reader has gone back or forward to it. */
  isReturn: boolean;
  /** Counts the visits. */
  number: number;
}

export function useVisit(): Visit {
  const [visit, setVisit] = useState<Visit>(() => {
    enter();
    return {route: parseRoute(location.hash), isReturn: false, number: 0};
  });
  useEffect(() => {
    history.scrollRestoration = "manual";
    const go = () => {
      const hash = location.hash;
      // Links inside of a view, such as the one that skips the head, are not addresses.
      if (hash && !hash.startsWith("#/")) return;
      // The view before is still there.
      scrolled.set(current, window.scrollY);
      const isReturn = enter();
      setVisit(before => ({route: parseRoute(hash), isReturn, number: before.number + 1}));
    };
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, []);
  return visit;
}
