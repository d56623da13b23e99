function haystack(table) {
  return table.hay ||= [table.n.toLowerCase(), (table.c || []).map(column => column[0]).join(" ").toLowerCase(),
    [table.s, ...(table.no || []), ...(table.c || []).map(column => column[3])].join(" ").toLowerCase()];
}

// 0 where a word is missing; else more, the more of the words stand in the table's name, then in its columns'.
function score(table, words) {
  const [name, columns, text] = haystack(table);
  let sum = 0;
  for (const word of words) {
    if (name.includes(word)) sum += name.endsWith(word) ? 9 : 6;
    else if (columns.includes(word)) sum += 3;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
  tree.hidden = words.length > 0;
  results.hidden = !words.length;
  if (!words.length) { found.textContent = ""; results.replaceChildren(); return; }
  const matches = [];
  for (const table of tables.values()) {
    const points = score(table, words);
    if (points) matches.push({table, points});
  }
  matches.sort((a, b) => b.points - a.points || byName(a.table, b.table));
  const list = element("ul", {});
  for (const domain of domains.values()) {
    const text = (domain.h + " " + domain.n).toLowerCase();
    if (words.every(word => text.includes(word))) {
      list.append(element("li", {}, element("a", {href: domainLink(domain.b, domain.n)}, "Domain: " + domain.h)));
    }
  }
  for (const {table} of matches.slice(0, RESULTS)) {
    const item = listItem(table);
    const hits = (table.c || []).map(column => column[0])
      .filter(name => words.some(word => name.toLowerCase().includes(word)));
    const said = hits.length ? "columns " + hits.slice(0, 4).join(", ") : table.s || "";
    item.append(element("p", {dir: "auto"}, visible(cut(said, 110))));
    list.append(item);
  }
  const rest = matches.length > RESULTS ? "; the best " + RESULTS + " are shown" : "";
  found.textContent = counted(matches.length, "table") + " found" + rest;
  results.replaceChildren(list);
  mark();
}
