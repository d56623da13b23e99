/** Lines of either text beyond which the whole texts are shown. */
const COMPARED = 500;

/** Two texts as one, with `-` before removed lines and `+` before added ones. */
export function lineDifference(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  if (Math.max(old.length, now.length) > COMPARED)
    return [...old.map(line => `-${line}`), ...now.map(line => `+${line}`)].join("\n");
  // The longest common part of what follows two lines.
  const common = Array.from({length: old.length + 1}, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && old[i] === now[j]) {
      lines.push(` ${old[i]}`);
      i++;
      j++;
    } else if (j < now.length && (i === old.length || at(i, j + 1) > at(i + 1, j))) lines.push(`+${now[j++]}`);
    else lines.push(`-${old[i++]}`);
  }
  return lines.join("\n");
}
