// Control characters, and marks that change the direction of writing, are shown as text.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
// Prose may use joiners, but must not change the direction of the text next to it.
const TURNING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** @param {unknown} text */
function visible(text) {
  return String(text).replace(
    UNSEEN,
    mark => "\u27e8U+" + mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9",
  );
}

/** @param {string | undefined} text */
function prose(text) {
  return String(text || "").replace(TURNING, visible);
}

/**
 * The only way in which text reaches the page: as text nodes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | null>} attributes
 * @param {...Children} children
 */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(name, value);
  node.append(...present(children.flat()));
  return node;
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return /** @type {(Node | string)[]} */ (
    children.filter(child => child !== null && child !== undefined && child !== "")
  );
}

/**
 * An element that the page's markup has.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 */
function there(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error("the page has no element " + id);
  return /** @type {Kind} */ (found);
}

/** @param {string} name */
const tableLink = name => "#/table/" + encodeURIComponent(name);
/** @param {string} name */
const databaseLink = name => "#/database/" + encodeURIComponent(name);
/** @param {string} database @param {string} name */
const domainLink = (database, name) => "#/domain/" + encodeURIComponent(database) + "/" + encodeURIComponent(name);
/** @param {string} text */
const code = text => element("code", {dir: "ltr"}, visible(text));
/** @param {number} number @param {string} noun */
const counted = (number, noun) => number.toLocaleString("en-US") + " " + noun + (number === 1 ? "" : "s");
/** @param {number | undefined} number */
const rows = number => (number === undefined || number < 0 ? "unknown" : number.toLocaleString("en-US"));
/** @param {Child[]} nodes @param {Child} between */
const joined = (nodes, between = ", ") => nodes.flatMap((node, place) => (place ? [between, node] : [node]));

/** @param {string} text @param {number} limit */
function cut(text, limit) {
  const characters = Array.from(text);
  return characters.length > limit ? characters.slice(0, limit - 1).join("") + "\u2026" : text;
}

/** @param {string} name */
function tableName(name) {
  const table = tables.get(name);
  return table
    ? element("a", {href: tableLink(name)}, element("bdi", {}, visible(table.l)))
    : element("bdi", {}, visible(name));
}

/** @param {...Children} steps */
function trail(...steps) {
  return element("nav", {class: "trail", "aria-label": "Where you are"}, joined(steps.flat(), " / "));
}

/** @param {string} text */
function heading(text) {
  return element("h1", {tabindex: "-1"}, element("bdi", {}, visible(text)));
}

/** @param {string | undefined} text */
function about(text) {
  return element("p", {class: "about", dir: "auto"}, prose(text));
}

/** @param {Child} title @param {...Children} content */
function section(title, ...content) {
  return element("section", {}, element("h2", {}, title), ...content);
}

/**
 * @param {string} label
 * @param {[title: string, kind: string][]} heads
 * @param {Child[][][]} body for each row its cells
 */
function grid(label, heads, body) {
  const titles = heads.map(([title, kind]) =>
    element("th", {scope: "col", class: kind === "number" ? "number" : null}, title),
  );
  const lines = body.map(cells =>
    element(
      "tr",
      {},
      cells.map((cell, place) => element("td", {class: heads[place][1] || null}, cell)),
    ),
  );
  const table = element("table", {}, element("thead", {}, element("tr", {}, titles)), element("tbody", {}, lines));
  table.setAttribute("aria-label", label);
  return element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": label}, table);
}

/** @param {string} text @param {string} language */
function sql(text, language = "SQL") {
  const shown = element("pre", {dir: "ltr", tabindex: "0"}, element("code", {}, text));
  const block = element("div", {class: "sql"}, shown);
  if (navigator.clipboard) {
    const button = element("button", {type: "button", "aria-label": "Copy this " + language}, "Copy");
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(text).then(
        () => {
          button.textContent = "Copied";
        },
        () => {
          button.textContent = "Not allowed";
        },
      ),
    );
    block.append(button);
  }
  return block;
}
