/** @param {KeyboardEvent} event @param {number} offset */
function goThrough(event, offset) {
  /** @type {HTMLElement[]} */
  const links = [...document.querySelectorAll("aside nav:not([hidden]) a")]
    .map(link => /** @type {HTMLElement} */ (link))
    .filter(link => link.offsetParent && !link.closest("#places"));
  const place = links.findIndex(link => link === document.activeElement);
  if (document.activeElement !== search && place < 0) return;
  event.preventDefault();
  const next = links[place + offset];
  if (next) next.focus();
  else if (place + offset < 0) search.focus();
}

/** Whether the reader is typing in a field. */
function isWriting() {
  const writing = document.activeElement;
  return writing instanceof HTMLInputElement || writing instanceof HTMLTextAreaElement;
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !isWriting()) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "Escape" && search.value) {
    search.value = "";
    find();
    search.focus();
  } else if (event.key === "ArrowDown") goThrough(event, 1);
  else if (event.key === "ArrowUp") goThrough(event, -1);
  else if (event.key === "Enter" && document.activeElement === search) {
    const first = results.querySelector("a");
    if (first) location.hash = first.getAttribute("href") || "";
  }
});
search.addEventListener("focus", () => void learnColumns().catch(() => {}), {once: true});
search.addEventListener("input", find);
window.addEventListener("hashchange", () => show(false));

/** Start, or restart with another token. */
async function start() {
  for (const held of [asked, databases, domains, tables]) held.clear();
  catalogTables.length = 0;
  tree.replaceChildren();
  try {
    await source.start();
    drawTree();
    await show(true);
  } catch (problem) {
    const {title, parts} = problemView(problem);
    document.title = title;
    main.replaceChildren(...present(parts.flat()));
  }
}

start();
