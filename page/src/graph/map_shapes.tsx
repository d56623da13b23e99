// The shapes of a map: domains, the lines between them, and the tables of an open domain.
import {Fragment, h} from "preact";
import type {Keys} from "../data/keys";
import {counted, cut, prose, visible} from "../text";
import {type Band, type Chip, type DomainBox, lineBetween} from "./map_layout";
import {fitted} from "./measure";

const PAD = 10;

interface LineProps {
  one: DomainBox;
  other: DomainBox;
  boxes: DomainBox[];
  keys: number;
  state: string;
  /** Whether the number of keys is written next to the line. */
  said: boolean;
}

export function DomainLine({one, other, boxes, keys, state, said}: LineProps) {
  const {path, middle} = lineBetween(one, other, boxes);
  return (
    <g class={`g-link${state}`}>
      <title>{`${visible(one.domain.title)} and ${visible(other.domain.title)}: ${counted(keys, "key")}`}</title>
      <path d={path} stroke-width={Math.min(9, 1 + Math.log2(keys))} />
      {said && (
        <text class="g-number" x={middle.x} y={middle.y + 4} text-anchor="middle">
          {keys.toLocaleString("en-US")}
        </text>
      )}
    </g>
  );
}

interface ShapeProps {
  box: DomainBox;
  small: boolean;
  open: boolean;
  state: string;
  onLight: (name?: string) => void;
  onOpen: () => void;
  onFocus: () => void;
}

export function DomainShape({box, small, open, state, onLight, onOpen, onFocus}: ShapeProps) {
  const {domain} = box;
  const title = visible(domain.title);
  const said = domain.description ? `${title}: ${prose(cut(domain.description, 300))}` : title;
  const inner = (
    <Fragment>
      <title>{`${said} (${counted(domain.tables.length, "table")})`}</title>
      <rect class="g-box" width={box.width} height={box.height} rx={9} />
      <text class="g-title" x={PAD} y={20}>
        {box.title}
      </text>
      {box.lines.map((line, number) => (
        <text key={number} class="g-type" x={PAD} y={38 + number * 17}>
          {line}
        </text>
      ))}
    </Fragment>
  );
  const focus = () => {
    onLight(domain.name);
    onFocus();
  };
  const shared = {
    class: `g-domain${open ? " g-own" : ""}${state}`,
    transform: `translate(${box.x} ${box.y})`,
    onPointerEnter: (event: PointerEvent) => event.pointerType === "mouse" && onLight(domain.name),
    onPointerLeave: () => onLight(),
    onFocus: focus,
    onBlur: () => onLight(),
  };
  if (small) {
    return (
      <a {...shared} href={domain.href}>
        {inner}
      </a>
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onOpen();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons.
    <g {...shared} role="button" tabIndex={0} aria-expanded={open} onClick={onOpen} onKeyDown={onKeyDown}>
      {inner}
    </g>
  );
}

interface BandProps {
  band: Band;
  keys: Keys | undefined;
  /** The table that is pointed at or has the focus, and all that keys join it to. */
  table: string | undefined;
  joined: Set<string>;
  found: string | undefined;
  onTable: (name?: string) => void;
}

/** The tables of an open domain. */
export function BandView(props: BandProps) {
  const {band} = props;
  const {domain} = band.box;
  const title = `${visible(domain.title)}, ${counted(domain.tables.length, "table")}`;
  return (
    <g>
      <path class="g-open-band" d={bandPath(band)} />
      <text class="g-title" x={PAD + 2} y={band.y + 25}>
        {fitted(title, band.width - 150, "title")}
      </text>
      <a class="g-more" href={domain.href}>
        <text x={band.width - PAD - 2} y={band.y + 25} text-anchor="end">
          Open the domain
        </text>
      </a>
      {band.chips.map(chip => (
        <ChipView key={chip.table.name} chip={chip} {...props} />
      ))}
      {band.left > 0 && (
        <a class="g-more" href={domain.href}>
          <text x={PAD + 2} y={band.y + band.height - 11}>
            {`and ${counted(band.left, "more table")}: open the domain`}
          </text>
        </a>
      )}
    </g>
  );
}

function ChipView({chip, keys, table, joined, found, onTable}: BandProps & {chip: Chip}) {
  const {name, label, description, href} = chip.table;
  const isFaint = table !== undefined && table !== name && !joined.has(name);
  const state = name === found ? " g-found" : joined.has(name) ? " g-lit" : isFaint ? " g-faint" : "";
  const number = keys?.of(name).length;
  const inner = (
    <Fragment>
      <title>{visible(label) + (description ? `: ${prose(cut(description, 200))}` : "")}</title>
      <rect class="g-box" width={chip.width} height={chip.height} rx={6} />
      <text class="g-column" x={8} y={16.5}>
        {chip.text}
      </text>
      {number !== undefined && (
        <text class="g-type" x={chip.width - 8} y={16.5} text-anchor="end">
          {number}
        </text>
      )}
    </Fragment>
  );
  const shared = {
    class: `g-chip${state}`,
    transform: `translate(${chip.x} ${chip.y})`,
    onPointerEnter: (event: PointerEvent) => event.pointerType === "mouse" && onTable(name),
    onPointerLeave: () => onTable(),
  };
  if (!href) return <g {...shared}>{inner}</g>;
  return (
    <a {...shared} href={href} onFocus={() => onTable(name)} onBlur={() => onTable()}>
      {inner}
    </a>
  );
}

/** A frame with a point towards the domain that it belongs to. */
function bandPath({box, y, width, height}: Band): string {
  const r = 9;
  const at = Math.min(Math.max(box.x + box.width / 2, 26), width - 26);
  return `M${r} ${y}H${at - 10}l10 -11l10 11H${width - r}a${r} ${r} 0 0 1 ${r} ${r}V${y + height - r}a${r} ${r} 0 0 1 -${r} ${r}H${r}a${r} ${r} 0 0 1 -${r} -${r}V${y + r}a${r} ${r} 0 0 1 ${r} -${r}z`;
}
