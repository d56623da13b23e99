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
  visitAgain();
}

/** Show what the address names once more, from its start. */
const visitAgain = () => window.dispatchEvent(new Event(AGAIN));
const AGAIN = "tribal-visit";

/** Marks an entry of the history; where the reader was in it outlives a reload. */
interface Entry {
  entry: string;
}

const POSITION = "tribal.scroll.";
let current = "";

/** Whether the reader has come back to this entry of the history. */
function enter(): boolean {
  const known = (history.state as Entry | null)?.entry;
  current = known ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  if (known === undefined) history.replaceState({entry: current}, "");
  return known !== undefined;
}

/** Browsers that keep nothing of a site refuse it. */
function storage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

const leave = () => storage()?.setItem(POSITION + current, String(window.scrollY));

/** Where the reader was in this entry of the history. */
export const scrollBefore = () => Number(storage()?.getItem(POSITION + current) ?? 0);

export interface Visit {
  route: Route;
  /** Whether the reader has gone back or forward to it. */
  isReturn: boolean;
  /** Counts the visits. */
  number: number;
}

export function useVisit(): Visit {
  const [visit, setVisit] = useState<Visit>(() => {
    return {route: parseRoute(location.hash), isReturn: enter(), number: 0};
  });
  useEffect(() => {
    history.scrollRestoration = "manual";
    const go = () => {
      const hash = location.hash;
      // Links inside of a view, such as the one that skips the head, are not addresses.
      if (hash && !hash.startsWith("#/")) return;
      // The view before is still there.
      leave();
      const isReturn = enter();
      setVisit(before => ({route: parseRoute(hash), isReturn, number: before.number + 1}));
    };
    const again = () =>
      setVisit(before => ({route: parseRoute(location.hash), isReturn: false, number: before.number + 1}));
    const followAgain = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#/']") : null;
      // No event comes when the address stays the same.
      if (link?.getAttribute("href") === location.hash) visitAgain();
    };
    const stop = new AbortController();
    window.addEventListener("hashchange", go, {signal: stop.signal});
    window.addEventListener(AGAIN, again, {signal: stop.signal});
    window.addEventListener("pagehide", leave, {signal: stop.signal});
    document.addEventListener("click", followAgain, {signal: stop.signal});
    return () => stop.abort();
  }, []);
  return visit;
}
