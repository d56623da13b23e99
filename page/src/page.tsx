// The page: its head with search and navigation, the drawer with all tables, and the view that the address names.
import {type ComponentChildren, Fragment, h, render} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {type App, AppContext, useLoaded} from "./app";
import {searchLink, tableLink} from "./data/catalog";
import {keepToken, pageSource, TokenRequired} from "./data/source";
import {Drawer} from "./drawer";
import {type Route, replaceAddress, scrollBefore, useVisit, type Visit} from "./route";
import {scrollWhileGrowing} from "./scrolling";
import {Search} from "./search/search";
import {SearchView} from "./search/view";
import {visible} from "./text";
import {Heading, Lead, Loading, Name} from "./ui";
import {DatabaseView, DomainView, MapView} from "./views/domain";
import {HomeView} from "./views/home";
import {JoinView} from "./views/join";
import {ChangesView, CoverageView, TodoView} from "./views/reports";
import {TableView} from "./views/table";

const PLACES: [address: string, title: string][] = [
  ["#/map", "Map"],
  ["#/join", "Joins"],
  ["#/todo", "To document"],
  ["#/changes", "Changes"],
  ["#/coverage", "Coverage"],
];

interface PageView {
  title: string;
  content: ComponentChildren;
}

/** What an address shows; loads what it needs first. */
async function viewAt(visit: Visit, app: App, search: Search): Promise<PageView> {
  const {kind, first, second} = visit.route;
  const {catalog, source} = app;
  const table = catalog.tables.get(first);
  if (kind === "table" && table) {
    await source.table(table, catalog);
    const content = (
      <TableView
        table={table}
        column={second}
        section={visit.route.query.get("section") ?? undefined}
        search={search}
        visit={visit.number}
        isReturn={visit.isReturn}
      />
    );
    return {title: visible(table.l), content};
  }
  const domain = second === undefined ? undefined : catalog.domain(first, second);
  if (kind === "domain" && domain) {
    await source.domain(domain, catalog);
    return {title: domain.h, content: <DomainView domain={domain} />};
  }
  const database = catalog.databases.get(first);
  if (kind === "database" && database) return {title: visible(first), content: <DatabaseView database={database} />};
  return placeAt(visit.route, app, search);
}

function placeAt(route: Route, {catalog}: App, search: Search): PageView {
  const {kind, first, second} = route;
  if (kind === "") return {title: "", content: <HomeView />};
  if (kind === "map" && (!first || catalog.databases.has(first)))
    return {title: "Map", content: <MapView database={first} />};
  if (kind === "join") return {title: "Joins", content: <JoinView from={first} to={second} search={search} />};
  if (kind === "search")
    return {title: `Search ${visible(first)}`, content: <SearchView route={route} search={search} />};
  if (kind === "changes") return {title: "Changes", content: <ChangesView />};
  if (kind === "coverage") return {title: "Coverage", content: <CoverageView />};
  if (kind === "todo") return {title: "To document", content: <TodoView />};
  return {title: "Not found", content: <NotFound />};
}

function NotFound() {
  return (
    <>
      <Heading>Not found</Heading>
      <Lead>Nothing is documented under this address. Search for it above, or go to the first view.</Lead>
      <p>
        <a href="#/">First view</a>
      </p>
    </>
  );
}

function Page() {
  const source = useMemo(pageSource, []);
  const [attempt, setAttempt] = useState(0);
  const {value, problem} = useLoaded(`catalog ${attempt}`, () => source.catalog());
  if (problem instanceof TokenRequired)
    return (
      <Framed>
        <TokenForm wasRefused={attempt > 0} retry={() => setAttempt(attempt + 1)} />
      </Framed>
    );
  if (problem)
    return (
      <Framed>
        <NotLoaded problem={problem} />
      </Framed>
    );
  if (!value)
    return (
      <Framed>
        <Loading />
      </Framed>
    );
  return <Opened app={{catalog: value, source}} />;
}

function Framed({children}: {children: ComponentChildren}) {
  return <main id="content">{children}</main>;
}

function NotLoaded({problem}: {problem: unknown}) {
  useEffect(() => {
    document.title = "Not loaded";
  }, []);
  return (
    <>
      <Heading>Not loaded</Heading>
      <Lead>This could not be loaded: {visible(problem instanceof Error ? problem.message : problem)}</Lead>
    </>
  );
}

/** The server answers only callers with a token. */
function TokenForm({retry, wasRefused}: {retry: () => void; wasRefused: boolean}) {
  const field = useRef<HTMLInputElement>(null);
  const [isUnusable, setUnusable] = useState(false);
  useEffect(() => {
    document.title = "Token";
    field.current?.focus();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    // Headers hold nothing else.
    if (!/^[\x21-\x7e]+$/.test(token)) return setUnusable(true);
    keepToken(token);
    retry();
  };
  return (
    <>
      <Heading>Token</Heading>
      <Lead>This server requires a token. It stays in this tab and is forgotten when the tab is closed.</Lead>
      <form class="ask" onSubmit={submit}>
        <label for="token">Token</label>
        <input id="token" type="password" autocomplete="off" required ref={field} />
        <button type="submit">Continue</button>
      </form>
      {wasRefused || isUnusable ? (
        <p class="problem" role="alert">
          {isUnusable ? "A token has only ASCII letters, digits and signs." : "The server did not accept this token."}
        </p>
      ) : null}
    </>
  );
}

function Opened({app}: {app: App}) {
  const visit = useVisit();
  const search = useMemo(() => new Search(app.catalog, app.source), [app.catalog]);
  const [isDrawn, setDrawn] = useState(false);
  const {value, problem} = useLoaded(`view ${visit.number}`, () => viewAt(visit, app, search));
  // The view before stays until the next one is there.
  const [shown, setShown] = useState<{view: PageView; visit: Visit}>();
  useEffect(() => {
    if (value) setShown({view: value, visit});
    else if (problem) setShown({view: {title: "Not loaded", content: <NotLoaded problem={problem} />}, visit});
  }, [value, problem]);
  useShortcuts();
  useSkipLink();
  return (
    <AppContext.Provider value={app}>
      <Head app={app} route={visit.route} search={search} openDrawer={() => setDrawn(true)} />
      {isDrawn ? <Drawer route={visit.route} places={PLACES} close={() => setDrawn(false)} /> : null}
      <main id="content" tabIndex={-1} aria-busy={shown?.visit.number !== visit.number}>
        {shown ? (
          <View key={viewKey(shown.visit.route)} shown={shown.view} visit={shown.visit} name={app.catalog.name} />
        ) : (
          <Loading />
        )}
      </main>
    </AppContext.Provider>
  );
}

/** Addresses of one view: a table keeps what is open in it while its sections are visited, a search while it is typed. */
const viewKey = ({kind, first, second}: Route) =>
  kind === "search" ? kind : kind === "table" ? `${kind} ${first}` : `${kind} ${first} ${second ?? ""}`;

function View({shown, visit, name}: {shown: PageView; visit: Visit; name: string}) {
  const wasShown = useRef(false);
  useLayoutEffect(() => {
    document.title = visible(shown.title ? `${shown.title} \u2013 ${name}` : name);
    const isSame = wasShown.current;
    wasShown.current = true;
    const place = scrollBefore();
    if (visit.isReturn) scrollWhileGrowing(() => window.scrollTo(0, place));
    else if (!isSame || visit.route.kind === "search") window.scrollTo(0, 0);
    // A search is still being typed; the first view keeps the focus of the browser.
    if (visit.number && visit.route.kind !== "search" && !isSame)
      document.querySelector<HTMLElement>("main h1")?.focus({preventScroll: true});
  }, [visit.number]);
  return <>{shown.content}</>;
}

/** The link that skips the head leaves the address as it is. */
function useSkipLink(): void {
  useEffect(() => {
    const skip = document.querySelector(".skip");
    const follow = (event: Event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>("main")?.focus();
    };
    skip?.addEventListener("click", follow);
    return () => skip?.removeEventListener("click", follow);
  }, []);
}

const searchField = () => document.querySelector<HTMLInputElement>("#search");

function isWriting(): boolean {
  const field = document.activeElement;
  return (
    field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement
  );
}

/** `/` and Ctrl-K lead to the search from anywhere; arrows go through its hits. */
function useShortcuts(): void {
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (isCommand || (event.key === "/" && !isWriting() && !event.ctrlKey && !event.metaKey && !event.altKey)) {
        event.preventDefault();
        document.querySelector("dialog")?.close();
        searchField()?.focus();
        searchField()?.select();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") goThroughHits(event);
    };
    document.addEventListener("keydown", act);
    return () => document.removeEventListener("keydown", act);
  }, []);
}

function goThroughHits(event: KeyboardEvent): void {
  const links = [...document.querySelectorAll<HTMLElement>("#results > li > a")];
  const place = links.indexOf(document.activeElement as HTMLElement);
  if (document.activeElement !== searchField() && place < 0) return;
  event.preventDefault();
  const next = place + (event.key === "ArrowDown" ? 1 : -1);
  (links[next] ?? (next < 0 ? searchField() : null))?.focus();
}

interface HeadProps {
  app: App;
  route: Route;
  search: Search;
  openDrawer: () => void;
}

function Head({app, route, search, openDrawer}: HeadProps) {
  return (
    <header>
      <button type="button" class="menu" aria-label="All tables" onClick={openDrawer}>
        {"\u2630"}
      </button>
      <a class="home" href="#/">
        <Name>{app.catalog.name}</Name>
      </a>
      <SearchField route={route} search={search} />
      <nav aria-label="Views">
        {PLACES.map(([address, title]) => (
          <a key={address} href={address} aria-current={`#/${route.kind}` === address ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}

function SearchField({route, search}: {route: Route; search: Search}) {
  const isSearch = route.kind === "search";
  const [text, setText] = useState(isSearch ? route.first : "");
  // Whether the search was begun in this page, so that going back ends it.
  const isFromHere = useRef(false);
  const typed = useRef(new Set<string>());
  useEffect(() => {
    if (!isSearch) isFromHere.current = false;
    // An address that was just typed may come when the text is longer already.
    if (!typed.current.delete(route.hash)) setText(isSearch ? route.first : "");
  }, [route.hash]);
  const type = (query: string) => {
    setText(query);
    if (!query.trim() && !isSearch) return;
    const hash = searchLink(query) + (isSearch && route.query.size ? `?${route.query}` : "");
    typed.current.add(hash);
    if (isSearch) replaceAddress(hash);
    else {
      isFromHere.current = true;
      location.hash = hash;
    }
  };
  const openFirst = () => {
    // The list may still be that of fewer letters.
    const isCurrent = document.querySelector<HTMLElement>("#results")?.dataset.query === text;
    const [first] = isCurrent ? [] : search.index.find(text).hits;
    if (first) location.hash = tableLink(first.table.n, first.column?.name);
    else document.querySelector<HTMLElement>("#results > li > a")?.click();
  };
  const act = (event: KeyboardEvent) => {
    if (event.key === "Enter") openFirst();
    else if (event.key === "Escape" && isSearch) {
      // Otherwise the browser clears the field, which is another search.
      event.preventDefault();
      if (isFromHere.current) history.back();
      else location.hash = "#/";
    }
  };
  return (
    <search class="find">
      <input
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        aria-label="Search tables, columns, codes and questions"
        placeholder="Search tables, columns, codes, questions"
        value={text}
        onFocus={() =>
          void search.prepare().then(
            () => search.index,
            () => {},
          )
        }
        onInput={event => type(event.currentTarget.value)}
        onKeyDown={act}
      />
      <kbd>Ctrl K</kbd>
    </search>
  );
}

const root = document.getElementById("page");
if (root) render(<Page />, root);
