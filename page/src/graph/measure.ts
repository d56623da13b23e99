// Widths of texts in the fonts of drawings, in pixels.
const FAMILIES = {
  code: "12px ui-monospace, SFMono-Regular, Consolas, monospace",
  bold: "600 12px ui-monospace, SFMono-Regular, Consolas, monospace",
  title: "600 13px system-ui, sans-serif",
};
export type Font = keyof typeof FAMILIES;

let context: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string, font: Font): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * 7.5;
  context.font = FAMILIES[font];
  return context.measureText(text).width;
}

/** The text, or as much of its start as fits, with a mark that there is more. */
export function fitted(text: string, width: number, font: Font): string {
  if (textWidth(text, font) <= width) return text;
  const characters = Array.from(text.slice(0, 200));
  let low = 0,
    high = characters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(`${characters.slice(0, middle).join("")}\u2026`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return `${characters.slice(0, low).join("")}\u2026`;
}
