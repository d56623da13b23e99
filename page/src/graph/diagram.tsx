// An entity-relationship diagram of a table and its neighbours, or of a domain.
import {Fragment, h} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {counted} from "../text";
import {ExportMenu} from "./export";
import {Frame} from "./frame";
import type {Box} from "./layout";
import {KeyList} from "./list";
import {type Detail, type Drawing, type Line, layOut, selectTables} from "./model";
import type {DiagramProps, GraphColumn} from "./props";
import {KeyLine, TableBox} from "./shapes";
import {centerOf} from "./zoom";

const STEPS = {1: "1 step", 2: "2 steps"};
const DETAILS = {names: "Names", keys: "Keys", columns: "All columns"};

export function Diagram(props: DiagramProps) {
  const {label, tables, keys, start, focus} = props;
  const [steps, setSteps] = useState<keyof typeof STEPS>(1);
  const [detail, setDetail] = useState<Detail>("keys");
  const selection = useMemo(() => selectTables(props, Number(steps)), [start.join("\n"), focus, steps, keys]);
  const {columns, problem} = useColumns(props, selection.names, detail === "columns");
  const shown = detail === "columns" && !columns ? "keys" : detail;
  const drawing = useMemo(() => layOut(selection, props, shown, columns), [selection, shown, columns]);
  const [first] = drawing.boxes;
  if (!first) return <p class="g-note">There are no tables to draw.</p>;
  return (
    <div class="g-diagram">
      <Frame
        label={label}
        size={drawing}
        start={centerOf({...first, height: Math.min(first.height, 400)})}
        content={drawing}
        tallest={Math.min(620, Math.max(320, innerHeight * 0.7))}
        tools={
          <Fragment>
            {focus !== undefined && <Choice label="Tables around" options={STEPS} value={steps} onChange={setSteps} />}
            <Choice label="Detail" options={DETAILS} value={detail} onChange={setDetail} />
            <ExportMenu props={props} drawing={drawing} />
          </Fragment>
        }
      >
        <Picture drawing={drawing} focus={focus} />
      </Frame>
      <p class="g-note">
        {problem}
        {selection.left.length > 0 && `${counted(selection.left.length, "more table")} only in the list. `}
        {legend(drawing.lines)}
      </p>
      <KeyList names={[...selection.names, ...selection.left]} keys={keys} tables={tables} />
    </div>
  );
}

/** Load all columns of tables once they are wanted. */
function useColumns({allColumns}: DiagramProps, names: string[], isWanted: boolean) {
  const [known, setKnown] = useState(new Map<string, GraphColumn[]>());
  const [problem, setProblem] = useState("");
  const isComplete = names.every(name => known.has(name));
  useEffect(() => {
    if (!isWanted || isComplete) return;
    const load = async (name: string) => [name, await allColumns(name)] as const;
    Promise.all(names.map(load)).then(
      found => setKnown(before => new Map([...before, ...found])),
      () => setProblem("The columns cannot be loaded. "),
    );
  }, [names, isWanted]);
  return isWanted ? {columns: isComplete ? known : undefined, problem: isComplete ? "" : problem} : {};
}

interface ChoiceProps<Value extends string | number> {
  label: string;
  options: Record<Value, string>;
  value: Value;
  onChange: (value: Value) => void;
}

function Choice<Value extends string | number>({label, options, value, onChange}: ChoiceProps<Value>) {
  return (
    <fieldset class="g-choice" aria-label={label}>
      {(Object.keys(options) as Value[]).map(each => (
        <button key={each} type="button" aria-pressed={each === String(value)} onClick={() => onChange(each)}>
          {options[each]}
        </button>
      ))}
    </fieldset>
  );
}

function legend(lines: Line[]): string {
  const has = (kind: string) => lines.some(line => line.key.kind === kind);
  const hubs = new Set(lines.flatMap(line => (line.isAside ? line.to.table.label : [])));
  const parts = [
    lines.length ? "A crow's foot is the side of many rows" : "No keys between these tables",
    has("optional") && "a circle means that the key may be empty",
    has("likely") && "dashed keys are likely, not declared",
    hubs.size > 0 && `point at a table for its keys to ${[...hubs].join(", ")}`,
  ];
  return `${parts.filter(Boolean).join("; ")}.`;
}

/** Boxes and lines; the table that is pointed at or has the focus is lit with its neighbours. */
function Picture({drawing: {boxes, lines}, focus}: {drawing: Drawing; focus: string | undefined}) {
  const [light, setLight] = useState<Box>();
  const isLit = ({from, to}: Line) => from === light || to === light;
  const near = new Set([light, ...lines.filter(isLit).flatMap(({from, to}) => [from, to])]);
  const state = (lit: boolean) => (light ? (lit ? " g-lit" : " g-dim") : "");
  const order = lines.toSorted((a, b) => Number(isLit(a)) - Number(isLit(b)));
  return (
    <g>
      {order.map(line => (
        <KeyLine key={line.id} line={line} state={state(isLit(line))} isStub={line.isAside && !isLit(line)} />
      ))}
      {boxes.map(box => (
        <TableBox
          key={box.table.name}
          box={box}
          focus={focus}
          state={state(near.has(box))}
          onPoint={isPointed => setLight(isPointed ? box : undefined)}
        />
      ))}
    </g>
  );
}
