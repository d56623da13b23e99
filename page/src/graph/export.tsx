// The menu that saves or copies a diagram.
import {Fragment, h, type RefObject} from "preact";
import {useRef, useState} from "preact/hooks";
import {visible} from "../text";
import {copied, saved} from "./copy";
import {mermaid} from "./mermaid";
import type {Drawing} from "./model";
import {standalone} from "./picture";
import type {DiagramProps} from "./props";

interface ExportProps {
  props: DiagramProps;
  drawing: Drawing;
  svg: RefObject<SVGSVGElement | null>;
}

interface Format {
  name: string;
  file: string;
  type: string;
  text: () => string | Promise<string>;
}

function formats({props, drawing, svg}: ExportProps): Format[] {
  const {label, dbml} = props;
  const file =
    label
      .replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .toLowerCase() || "diagram";
  const names = drawing.boxes.map(box => box.table.name);
  return [
    {
      name: "SVG",
      file: `${file}.svg`,
      type: "image/svg+xml",
      text: () => (svg.current ? standalone(svg.current, drawing, label) : ""),
    },
    {name: "Mermaid", file: `${file}.mmd`, type: "text/plain", text: () => mermaidOf(props, drawing)},
    ...(dbml ? [{name: "DBML", file: `${file}.dbml`, type: "text/plain", text: () => dbml(names)}] : []),
  ];
}

/** Key columns have no types in a diagram; Mermaid wants one for each. */
async function mermaidOf({allColumns}: DiagramProps, {boxes, keys}: Drawing): Promise<string> {
  const entities = boxes.map(async ({table, rows}) => {
    const columns = rows.length && allColumns ? await allColumns(table.name) : [];
    const types = new Map(columns.map(({name, type}) => [visible(name), type]));
    return {name: table.name, label: table.label, rows: rows.map(row => ({...row, type: types.get(row.name)}))};
  });
  return mermaid(await Promise.all(entities), keys);
}

export function ExportMenu(given: ExportProps) {
  const [said, setSaid] = useState("");
  const menu = useRef<HTMLDetailsElement>(null);
  const run = async (format: Format, act: (text: string) => string | Promise<string>) => {
    try {
      setSaid(await act(await format.text()));
    } catch (problem) {
      setSaid(`Cannot make the ${format.name}: ${problem instanceof Error ? problem.message : problem}`);
    }
  };
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.stopPropagation();
    menu.current.open = false;
    menu.current.querySelector("summary")?.focus();
  };
  const leave = (event: FocusEvent) => {
    if (menu.current && !menu.current.contains(event.relatedTarget as Node | null)) menu.current.open = false;
  };
  return (
    <details class="g-export" ref={menu} onKeyDown={close} onFocusOut={leave} onToggle={() => setSaid("")}>
      <summary>Export</summary>
      <div class="g-menu">
        {formats(given).map(format => (
          <Fragment key={format.name}>
            <span>{format.name}</span>
            <button
              type="button"
              aria-label={`Download ${format.name}`}
              onClick={() =>
                run(format, text => {
                  saved(text, format.file, format.type);
                  return `Saved ${format.file}`;
                })
              }
            >
              Download
            </button>
            <button
              type="button"
              aria-label={`Copy ${format.name}`}
              onClick={() =>
                run(format, async text =>
                  (await copied(text)) ? `Copied the ${format.name}` : "Copying is not allowed here",
                )
              }
            >
              Copy
            </button>
          </Fragment>
        ))}
        {!given.props.dbml && <p>DBML: in the site and the served page</p>}
        <p role="status">{said}</p>
      </div>
    </details>
  );
}
