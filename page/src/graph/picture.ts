// A drawing as a file of its own: readable on white, without the page's style.
import type {Size} from "./zoom";

const MARGIN = 16;
const STYLE = `
text{font:12px ui-monospace,SFMono-Regular,Consolas,"DejaVu Sans Mono",monospace;fill:#1b2330}
.g-name{font-weight:600}.g-type{fill:#5b6675}.g-mark{font-size:9.5px;font-weight:700}.g-pk{fill:#8a6a00}.g-fk{fill:#1557b0}
.g-box{fill:#fff;stroke:#b9c1cb}.g-head{fill:#eef2f6;stroke:#b9c1cb}.g-own .g-head{fill:#d7ece8}.g-own .g-box,.g-own .g-head{stroke:#0b6b5d}
.g-line,.g-foot{fill:none;stroke:#5b6675;stroke-width:1.3}.g-likely .g-line{stroke-dasharray:5 4}.g-stub{stroke-dasharray:13 2 2 2 2 2 2}.g-open{fill:#fff}.g-reach{display:none}`;

export function standalone(svg: SVGSVGElement, {width, height}: Size, label: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  for (const name of [...copy.attributes].map(each => each.name)) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [wide, tall] = [width + 2 * MARGIN, height + 2 * MARGIN];
  copy.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${Math.ceil(wide)} ${Math.ceil(tall)}`);
  copy.setAttribute("width", String(Math.ceil(wide)));
  copy.setAttribute("height", String(Math.ceil(tall)));
  // Links lead to places in the page, which a file does not have.
  for (const link of copy.querySelectorAll("a")) {
    const group = document.createElementNS(copy.namespaceURI, "g");
    for (const name of ["class", "transform"]) group.setAttribute(name, link.getAttribute(name) ?? "");
    group.append(...link.childNodes);
    link.replaceWith(group);
  }
  for (const part of copy.querySelectorAll(".g-dim, .g-lit")) part.classList.remove("g-dim", "g-lit");
  const create = (tag: string, text: string) => {
    const node = document.createElementNS(copy.namespaceURI, tag);
    node.textContent = text;
    return node;
  };
  const paper = create("rect", "");
  const area = {x: -MARGIN, y: -MARGIN, width: wide, height: tall, fill: "#fff"};
  for (const [name, value] of Object.entries(area)) paper.setAttribute(name, String(value));
  copy.prepend(create("title", label), create("style", STYLE), paper);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}
