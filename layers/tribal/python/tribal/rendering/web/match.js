// How well a table answers a search: its name first, exactly or nearly, then the words of its columns and texts.
// From NAMED on the name has all the words; from SAME on it has no others.
const NAMED = 600,
  SAME = 890;
const OWN_NAME = /(?:"((?:[^"]|"")*)"|([^."]*))$/;

/** @param {string} text @returns {string[]} */
function wordsOf(text) {
  const parted = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return parted.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) || [];
}

/** @type {Map<string, string>} */
const roots = new Map();
/** @param {string} word */
function stem(word) {
  let root = roots.get(word);
  if (root === undefined) roots.set(word, (root = stemmed(word)));
  return root;
}

/** One form for singular and plural: "categories" and "category", "cases" and "case". @param {string} word */
function stemmed(word) {
  if (word.length < 3 || /(ss|us|is)$/.test(word)) return word;
  const short = word.replace(/ies$/, "i").replace(/e?s$/, "").replace(/e$/, "");
  return short.length > 3 ? short.replace(/y$/, "i") : short;
}

/** @param {string[]} words */
const stems = words => words.map(stem).sort().join(" ");
/** @param {number} length */
const typosAllowed = length => (length < 4 ? 0 : length < 8 ? 1 : 2);

/**
 * Whether one text becomes the other by at most so many letters added, left out, exchanged or swapped with the next.
 * @param {string} one
 * @param {string} other
 * @param {number} most
 */
function near(one, other, most) {
  if (Math.abs(one.length - other.length) > most || !most) return one === other;
  /** @type {number[]} */
  let before = [],
    last = Array.from({length: other.length + 1}, (_, place) => place);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let place = 1; place <= other.length; place++) {
      const differ = one[row - 1] !== other[place - 1];
      line[place] = Math.min(last[place] + 1, line[place - 1] + 1, last[place - 1] + Number(differ));
      if (row > 1 && place > 1 && one[row - 1] === other[place - 2] && one[row - 2] === other[place - 1]) {
        line[place] = Math.min(line[place], before[place - 2] + 1);
      }
    }
    if (Math.min(...line) > most) return false;
    [before, last] = [last, line];
  }
  return last[other.length] <= most;
}

/** @param {string} text */
const spaced = text => " " + wordsOf(text).join(" ") + " ";

/** The names of a table's columns. @param {Table} table */
function columnNames(table) {
  return table.names || (table.c || []).map(column => column[0]);
}

/** What of a table is searched, made when it is first wanted. @param {Table} table @returns {Searchable} */
function searchable(table) {
  if (table.parts) return table.parts;
  const [, quoted, plain] = OWN_NAME.exec(table.l) || [table.l, undefined, table.l],
    own = quoted === undefined ? plain : quoted.replaceAll('""', '"');
  const words = wordsOf(own),
    columns = columnNames(table).join("\n");
  table.parts = {
    own: own.toLowerCase(),
    words,
    glued: words.join(""),
    stems: stems(words),
    place: spaced([table.n.slice(0, -own.length), table.d].join("\n")),
    columns:
      spaced(columns) +
      columns
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}\n]/gu, "")
        .replaceAll("\n", " "),
    text: spaced([table.s, ...(table.no || []), ...(table.c || []).map(column => column[3])].join("\n")),
  };
  return table.parts;
}

/** @type {Set<string>} */
const nameWords = new Set();
/** @type {Set<string>} */
const known = new Set();
function learnWords() {
  if (known.size) return;
  for (const {words, columns, place} of [...tables.values()].map(searchable)) {
    for (const word of words) nameWords.add(word);
    for (const word of [...words, ...columns.split(" "), ...place.split(" ")]) known.add(word);
  }
}

/**
 * A word of a search, with the words of names that it may mean. One that begins no word here may be misspelt.
 * @param {string} word
 * @returns {Term}
 */
function term(word) {
  const root = stem(word),
    begins = (/** @type {string} */ other) => other.startsWith(word) || stem(other) === root;
  const names = new Set([...nameWords].filter(begins));
  const misspelt = !names.size && ![...known].some(begins);
  const nearly = misspelt ? [...nameWords].filter(other => near(word, other, typosAllowed(word.length))) : [];
  return {word, root, names, nearly: new Set(nearly), misspelt};
}

/** @param {string} text @returns {Asked} */
function asking(text) {
  learnWords();
  const words = wordsOf(text),
    terms = words.map(term);
  return {
    text: text.trim().toLowerCase(),
    terms,
    glued: words.join(""),
    stems: stems(words),
    misspelt: terms.some(one => one.misspelt),
  };
}

/** @param {string[]} words @param {Term} term */
const inName = (words, {names}) => words.some(word => names.has(word));
/** @param {string[]} words @param {Term} term */
const nearName = (words, {nearly}) => words.some(word => nearly.has(word));
/** @param {string} text @param {Term} term */
const inText = (text, {word, root}) => text.includes(" " + word) || text.includes(" " + root + " ");

/** @param {Table} table @param {Asked} asked */
function nameScore(table, {text, terms, glued, stems: formed, misspelt}) {
  const name = searchable(table),
    more = Math.min(Math.abs(name.words.length - terms.length), 20);
  if ([name.own, table.l.toLowerCase(), table.n.toLowerCase()].includes(text)) return 1000;
  if (!terms.length) return 0;
  if (glued === name.glued) return 950;
  if (formed === name.stems) return 900;
  if (stem(glued) === stem(name.glued)) return SAME;
  const named = (/** @type {Term} */ one) => inName(name.words, one);
  if (terms.every(named)) return 800 - more;
  const holds = (/** @type {string} */ word) => word.length > 2 && name.glued.includes(word);
  if (holds(glued) || terms.every(({word, root}) => holds(word) || holds(root))) return 770 - more;
  if (terms.some(named) && terms.every(one => named(one) || inText(name.place, one))) return 745 - more;
  if (!misspelt) return 0;
  if (near(glued, name.glued, typosAllowed(glued.length))) return 720;
  return terms.every(one => named(one) || nearName(name.words, one)) ? 710 - more : 0;
}

/**
 * 0 where a word is missing; or, if `some` of the words will do, where none is found in a name or column.
 * @param {Table} table
 * @param {Asked} asked
 * @param {boolean} some
 */
function score(table, asked, some) {
  const named = some ? 0 : nameScore(table, asked);
  if (named) return named;
  const {words, place, columns, text} = searchable(table);
  let sum = 0;
  for (const one of asked.terms) {
    if (inName(words, one)) sum += 12;
    else if (nearName(words, one)) sum += 8;
    else if (inText(columns, one)) sum += 6;
    else if (some) continue;
    else if (inText(place, one)) sum += 4;
    else if (one.word.length > 2 && columns.includes(one.word)) sum += 3;
    else if (inText(text, one)) sum += 2;
    else if (one.word.length > 2 && text.includes(one.word)) sum += 1;
    else return 0;
  }
  return sum;
}

/** What was learnt is no longer all there is. */
function forgetWords() {
  nameWords.clear();
  known.clear();
  for (const table of catalogTables) table.parts = undefined;
}
