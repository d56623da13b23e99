// The shapes of a diagram: boxes of tables, and lines of keys with crow's feet.
import {type ComponentChildren, h} from "preact";
import {cut, prose, visible} from "../text";
import {type Box, type End, HEADER, PADDING, ROW} from "./layout";
import type {Line} from "./model";
import type {GraphTable} from "./props";
import type {Rect} from "./zoom";

/** A line of text. */
export const Text = ({text, ...attributes}: Record<string, string | number | undefined>) => h("text", attributes, text);

interface ShapeProps {
  class: string;
  at: Rect;
  /** Radius of the corners. */
  rx: number;
  title: string;
  href?: string;
  /** Called when the mouse or the focus comes and goes. */
  onPoint: (isPointed: boolean) => void;
  children: ComponentChildren;
  [attribute: string]: unknown;
}

/** A part of a drawing that can be pointed at, and leads somewhere if it has an address. */
export function Shape({at, rx, title, href, onPoint, children, ...attributes}: ShapeProps) {
  const all = {
    ...attributes,
    transform: `translate(${at.x} ${at.y})`,
    onPointerEnter: (event: PointerEvent) => event.pointerType === "mouse" && onPoint(true),
    onPointerLeave: () => onPoint(false),
    onFocus: () => onPoint(true),
    onBlur: () => onPoint(false),
  };
  const inner = [
    <title key="title">{title}</title>,
    <rect key="box" class="g-box" width={at.width} height={at.height} rx={rx} />,
    children,
  ];
  // A whole address: axe takes links to a part of the page that are out of sight for links that skip something.
  return href ? h("a", {...all, href: new URL(href, document.baseURI).href}, inner) : h("g", all, inner);
}

export const tableTitle = ({label, description}: GraphTable) =>
  visible(label) + (description ? `: ${prose(cut(description, 200))}` : "");

/** The name of a table, and its columns. */
function TableContent({box: {label, rows, marks, width}}: {box: Box}) {
  // Corners are round below only where no rows follow.
  const below = rows.length ? `V${HEADER}H0` : `V${HEADER - 7}a7 7 0 0 1 -7 7H7a7 7 0 0 1 -7 -7`;
  return (
    <g>
      <path class="g-head" d={`M0 7a7 7 0 0 1 7 -7H${width - 7}a7 7 0 0 1 7 7${below}z`} />
      <Text class="g-name" x={PADDING} y={18.5} text={label} />
      {rows.map((row, number) => (
        <g key={row.column} transform={`translate(0 ${HEADER + 17 + number * ROW})`}>
          {row.name !== visible(row.column) && <title>{visible(row.column)}</title>}
          {row.marks.map((mark, place) => (
            <Text key={mark} class={`g-mark g-${mark.toLowerCase()}`} x={PADDING + place * 18} text={mark} />
          ))}
          <Text class="g-column" x={PADDING + marks} text={row.name} />
          <Text class="g-type" x={width - PADDING} text-anchor="end" text={row.type} />
        </g>
      ))}
    </g>
  );
}

interface TableBoxProps {
  box: Box;
  /** The table in the middle, which leads nowhere. */
  focus: string | undefined;
  /** Classes for light and shade. */
  state: string;
  onPoint: (isPointed: boolean) => void;
}

/** A table that can be pointed at. */
export function TableBox({box, focus, state, onPoint}: TableBoxProps) {
  const isOwn = box.table.name === focus;
  return (
    <Shape
      class={`g-table${isOwn ? " g-own" : ""}${state}`}
      at={box}
      rx={7}
      title={tableTitle(box.table)}
      href={isOwn ? undefined : box.table.href}
      onPoint={onPoint}
    >
      <TableContent box={box} />
    </Shape>
  );
}

/** Notes on keys that are not declared, or may be empty. */
export const KINDS = {"": "", optional: "optional", likely: "likely, not declared"};

/** Describe a key in a sentence, with all pairs of columns. */
function sentenceOf({from, to, key: {own, other, kind}}: Line): string {
  const side = ({table}: Box, columns: string[]) => `${table.label} (${columns.map(visible).join(", ")})`;
  return `${side(from, own)} refers to ${side(to, other)}${kind && `, ${KINDS[kind]}`}`;
}

/** The line of a key; of a stub, only the start. */
export function KeyLine({line, state, isStub}: {line: Line; state: string; isStub: boolean}) {
  const {key, path, child, parent} = line;
  const kind = key.kind === "likely" && !isStub ? " g-likely" : "";
  return (
    <g class={`g-key${kind}${state}`}>
      <title>{sentenceOf(line)}</title>
      <path class="g-foot" d={key.one ? bar(child, 7) : foot(child)} />
      {isStub ? (
        <path class="g-line g-stub" d={`M${child.x} ${child.y}h${child.side * 24}`} />
      ) : (
        <g>
          <path class="g-reach" d={path} />
          <path class="g-line" d={path} />
          <path class="g-foot" d={bar(parent, 6) + (key.kind ? "" : bar(parent, 10))} />
          {key.kind && <circle class="g-foot g-open" cx={parent.x + parent.side * 13} cy={parent.y} r={3.6} />}
        </g>
      )}
    </g>
  );
}

const foot = ({x, y, side}: End) => `M${x} ${y - 6}L${x + side * 12} ${y}L${x} ${y + 6}`;
const bar = ({x, y, side}: End, at: number) => `M${x + side * at} ${y - 4}v8`;
