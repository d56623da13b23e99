// An entity-relationship diagram of a table and its neighbours, or of a domain.
import {Fragment, h} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {counted, visible} from "../text";
import {ExportMenu} from "./export";
import {Frame} from "./frame";
import {KeyList} from "./list";
import {type Detail, type Drawing, drawn, selected} from "./model";
import type {DiagramProps, GraphColumn} from "./props";
import {KeyLine, KeyStub, keyText, TableBox} from "./shapes";
import type {Zoom} from "./zoom";

const TALLEST = 620;

/** All columns of the tables that are shown, loaded once they are wanted. */
function useColumns({allColumns}: DiagramProps, names: string[], wanted: boolean) {
  const [columns, setColumns] = useState(new Map<string, GraphColumn[]>());
  const [problem, setProblem] = useState("");
  const missing = wanted ? names.filter(name => !columns.has(name)) : [];
  useEffect(() => {
    if (!allColumns || !missing.length) return;
    let left = false;
    Promise.all(missing.map(async name => [name, await allColumns(name)] as const)).then(
      found => left || setColumns(new Map([...columns, ...found])),
      () => left || setProblem("The columns cannot be loaded. "),
    );
    return () => {
      left = true;
    };
  }, [missing.join("\n")]);
  return {columns: wanted && !missing.length ? columns : undefined, problem: missing.length ? problem : ""};
}

/** The table to start at: the focus, or the one with most lines. */
function center({boxes, keys, aside}: Drawing, focus: string | undefined) {
  const degree = new Map<string, number>();
  for (const key of keys) {
    if (!aside.has(key)) for (const end of [key.from, key.to]) degree.set(end, (degree.get(end) ?? 0) + 1);
  }
  const [most] = [...degree].sort((a, b) => b[1] - a[1]);
  const box = boxes.find(each => each.table.name === (focus ?? most?.[0])) ?? boxes[0];
  return box && {x: box.x + box.width / 2, y: box.y + Math.min(box.height, 400) / 2};
}

const DETAILS: [Detail, string][] = [
  ["names", "Names"],
  ["keys", "Keys"],
  ["columns", "All columns"],
];
const STEPS: [number, string][] = [
  [1, "1 step"],
  [2, "2 steps"],
];

export function Diagram(props: DiagramProps) {
  const {label, tables, keys, start, focus} = props;
  const [steps, setSteps] = useState(1);
  const [detail, setDetail] = useState<Detail>("keys");
  const content = JSON.stringify([start, focus, steps]);
  const selection = useMemo(() => selected(props, steps), [content, keys]);
  const {columns, problem} = useColumns(props, selection.names, detail === "columns");
  const shown = detail === "columns" && !columns ? "keys" : detail;
  const drawing = useMemo(() => drawn(selection, props, shown, columns), [selection, shown, columns]);
  const zoom = useRef<Zoom>(null);
  const svg = useRef<SVGSVGElement>(null);
  if (!drawing.boxes.length) return <p class="g-note">There are no tables to draw.</p>;
  const details = DETAILS.filter(([name]) => name !== "columns" || props.allColumns);
  return (
    <div class="g-diagram">
      <Frame
        label={label}
        width={drawing.width}
        height={drawing.height}
        middle={center(drawing, focus)}
        content={content + shown}
        tallest={Math.min(TALLEST, Math.max(320, innerHeight * 0.7))}
        zoom={zoom}
        svg={svg}
        tools={
          <Fragment>
            {focus !== undefined && <Choice label="Tables around" options={STEPS} value={steps} onChange={setSteps} />}
            <Choice label="Detail" options={details} value={detail} onChange={setDetail} />
            <ExportMenu props={props} drawing={drawing} svg={svg} />
          </Fragment>
        }
      >
        <Picture props={props} drawing={drawing} zoom={zoom} />
      </Frame>
      <p class="g-note">
        {problem}
        {selection.left.length > 0 && `${counted(selection.left.length, "more table")} only in the list. `}
        <Legend drawing={drawing} tables={tables} />
      </p>
      <KeyList selection={selection} keys={keys} tables={tables} />
    </div>
  );
}

interface ChoiceProps<Value> {
  label: string;
  options: [Value, string][];
  value: Value;
  onChange: (value: Value) => void;
}

function Choice<Value>({label, options, value, onChange}: ChoiceProps<Value>) {
  return (
    <fieldset class="g-choice" aria-label={label}>
      {options.map(([each, text]) => (
        <button key={text} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

function Legend({drawing: {keys, hubs}, tables}: {drawing: Drawing; tables: DiagramProps["tables"]}) {
  const kinds = new Set(keys.map(key => key.kind));
  const parts = [
    keys.length > 0 && "A crow's foot is the side of many rows",
    kinds.has("optional") && "a circle means that the key may be empty",
    kinds.has("likely") && "dashed keys are likely, not declared",
    hubs.length > 0 && `point at a table for its keys to ${hubs.map(name => visible(tables(name).label)).join(", ")}`,
  ].filter(Boolean);
  return <span>{parts.length ? `${parts.join("; ")}.` : "No keys between these tables."}</span>;
}

interface PictureProps {
  props: DiagramProps;
  drawing: Drawing;
  zoom: {current: Zoom | null};
}

/** Boxes and lines; the table that is pointed at or has the focus is lit with its neighbours. */
function Picture({props, drawing, zoom}: PictureProps) {
  const {boxes, keys, routes} = drawing;
  const [light, setLight] = useState<string>();
  const near = new Set([light]);
  for (const {from, to} of keys) {
    if (from === light) near.add(to);
    if (to === light) near.add(from);
  }
  const label = (name: string) => props.tables(name).label;
  const state = (lit: boolean) => (light === undefined ? "" : lit ? " g-lit" : " g-dim");
  const order = keys.map((_, number) => number);
  const isLit = (number: number) => keys[number]?.from === light || keys[number]?.to === light;
  if (light !== undefined) order.sort((a, b) => Number(isLit(a)) - Number(isLit(b)));
  return (
    <g>
      {order.map(number => {
        const [key, route] = [keys[number], routes[number]];
        if (!key || !route) return null;
        if (drawing.aside.has(key) && (light === undefined || !isLit(number))) {
          return <KeyStub key={number} route={route} title={keyText(key, label)} state={state(false)} />;
        }
        return (
          <KeyLine key={number} keyed={key} route={route} title={keyText(key, label)} state={state(isLit(number))} />
        );
      })}
      {boxes.map(box => (
        <TableBox
          key={box.table.name}
          box={box}
          own={box.table.name === props.focus}
          state={state(near.has(box.table.name))}
          onLight={setLight}
          onFocus={focused => {
            setLight(focused.table.name);
            zoom.current?.reveal(focused);
          }}
        />
      ))}
    </g>
  );
}
