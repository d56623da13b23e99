// A drawing as a file of its own: readable on white, without the page's style.
import {visible} from "../text";
import type {Size} from "./zoom";

const MARGIN = 16;
const STYLE = `
text{font:12px ui-monospace,SFMono-Regular,Consolas,"DejaVu Sans Mono",monospace;fill:#1b2330}
.g-name{font-weight:600}.g-type{fill:#5b6675}.g-mark{font-size:9.5px;font-weight:700}.g-pk{fill:#8a6a00}.g-fk{fill:#1557b0}
.g-box{fill:#fff;stroke:#b9c1cb}.g-head{fill:#eef2f6;stroke:#b9c1cb}.g-own .g-head{fill:#d7ece8}.g-own .g-box,.g-own .g-head{stroke:#0b6b5d}
.g-line,.g-foot{fill:none;stroke:#5b6675;stroke-width:1.3}.g-likely .g-line{stroke-dasharray:5 4}.g-stub{stroke-dasharray:13 2 2 2 2 2 2}.g-open{fill:#fff}.g-reach{display:none}`;

export function svgFile(drawing: Element, {width, height}: Size, label: string): string {
  const create = (tag: string, attributes: Record<string, string | number>, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.textContent = text;
    return element;
  };
  const [wide, tall] = [Math.ceil(width) + 2 * MARGIN, Math.ceil(height) + 2 * MARGIN];
  const file = create("svg", {viewBox: `${-MARGIN} ${-MARGIN} ${wide} ${tall}`, width: wide, height: tall});
  file.append(
    create("title", {}, visible(label)),
    create("style", {}, STYLE),
    create("rect", {x: -MARGIN, y: -MARGIN, width: wide, height: tall, fill: "#fff"}),
    ...drawing.cloneNode(true).childNodes,
  );
  // Links lead to places in the page, which a file does not have.
  for (const link of file.querySelectorAll("a")) link.removeAttribute("href");
  return `${new XMLSerializer().serializeToString(file)}\n`;
}
