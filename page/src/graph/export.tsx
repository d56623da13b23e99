// The menu that saves or copies a diagram.
import {Fragment, h} from "preact";
import {useRef, useState} from "preact/hooks";
import {mermaid} from "./mermaid";
import type {Drawing} from "./model";
import type {DiagramProps} from "./props";
import {svgFile} from "./svg_file";

type Format = ReturnType<typeof formats>[number];

function formats({label, dbml, allColumns}: DiagramProps, drawing: Drawing, svg: () => string) {
  const file = label.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const names = drawing.boxes.map(box => box.table.name);
  return [
    {name: "SVG", file: `${file}.svg`, type: "image/svg+xml", text: svg},
    {name: "Mermaid", file: `${file}.mmd`, type: "text/plain", text: () => mermaid(drawing, allColumns)},
    ...(dbml ? [{name: "DBML", file: `${file}.dbml`, type: "text/plain", text: () => dbml(names)}] : []),
  ];
}

export function ExportMenu({props, drawing}: {props: DiagramProps; drawing: Drawing}) {
  const [said, setSaid] = useState("");
  const menu = useRef<HTMLDetailsElement>(null);
  const svg = () => {
    const shown = menu.current?.closest(".g-frame")?.querySelector(".g-drawing svg");
    return shown ? svgFile(shown, drawing, props.label) : "";
  };
  const run = async (format: Format, act: typeof save | typeof copy) => {
    try {
      setSaid(await act(await format.text(), format));
    } catch (problem) {
      setSaid(`Cannot make the ${format.name}: ${problem instanceof Error ? problem.message : problem}`);
    }
  };
  const close = () => menu.current?.removeAttribute("open");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.stopPropagation();
    close();
    menu.current.querySelector("summary")?.focus();
  };
  const onFocusOut = (event: FocusEvent) => {
    if (!menu.current?.contains(event.relatedTarget as Node | null)) close();
  };
  // The event of opening may come after the first click.
  const onToggle = () => menu.current?.open || setSaid("");
  return (
    <details class="g-export" ref={menu} onKeyDown={onKeyDown} onFocusOut={onFocusOut} onToggle={onToggle}>
      <summary>Export</summary>
      <div class="g-menu" tabIndex={-1}>
        {formats(props, drawing, svg).map(format => (
          <Fragment key={format.name}>
            <span>{format.name}</span>
            <button type="button" aria-label={`Download ${format.name}`} onClick={() => run(format, save)}>
              Download
            </button>
            <button type="button" aria-label={`Copy ${format.name}`} onClick={() => run(format, copy)}>
              Copy
            </button>
          </Fragment>
        ))}
        {!props.dbml && <p>DBML: in the site and the served page</p>}
        <p role="status">{said}</p>
      </div>
    </details>
  );
}

function save(text: string, {file, type}: Format): string {
  const address = URL.createObjectURL(new Blob([text], {type}));
  Object.assign(document.createElement("a"), {href: address, download: file}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return `Saved ${file}`;
}

async function copy(text: string, {name}: Format): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages without TLS have no clipboard, but may still copy what is selected.
    const field = Object.assign(document.createElement("textarea"), {value: text, className: "g-copied"});
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    if (!isCopied) return "Copying is not allowed here";
  }
  return `Copied the ${name}`;
}
