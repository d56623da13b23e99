// The map of a database: its domains, the keys between them, and the tables of a domain that is opened.
import {Fragment, h} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import type {Keys} from "../data/keys";
import {counted} from "../text";
import {Finder, type TableInDomain} from "./finder";
import {Frame} from "./frame";
import {DomainList} from "./list";
import {type DomainBox, type DomainLine, type DomainMap, gridOf, layMap} from "./map_layout";
import {BandView, DomainShape, LineShape} from "./map_shapes";
import type {GraphTable, MapDomain, MapProps} from "./props";
import {centerOf, MARGIN} from "./zoom";

const SMALL_DOMAINS = 14;

/** Select the domains of a small map: the largest and best connected. */
function largest(domains: MapDomain[]): MapDomain[] {
  const weight = ({tables, links}: MapDomain) => tables.length + links.reduce((sum, [, keys]) => sum + keys, 0);
  const kept = new Set(domains.toSorted((a, b) => weight(b) - weight(a)).slice(0, SMALL_DOMAINS));
  return domains.filter(domain => kept.has(domain));
}

export function DatabaseMap(props: MapProps) {
  const {label, small = false} = props;
  const names = JSON.stringify(props.domains.map(domain => [domain.name, domain.tables.length]));
  const domains = useMemo(() => (small ? largest(props.domains) : props.domains), [names, small]);
  const [frame, setFrame] = useState(0);
  const width = frame - 2 * MARGIN;
  const grid = useMemo(() => (frame ? gridOf(domains, width, small) : undefined), [domains, width, small]);
  const [opened, setOpened] = useState<TableInDomain>();
  const [keys, setKeys] = useState<Keys>();
  useEffect(() => {
    // Without keys, tables stay in the order of the catalog.
    if (opened && !keys) props.keys().then(setKeys, () => {});
  }, [opened]);
  const map = useMemo(
    () => grid && layMap(grid, opened && {domain: opened.domain, tables: rankedTables(opened, keys)}),
    [grid, opened, keys],
  );
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => root.current?.querySelector(".g-found")?.scrollIntoView({block: "center"}), [map]);
  const size = {width, height: map?.height ?? 1};
  const left = props.domains.length - domains.length;
  return (
    <div class="g-map" ref={root}>
      <Frame
        label={label}
        size={size}
        start={centerOf(size)}
        content={grid}
        tallest={Number.POSITIVE_INFINITY}
        onWidth={setFrame}
        tools={
          !small && (
            <Finder domains={domains} onFind={found => setOpened(found ?? (opened && {domain: opened.domain}))} />
          )
        }
      >
        {map && (
          <Domains
            map={map}
            keys={keys}
            found={opened?.table}
            onOpen={small ? undefined : domain => setOpened(domain === opened?.domain ? undefined : {domain})}
          />
        )}
      </Frame>
      {left > 0 && <p class="g-note">{`and ${counted(left, "more domain")}`}</p>}
      <DomainList domains={props.domains} />
    </div>
  );
}

/** Sort the tables of a domain: one that was looked for, then the most connected ones. */
function rankedTables({domain, table}: TableInDomain, keys: Keys | undefined): GraphTable[] {
  const number = (each: GraphTable) => (each === table ? Number.POSITIVE_INFINITY : (keys?.of(each.name).length ?? 0));
  return domain.tables.toSorted((a, b) => number(b) - number(a));
}

interface DomainsProps {
  map: DomainMap;
  keys: Keys | undefined;
  found: GraphTable | undefined;
  onOpen?: (domain: MapDomain) => void;
}

/** Boxes and lines; a domain that is pointed at is lit with its neighbours, as one that is joined to such a table. */
function Domains({map: {boxes, lines, band}, keys, found, onOpen}: DomainsProps) {
  const [light, setLight] = useState<MapDomain>();
  const [table, setTable] = useState<GraphTable>();
  const lit = light ?? band?.box.domain;
  const isLit = ({domains}: DomainLine) => domains.some(domain => domain === lit);
  const near = new Set([lit, ...lines.filter(isLit).flatMap(line => line.domains)]);
  const joined = new Set(table && keys?.of(table.name).flatMap(({from, to}) => [from, to]));
  const state = ({domain}: DomainBox) => {
    if (domain.tables.some(each => joined.has(each.name))) return " g-lit";
    return light ? (near.has(domain) ? " g-lit" : " g-dim") : "";
  };
  const drawn = lines.filter(line => line.isStrong || isLit(line));
  return (
    <g>
      {drawn.map(line => (
        <LineShape key={line.path} line={line} state={lit ? (isLit(line) ? " g-lit" : " g-dim") : ""} />
      ))}
      {boxes.map(box => (
        <Fragment key={box.domain.name}>
          <DomainShape
            box={box}
            state={state(box)}
            isOpen={box === band?.box}
            onOpen={onOpen && (() => onOpen(box.domain))}
            onPoint={isPointed => setLight(isPointed ? box.domain : undefined)}
          />
          {box === band?.box && <BandView {...{band, keys, table, joined, found}} onTable={setTable} />}
        </Fragment>
      ))}
    </g>
  );
}
