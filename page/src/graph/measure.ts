// Widths of texts in the fonts of drawings, in pixels.
const FONTS = {
  code: "12px ui-monospace, SFMono-Regular, Consolas, monospace",
  bold: "600 12px ui-monospace, SFMono-Regular, Consolas, monospace",
  title: "600 13px system-ui, sans-serif",
};
type Font = keyof typeof FONTS;

const context = document.createElement("canvas").getContext("2d");

export function textWidth(text: string, font: Font): number {
  if (context) context.font = FONTS[font];
  return context?.measureText(text).width ?? text.length * 7.5;
}

/** Return the text, or as much of its start as fits, with a mark that there is more. */
export function fitted(text: string, width: number, font: Font): string {
  if (textWidth(text, font) <= width) return text;
  const characters = Array.from(text.slice(0, 200));
  const start = () => `${characters.join("")}\u2026`;
  while (characters.length && textWidth(start(), font) > width) characters.pop();
  return start();
}
