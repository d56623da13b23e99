function step(event, offset) {
  const links = [...document.querySelectorAll("aside nav:not([hidden]) a")].filter(link => link.offsetParent);
  const place = links.indexOf(document.activeElement);
  if (document.activeElement !== search && place < 0) return;
  event.preventDefault();
  const next = links[place + offset];
  if (next) next.focus();
  else if (place + offset < 0) search.focus();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "Escape" && search.value) { search.value = ""; find(); search.focus(); }
  else if (event.key === "ArrowDown") step(event, 1);
  else if (event.key === "ArrowUp") step(event, -1);
  else if (event.key === "Enter" && document.activeElement === search) {
    const first = results.querySelector("a");
    if (first) location.hash = first.getAttribute("href");
  }
});
search.addEventListener("focus", learnWords, {once: true});
search.addEventListener("input", find);
window.addEventListener("hashchange", show);
drawTree();
show(true);
