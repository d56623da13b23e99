// A drawing of what tables are made from: what is read is to the left of what reads it.
import {h} from "preact";
import {useMemo, useState} from "preact/hooks";
import {grouped} from "../grouped";
import {cut, visible} from "../text";
import {Frame} from "./frame";
import {arrange, type Box, boxOf, type End, type Link, LONGEST_NAME} from "./layout";
import type {LineageProps} from "./props";
import {TableBox} from "./shapes";
import {centerOf} from "./zoom";

interface Flow extends Link {
  id: string;
  title: string;
}

export function LineageDrawing(props: LineageProps) {
  const {label, focus, chosen, choose} = props;
  const {boxes, lines, width, height} = useMemo(() => layOut(props), [props.nodes, props.flows]);
  const [light, setLight] = useState<Box>();
  const state = (isLit: boolean) => (light ? (isLit ? " g-lit" : " g-dim") : "");
  const own = boxes.find(box => box.table.name === focus);
  const near = new Set([light, ...lines.filter(({from, to}) => from === light || to === light).flatMap(endsOf)]);
  return (
    <Frame
      label={label}
      size={{width, height}}
      start={own ? centerOf(own) : {x: 0, y: 0}}
      content={boxes}
      tallest={Math.min(520, Math.max(260, innerHeight * 0.6))}
      tools={<span />}
    >
      <g>
        {lines.map(line => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list below has a button for each line.
          <g
            key={line.id}
            class={`g-key g-flow${line.id === chosen ? " g-chosen" : ""}${state(line.from === light || line.to === light)}`}
            onClick={() => choose(line.id)}
          >
            <title>{line.title}</title>
            <path class="g-reach" d={line.path} />
            <path class="g-line" d={line.path} />
            <path class="g-foot" d={arrow(line.parent)} />
          </g>
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
    </Frame>
  );
}

const endsOf = ({from, to}: Flow) => [from, to];
const arrow = ({x, y, side}: End) => `M${x + side * 8} ${y - 5}L${x} ${y}L${x + side * 8} ${y + 5}`;

function layOut({nodes, flows}: LineageProps) {
  const boxes = nodes.map(({columns, ...table}) => {
    const rows = columns.map(column => ({column, name: cut(visible(column), LONGEST_NAME), marks: [], type: ""}));
    return boxOf({...table, label: visible(table.label)}, rows);
  });
  const byName = new Map(boxes.map(box => [box.table.name, box]));
  const place = (box: Box, column: string) => box.rows.findIndex(row => row.column === column);
  const links = [...grouped(flows, flow => flow.id).values()].flatMap(([flow]) => {
    const [from, to] = [flow && byName.get(flow.from), flow && byName.get(flow.to)];
    if (!flow || !from || !to) return [];
    const rows = {fromRow: place(from, flow.fromColumn), toRow: place(to, flow.toColumn)};
    return [{id: flow.id, title: flow.title, from, to, ...rows, toShift: 0, isAside: false}];
  });
  return {boxes, ...arrange<Flow>(boxes, links)};
}
