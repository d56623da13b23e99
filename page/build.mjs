// Bundles the page: `node build.mjs [FOLDER]`. Without a folder the files of the package are replaced.
import {readFile, writeFile} from "node:fs/promises";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "../layers/tribal/python/tribal/rendering/web");

/** The graph code uses the Preact of the page, which has registered it. */
const shared = {
  name: "shared",
  setup({onResolve}) {
    onResolve({filter: /^preact(\/hooks)?$/}, ({path}) => ({
      path: join(here, "src/shared", `${path.replace("/", "_")}.ts`),
    }));
  },
};

/** A comment with the licences of the packages in a bundle, which come with every copy of it. */
async function notices(inputs) {
  const packages = new Set(inputs.flatMap(path => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  const texts = [...packages].sort().map(async name => {
    const at = join(here, "node_modules", name);
    const {version} = JSON.parse(await readFile(join(at, "package.json"), "utf-8"));
    return `${name} ${version}\n\n${(await readFile(join(at, "LICENSE"), "utf-8")).trim()}\n`;
  });
  return texts.length ? `/*!\n${(await Promise.all(texts)).join("\n")}*/\n` : "";
}

const options = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  charset: "ascii",
  format: "iife",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  write: false,
  jsxFactory: "h",
  jsxFragment: "Fragment",
};
const bundles = [
  {entryPoints: ["src/page.tsx"], outfile: "page.js"},
  {entryPoints: ["src/graph.tsx"], outfile: "graph.js", plugins: [shared]},
  {entryPoints: ["src/style.css"], outfile: "page.css"},
];
for (const bundle of bundles) {
  const {metafile, outputFiles} = await build({...options, ...bundle});
  await writeFile(join(folder, bundle.outfile), (await notices(Object.keys(metafile.inputs))) + outputFiles[0].text);
}
