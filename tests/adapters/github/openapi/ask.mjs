// Reduces GitHub's description to some paths and what they refer to: the whole of it takes Prism long to load.
// Usage: node ask.mjs OUTPUT PATH...
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [output, ...paths] = process.argv.slice(2);
const source = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
const whole = JSON.parse(readFileSync(source, "utf8"));
const missing = paths.filter((path) => !(path in whole.paths));
if (missing.length) {
  throw new Error(`GitHub's description lacks ${missing.join(", ")}`);
}
const kept = {
  openapi: whole.openapi,
  info: whole.info,
  paths: Object.fromEntries(paths.map((path) => [path, whole.paths[path]])),
  components: {},
};
const left = [kept.paths];
while (left.length) {
  const value = left.pop();
  if (value === null || typeof value !== "object") {
    continue;
  }
  left.push(...Object.values(value));
  const [, , section, name] = typeof value.$ref === "string" ? value.$ref.split("/") : [];
  if (name !== undefined && kept.components[section]?.[name] === undefined) {
    kept.components[section] ??= {};
    kept.components[section][name] = whole.components[section][name];
    left.push(kept.components[section][name]);
  }
}
writeFileSync(output, JSON.stringify(kept));
