/** How long diagrams may take to reach the height that they push what follows to. */
const GROWING = 5000;

/** Scroll somewhere, again while the view grows, unless the reader does something. */
export function scrollWhileGrowing(scroll: () => void): void {
  const main = document.querySelector("main");
  const stop = new AbortController();
  const growth = new ResizeObserver(scroll);
  stop.signal.addEventListener("abort", () => growth.disconnect());
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown", "hashchange"]) {
    window.addEventListener(act, () => stop.abort(), {signal: stop.signal});
  }
  setTimeout(() => stop.abort(), GROWING);
  if (main) growth.observe(main);
  scroll();
}
