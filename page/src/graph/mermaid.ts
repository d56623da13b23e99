// An erDiagram of Mermaid, written as `tribal/rendering/mermaid.py` does.
import type {Key} from "../data/keys";
import type {Row} from "./layout";

const NOT_IN_NAME = /[^\p{L}\p{N}_.\- ]+/gu,
  // Mermaid reads these as statements even in quotes.
  DIRECTION = /(?<=direction)\s+(?=tb|bt|rl|lr)/gi,
  // Labels are Markdown, where `_a_` is italic and loses its underscores.
  LONE_UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

function plain(text: string): string {
  return text.replace(/"/g, "").replace(NOT_IN_NAME, " ").split(/\s+/).filter(Boolean).join(" ") || "_";
}

function named(text: string): string {
  return text.replace(DIRECTION, "_").replace(LONE_UNDERSCORE, "#95;");
}

/** The text, or another one that is not taken yet. */
function unused(text: string, taken: Set<string>, separator: string): string {
  let name = text;
  for (let number = 2; taken.has(name); number++) name = `${text}${separator}${number}`;
  taken.add(name);
  return name;
}

function attribute(text: string): string {
  const word = text.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "") || "x";
  return /^(PK|FK|UK)$|^[^A-Za-z]/.test(word) ? `c_${word}` : word;
}

export interface Entity {
  name: string;
  label: string;
  rows: Row[];
}

export function mermaid(entities: Entity[], keys: Key[]): string {
  const taken = new Set<string>();
  const labels = new Map(entities.map(each => [each.name, unused(named(plain(each.label)), taken, " ")]));
  const lines = ["erDiagram"];
  for (const {name, rows} of entities) {
    const columns = new Set<string>();
    const attributes = rows.map(row => {
      const type = attribute((row.type ?? "column").replace(/\(.*/s, ""));
      return `        ${type} ${unused(attribute(row.name), columns, "_")} ${row.mark.replace(" ", ", ")}`.trimEnd();
    });
    lines.push(`    "${labels.get(name)}"${rows.length ? " {" : ""}`, ...attributes, ...(rows.length ? ["    }"] : []));
  }
  for (const key of keys) {
    const line = key.kind === "likely" ? "..o|" : key.kind === "optional" ? "--o|" : "--||";
    const over = (key.kind === "likely" ? "likely " : "") + named(key.own.map(plain).join(", "));
    lines.push(`    "${labels.get(key.from)}" ${key.one ? "|" : "}"}o${line} "${labels.get(key.to)}" : "${over}"`);
  }
  return `${lines.join("\n")}\n`;
}
