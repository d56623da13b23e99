// An erDiagram of Mermaid, written as `tribal/rendering/mermaid.py` does.
import type {Drawing} from "./model";
import type {DiagramProps} from "./props";

const NOT_IN_NAME = /[^\p{L}\p{N}_.\- ]+/gu,
  // Mermaid reads these as statements even in quotes.
  DIRECTION = /(?<=direction)\s+(?=tb|bt|rl|lr)/gi,
  // Labels are Markdown, where `_a_` is italic and loses its underscores.
  LONE_UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
  LINES = {"": "--||", optional: "--o|", likely: "..o|"};

function plain(text: string): string {
  const words = text.replace(/"/g, "").replace(NOT_IN_NAME, " ").split(/\s+/).filter(Boolean);
  return (words.join(" ") || "_").replace(DIRECTION, "_").replace(LONE_UNDERSCORE, "#95;");
}

function attribute(text: string): string {
  const word = text.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "") || "x";
  return /^(PK|FK|UK)$|^[^A-Za-z]/.test(word) ? `c_${word}` : word;
}

/** Return the text, with a number if it is taken already. */
function unused(text: string, taken: Set<string>, separator: string): string {
  let name = text;
  for (let number = 2; taken.has(name); number++) name = `${text}${separator}${number}`;
  taken.add(name);
  return name;
}

/** Write an erDiagram. Key columns have no types in a diagram, but Mermaid requires one for each. */
export async function mermaid({boxes, lines}: Drawing, allColumns: DiagramProps["allColumns"]): Promise<string> {
  const taken = new Set<string>();
  const labels = new Map(boxes.map(({table}) => [table.name, unused(plain(table.label), taken, " ")]));
  const entities = boxes.map(async ({table, rows}) => {
    if (!rows.length) return [`    "${labels.get(table.name)}"`];
    const types = new Map((await allColumns(table.name)).map(({name, type}) => [name, type]));
    const columns = new Set<string>();
    const attributes = rows.map(({column, marks}) => {
      const type = attribute((types.get(column) ?? "column").replace(/\(.*/s, ""));
      return `        ${type} ${unused(attribute(column), columns, "_")} ${marks.join(", ")}`.trimEnd();
    });
    return [`    "${labels.get(table.name)}" {`, ...attributes, "    }"];
  });
  const edges = lines.map(({key}) => {
    const over = (key.kind === "likely" ? "likely " : "") + key.own.map(plain).join(", ");
    const ends = `${key.one ? "|" : "}"}o${LINES[key.kind]}`;
    return `    "${labels.get(key.from)}" ${ends} "${labels.get(key.to)}" : "${over}"`;
  });
  return `${["erDiagram", ...(await Promise.all(entities)).flat(), ...edges].join("\n")}\n`;
}
