// The shapes of a diagram: boxes of tables, and lines of keys with crow's feet.
import {Fragment, h} from "preact";
import type {Key} from "../data/keys";
import {cut, prose, visible} from "../text";
import {type Box, type End, HEADER, ROW, type Route, type Row} from "./layout";
import {fitted, textWidth} from "./measure";

const PAD = 10;

interface BoxProps {
  box: Box;
  state: string;
  own: boolean;
  /** Told when the table is pointed at or has the focus, and without a name when it no longer is. */
  onLight: (name?: string) => void;
  onFocus: (box: Box) => void;
}

export function TableBox({box, state, own, onLight, onFocus}: BoxProps) {
  const {table} = box;
  const inner = (
    <Fragment>
      <title>{table.label + (table.description ? `: ${prose(cut(table.description, 200))}` : "")}</title>
      <rect class="g-box" width={box.width} height={box.height} rx={7} />
      <path class="g-head" d={header(box)} />
      <text class="g-name" x={PAD} y={18.5}>
        {fitted(table.label, box.width - 2 * PAD, "bold")}
      </text>
      {box.rows.map((row, number) => (
        <ColumnRow key={number} box={box} row={row} y={HEADER + 3 + number * ROW} />
      ))}
      {box.more > 0 && (
        <text class="g-type" x={PAD + box.marks} y={HEADER + 17 + box.rows.length * ROW}>
          {`${box.more} more`}
        </text>
      )}
    </Fragment>
  );
  const shared = {
    class: `g-table${own ? " g-own" : ""}${state}`,
    transform: `translate(${box.x} ${box.y})`,
    onPointerEnter: (event: PointerEvent) => event.pointerType === "mouse" && onLight(table.name),
    onPointerLeave: () => onLight(),
  };
  if (!table.href || own) return <g {...shared}>{inner}</g>;
  // A whole address: axe takes links to a part of the page that are out of sight for links that skip something.
  const address = new URL(table.href, document.baseURI).href;
  return (
    <a {...shared} href={address} onFocus={() => onFocus(box)} onBlur={() => onLight()}>
      {inner}
    </a>
  );
}

/** The upper part of a box, with round corners above only where rows follow. */
function header({width, height}: Box): string {
  const below = height > HEADER ? `V${HEADER}H0` : `V${HEADER - 7}a7 7 0 0 1 -7 7H7a7 7 0 0 1 -7 -7`;
  return `M0 7a7 7 0 0 1 7 -7H${width - 7}a7 7 0 0 1 7 7${below}z`;
}

function ColumnRow({box, row, y}: {box: Box; row: Row; y: number}) {
  const room = box.width - 2 * PAD - box.marks;
  const named = Math.min(textWidth(row.name, "code"), room * 0.55);
  const type = row.type ? fitted(row.type, room - named - 12, "code") : "";
  const name = fitted(row.name, room - (type ? textWidth(type, "code") + 12 : 0), "code");
  const marks = row.mark.split(" ").filter(Boolean);
  return (
    <g>
      {name !== row.name && <title>{`${row.name} ${row.type ?? ""}`}</title>}
      {marks.map((mark, number) => (
        <text key={mark} class={`g-mark g-${mark.toLowerCase()}`} x={PAD + number * 18} y={y + 14}>
          {mark}
        </text>
      ))}
      <text class="g-column" x={PAD + box.marks} y={y + 14}>
        {name}
      </text>
      {type && (
        <text class="g-type" x={box.width - PAD} y={y + 14} text-anchor="end">
          {type}
        </text>
      )}
    </g>
  );
}

/** A key in a sentence, with all pairs of columns. */
export function keyText(key: Key, label: (name: string) => string): string {
  const side = (name: string, columns: string[]) => `${visible(label(name))} (${columns.map(visible).join(", ")})`;
  const kind = key.kind === "likely" ? ", likely, not declared" : key.kind === "optional" ? ", optional" : "";
  return `${side(key.from, key.own)} refers to ${side(key.to, key.other)}${kind}`;
}

/** The start of a line that is drawn in full only while its table is pointed at. */
export function KeyStub({route: {child}, title, state}: {route: Route; title: string; state: string}) {
  return (
    <g class={`g-key${state}`}>
      <title>{title}</title>
      <path class="g-foot" d={foot(child)} />
      <path class="g-line g-stub" d={`M${child.x} ${child.y}h${child.side * 24}`} />
    </g>
  );
}

export function KeyLine({keyed, route, title, state}: {keyed: Key; route: Route; title: string; state: string}) {
  const open = keyed.kind !== "";
  return (
    <g class={`g-key${keyed.kind === "likely" ? " g-likely" : ""}${state}`}>
      <title>{title}</title>
      <path class="g-reach" d={route.path} />
      <path class="g-line" d={route.path} />
      <path class="g-foot" d={keyed.one ? bar(route.child, 7) : foot(route.child)} />
      <path class="g-foot" d={open ? bar(route.parent, 6) : bar(route.parent, 6) + bar(route.parent, 10)} />
      {open && (
        <circle class="g-foot g-open" cx={route.parent.x + route.parent.side * 13} cy={route.parent.y} r={3.6} />
      )}
    </g>
  );
}

const foot = ({x, y, side}: End) => `M${x} ${y - 6}L${x + side * 12} ${y}L${x} ${y + 6}`;
const bar = ({x, y, side}: End, at: number) => `M${x + side * at} ${y - 4}v8`;
