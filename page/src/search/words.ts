// Words of names and texts, and how alike they are.

/** The words of a name or text in lower case, split at underscores and where lower case turns to upper case. */
export function wordsOf(text: string): string[] {
  const parted = text
    .replace(/\be-mail/gi, "email")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return parted.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
}

const stems = new Map<string, string>();

/** One form for singular and plural: "categories" and "category", "cases" and "case". */
export function stem(word: string): string {
  let found = stems.get(word);
  if (found === undefined) {
    found = stemmed(word);
    stems.set(word, found);
  }
  return found;
}

function stemmed(word: string): string {
  if (word.length < 3 || /(ss|us|is)$/.test(word)) return word;
  const short = word.replace(/ies$/, "i").replace(/e?s$/, "").replace(/e$/, "");
  return short.length > 3 ? short.replace(/y$/, "i") : short;
}

export const bagOf = (words: string[]) => words.map(stem).sort().join(" ");

/** How many letters of a word may be wrong. */
export const typosAllowed = (length: number) => (length < 4 ? 0 : length < 8 ? 1 : 2);

/** Whether one text becomes the other by at most so many letters added, left out, exchanged or swapped with the next. */
export function isNear(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most || !most) return one === other;
  let before: number[] = [];
  let last = Array.from({length: other.length + 1}, (_, place) => place);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let place = 1; place <= other.length; place++) {
      const differ = Number(one[row - 1] !== other[place - 1]);
      let cost = Math.min((last[place] ?? 0) + 1, (line[place - 1] ?? 0) + 1, (last[place - 1] ?? 0) + differ);
      if (row > 1 && place > 1 && one[row - 1] === other[place - 2] && one[row - 2] === other[place - 1]) {
        cost = Math.min(cost, (before[place - 2] ?? 0) + 1);
      }
      line.push(cost);
    }
    if (Math.min(...line) > most) return false;
    before = last;
    last = line;
  }
  return (last[other.length] ?? most + 1) <= most;
}

/** A name as it is compared: its words, and the same without gaps and in any order. */
export interface Form {
  words: string[];
  glued: string;
  bag: string;
}

export function formOf(text: string): Form {
  const words = wordsOf(text);
  return {words, glued: words.join(""), bag: bagOf(words)};
}
