// Read arrays over HTTP by zarrita.js: the address of a store, and the names of arrays.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [node, address, ...names] = process.argv.slice(2);
// `require` does not find a package of modules alone, and `import` looks beside this file.
const folder = join(node, "node_modules", "zarrita");
const door = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).exports["."];
const zarr = await import(pathToFileURL(join(folder, door.import ?? door)).href);

const root = zarr.root(new zarr.FetchStore(address));
const found = {};
for (const name of names) {
  const array = await zarr.open(root.resolve(name), { kind: "array" });
  const { data, shape } = await zarr.get(array);
  found[name] = { shape, data: Array.from(data, Number) };
}
console.log(JSON.stringify(found));
