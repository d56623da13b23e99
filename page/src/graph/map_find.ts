// Finds tables of a map by a part of their name.
import type {GraphTable, MapDomain} from "./props";

export interface Found {
  table: GraphTable;
  domain: MapDomain;
}

/** Tables whose name contains the text: exact names first, then those that start with it, shorter ones first. */
export function findTables(domains: MapDomain[], typed: string): Found[] {
  const text = typed.trim().toLowerCase();
  if (text.length < 2) return [];
  const found: {found: Found; rank: number}[] = [];
  for (const domain of domains) {
    for (const table of domain.tables) {
      const label = table.label.toLowerCase();
      const at = label.indexOf(text);
      if (at < 0) continue;
      const name = label.slice(label.lastIndexOf(".") + 1);
      const rank = label === text || name === text ? 0 : name.startsWith(text) ? 1 : name.includes(text) ? 2 : 3;
      found.push({found: {table, domain}, rank: rank * 10_000 + label.length});
    }
  }
  return found.sort((a, b) => a.rank - b.rank).map(each => each.found);
}
