// The page: its head with search and navigation, the drawer with all tables, and the view that the address names.
import {type ComponentChildren, Fragment, h, render} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {type App, AppContext, READER, useLoaded} from "./app";
import {Conversation} from "./ask/conversation";
import {askLink} from "./ask/link";
import {AskView} from "./ask/view";
import {type Catalog, searchLink, tableLink} from "./data/catalog";
import {fromServer, keepToken, messageOf, pageSource, type Source, TokenRequired} from "./data/source";
import type {CallerPart} from "./data/types";
import {Drawer} from "./drawer";
import {EditingProvider} from "./editing/editor";
import {type Route, replaceAddress, scrollBefore, useVisit, type Visit} from "./route";
import {scrollWhileGrowing} from "./scrolling";
import {Search} from "./search/search";
import {SearchView} from "./search/view";
import {own, visible} from "./text";
import {Heading, Lead, Loading, Name} from "./ui";
import {ChangesView} from "./views/changes";
import {ContributionsView, ContributionView} from "./views/contributions";
import {CoverageView} from "./views/coverage";
import {DefinitionsView} from "./views/definitions";
import {DatabaseView, DomainView, MapView} from "./views/domain";
import {ExamView, SessionView} from "./views/exam";
import {HomeView} from "./views/home";
import {JoinView} from "./views/join";
import {PassageView} from "./views/passage";
import {ProposalsView} from "./views/proposals";
import {REPORTS} from "./views/report";
import {TableView} from "./views/table";
import {TodoView} from "./views/todo";

type Place = [address: string, title: string];

/** The navigation; of reports that belong together, the first one. */
const PLACES: Place[] = [
  ["#/ask", "Ask"],
  ["#/map", "Map"],
  ["#/join", "Joins"],
  ["#/definitions", "Definitions"],
  ...Object.values(REPORTS).flatMap(([first]) => (first ? [first] : [])),
];

/** All views without a subject. */
const ALL_PLACES: Place[] = [...PLACES.slice(0, 4), ...Object.values(REPORTS).flat()];

interface PageView {
  title: string;
  content: ComponentChildren;
}

/** What an address shows; loads what it needs first. */
async function viewAt(visit: Visit, app: Pick<App, "catalog" | "source">, search: Search): Promise<PageView> {
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

function placeAt(route: Route, {catalog}: Pick<App, "catalog">, search: Search): PageView {
  const {kind, first, second} = route;
  const views: Record<string, () => PageView> = {
    "": () => ({title: "", content: <HomeView />}),
    ask: () => ({title: first ? visible(first) : "Ask", content: <AskView route={route} />}),
    changes: () => ({title: "Changes", content: <ChangesView since={first} />}),
    contributions: () => ({
      title: "Contributions",
      content: first ? <ContributionView cycle={first} /> : <ContributionsView />,
    }),
    coverage: () => ({title: "Coverage", content: <CoverageView />}),
    definitions: () => ({title: "Definitions", content: <DefinitionsView named={first} />}),
    exam: () => ({title: "Exam", content: <ExamView />}),
    join: () => ({title: "Joins", content: <JoinView from={first} to={second} search={search} />}),
    passage: () => ({title: visible(second ?? ""), content: <PassageView route={route} />}),
    proposals: () => ({title: "Proposals", content: <ProposalsView />}),
    search: () => ({title: `Search ${visible(first)}`, content: <SearchView route={route} search={search} />}),
    session: () => ({title: "Interrogation", content: <SessionView id={first} />}),
    todo: () => ({title: "To document", content: <TodoView />}),
  };
  if (kind === "map" && (!first || catalog.databases.has(first)))
    return {title: "Map", content: <MapView database={first} />};
  return own(views, kind)?.() ?? {title: "Not found", content: <NotFound />};
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
  return <Opened catalog={value} source={source} />;
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
      <Lead>This could not be loaded: {visible(messageOf(problem))}</Lead>
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

/** What the caller may do and what waits, where a server answers. */
function useCaller(source: Source) {
  const [caller, setCaller] = useState<CallerPart>();
  const [problem, setProblem] = useState<unknown>();
  const refreshCaller = () => {
    if (source.form === "server")
      fromServer<CallerPart>("v1/page/caller").then(
        found => {
          setCaller(found);
          setProblem(undefined);
        },
        reason => {
          setCaller(before => before ?? READER);
          setProblem(reason);
        },
      );
  };
  useEffect(refreshCaller, [source]);
  return {caller: caller ?? READER, isCallerKnown: caller !== undefined, problem, refreshCaller};
}

function Opened({catalog, source}: {catalog: Catalog; source: Source}) {
  const conversation = useMemo(() => new Conversation(), []);
  const {problem: callerProblem, ...caller} = useCaller(source);
  const app = {catalog, source, conversation, ...caller};
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
      {isDrawn ? <Drawer route={visit.route} places={ALL_PLACES} close={() => setDrawn(false)} /> : null}
      <EditingProvider>
        <main id="content" tabIndex={-1} aria-busy={shown?.visit.number !== visit.number}>
          {callerProblem ? <p class="problem">Your rights could not be loaded: {messageOf(callerProblem)}</p> : null}
          {shown ? (
            <View key={viewKey(shown.visit.route)} shown={shown.view} visit={shown.visit} name={app.catalog.name} />
          ) : (
            <Loading />
          )}
        </main>
      </EditingProvider>
    </AppContext.Provider>
  );
}

/**
 * Addresses of one view: a table keeps what is open in it while its sections are visited, a search while it is typed,
 * a conversation while it goes on.
 */
const viewKey = ({kind, first, second}: Route) =>
  kind === "search" || kind === "ask"
    ? kind
    : kind === "table"
      ? `${kind} ${first}`
      : `${kind} ${first} ${second ?? ""}`;

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

/** Whether a view, or one of the same group of reports, is shown. */
function isCurrent(address: string, title: string, {kind}: Route): boolean {
  const group = own(REPORTS, title) ?? [[address, title]];
  return group.some(([each]) => each === `#/${kind}`);
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
      <SearchField app={app} route={route} search={search} />
      <nav aria-label="Views">
        {PLACES.map(([address, title]) => (
          <a key={address} href={address} aria-current={isCurrent(address, title, route) ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}

function SearchField({app, route, search}: Omit<HeadProps, "openDrawer">) {
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
    if (text.trim().endsWith("?") && app.source.form === "server") {
      location.hash = askLink(text.trim());
      return;
    }
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
