// The map of a database: its domains, the keys between them, and the tables of a domain that is opened.
import {Fragment, h} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import type {Keys} from "../data/keys";
import {counted, visible} from "../text";
import {Frame} from "./frame";
import {type Found, findTables} from "./map_find";
import {bandOf, type DomainBox, type DomainMap, layMap, OPEN_TABLES, opened} from "./map_layout";
import {DomainList} from "./map_list";
import {BandView, DomainLine, DomainShape} from "./map_shapes";
import type {GraphTable, MapDomain, MapProps} from "./props";
import type {Zoom} from "./zoom";

const SMALL_DOMAINS = 14,
  MARGIN = 12;

/** The domains of a small map: the largest and best connected. */
function largest(domains: MapDomain[]): MapDomain[] {
  const weight = ({tables, links}: MapDomain) => tables.length + links.reduce((sum, [, keys]) => sum + keys, 0);
  const kept = new Set([...domains].sort((a, b) => weight(b) - weight(a)).slice(0, SMALL_DOMAINS));
  return domains.filter(domain => kept.has(domain));
}

export function DatabaseMap(props: MapProps) {
  const {label, small = false} = props;
  const names = JSON.stringify(props.domains.map(domain => [domain.name, domain.tables.length]));
  const domains = useMemo(() => (small ? largest(props.domains) : props.domains), [names, small]);
  const [width, setWidth] = useState(0);
  const map = useMemo(
    () => (width && domains.length ? layMap(domains, width - 2 * MARGIN, small) : undefined),
    [domains, width, small],
  );
  const [open, setOpen] = useState<string>();
  const [found, setFound] = useState<Found>();
  const zoom = useRef<Zoom>(null);
  const svg = useRef<SVGSVGElement>(null);
  const keys = useKeys(props, open !== undefined);
  const box = map?.boxes.find(each => each.domain.name === open);
  const tables = useMemo(() => shownTables(box?.domain, keys, found?.table), [box, keys, found]);
  const band = map && box && bandOf(map, box, tables, width - 2 * MARGIN);
  const size = {width: width - 2 * MARGIN, height: map ? opened(map, band).height : 1};
  useEffect(() => {
    if (found) svg.current?.querySelector(".g-found")?.scrollIntoView({block: "center"});
  }, [found, band?.height]);
  const find = (next: Found | undefined) => {
    setFound(next);
    if (next) setOpen(next.domain.name);
  };
  const left = props.domains.length - domains.length;
  return (
    <div class={`g-map${small ? " g-small" : ""}`}>
      <Frame
        label={label}
        {...size}
        content={names}
        tallest={Number.POSITIVE_INFINITY}
        zoom={zoom}
        svg={svg}
        plain={small}
        onWidth={setWidth}
        tools={<Finder domains={domains} found={found} onFind={find} />}
      >
        {map && (
          <Domains
            map={map}
            small={small}
            band={band}
            keys={keys}
            found={found?.table.name}
            onOpen={name => {
              setFound(undefined);
              setOpen(name === open ? undefined : name);
            }}
            onReveal={rect => zoom.current?.reveal(rect)}
          />
        )}
      </Frame>
      {left > 0 && <p class="g-note">{`and ${counted(left, "more domain")}`}</p>}
      <DomainList domains={props.domains} />
    </div>
  );
}

/** The keys of all tables, loaded once they are wanted. */
function useKeys({keys}: MapProps, wanted: boolean): Keys | undefined {
  const [loaded, setLoaded] = useState<Keys>();
  useEffect(() => {
    // Without keys, tables stay in the order of the catalog.
    if (wanted && !loaded) keys?.().then(setLoaded, () => {});
  }, [wanted]);
  return loaded;
}

/** The tables of a domain, most connected first; one that was looked for is among those that are shown. */
function shownTables(domain: MapDomain | undefined, keys: Keys | undefined, found: GraphTable | undefined) {
  if (!domain) return [];
  const degree = new Map(domain.tables.map(table => [table.name, keys?.of(table.name).length ?? 0]));
  const sorted = domain.tables.toSorted((a, b) => (degree.get(b.name) ?? 0) - (degree.get(a.name) ?? 0));
  const place = sorted.findIndex(table => table.name === found?.name);
  if (place >= OPEN_TABLES) sorted.splice(OPEN_TABLES - 1, 0, ...sorted.splice(place, 1));
  return sorted;
}

interface FinderProps {
  domains: MapDomain[];
  found: Found | undefined;
  onFind: (found: Found | undefined) => void;
}

/** The field that finds a table: up and down lead to the other matches, Enter opens it. */
function Finder({domains, found, onFind}: FinderProps) {
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const matches = useMemo(() => findTables(domains, typed), [domains, typed]);
  const show = (number: number, among: Found[]) => {
    setPlace(number);
    onFind(among[number]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Enter" && found?.table.href) location.assign(found.table.href);
    if (!step || !matches.length) return;
    event.preventDefault();
    show((place + step + matches.length) % matches.length, matches);
  };
  const said = !matches.length
    ? typed.trim().length > 1
      ? "No table has this name"
      : ""
    : `${visible(matches[place]?.table.label)}: ${place + 1} of ${matches.length.toLocaleString("en-US")}, Enter opens it`;
  return (
    <Fragment>
      <input
        class="g-find"
        type="search"
        placeholder="Find a table"
        aria-label="Find a table on the map"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value);
          show(0, findTables(domains, event.currentTarget.value));
        }}
        onKeyDown={onKeyDown}
      />
      <span class="g-said" role="status">
        {said}
      </span>
    </Fragment>
  );
}

interface DomainsProps {
  map: DomainMap;
  small: boolean;
  band: ReturnType<typeof bandOf> | undefined;
  keys: Keys | undefined;
  found: string | undefined;
  onOpen: (name: string) => void;
  onReveal: (box: DomainBox) => void;
}

function Domains({map, small, band, keys, found, onOpen, onReveal}: DomainsProps) {
  const [light, setLight] = useState<string>();
  const [table, setTable] = useState<string>();
  const {shift} = opened(map, band);
  const boxes = map.boxes.map(box => ({...box, y: box.y + shift(box)}));
  const nameOf = (number: number) => map.boxes[number]?.domain.name;
  const touches = (pair: {one: number; other: number}, name: string | undefined) =>
    name !== undefined && (nameOf(pair.one) === name || nameOf(pair.other) === name);
  const lit = light ?? band?.box.domain.name;
  const drawn = map.pairs.filter(pair => map.strongest.has(pair) || touches(pair, lit));
  const near = new Set([light]);
  for (const pair of map.pairs) if (touches(pair, light)) near.add(nameOf(pair.one)).add(nameOf(pair.other));
  const joined = new Set(keys && table ? keys.of(table).flatMap(({from, to}) => [from, to]) : []);
  const state = (isLit: boolean) => (light === undefined ? "" : isLit ? " g-lit" : " g-dim");
  return (
    <g>
      {drawn.map(pair => {
        const [one, other] = [boxes[pair.one], boxes[pair.other]];
        const near = touches(pair, lit);
        const key = `${pair.one} ${pair.other}`;
        const shown = near ? " g-lit" : lit ? " g-dim" : "";
        return (
          one &&
          other && (
            <DomainLine
              key={key}
              one={one}
              other={other}
              boxes={boxes}
              keys={pair.keys}
              state={shown}
              said={near && pair.keys > 1}
            />
          )
        );
      })}
      {boxes.map(box => {
        const {name, tables} = box.domain;
        const open = name === band?.box.domain.name;
        const isJoined = joined.size > 0 && tables.some(each => joined.has(each.name));
        return (
          <Fragment key={name}>
            <DomainShape
              box={box}
              small={small}
              open={open}
              state={isJoined ? " g-lit" : state(near.has(name))}
              onLight={setLight}
              onOpen={() => onOpen(name)}
              onFocus={() => onReveal(box)}
            />
            {open && band && (
              <BandView band={band} keys={keys} table={table} joined={joined} found={found} onTable={setTable} />
            )}
          </Fragment>
        );
      })}
    </g>
  );
}
