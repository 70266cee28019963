// Read stores by zarrita.js: requests and answers are those of read.py.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// `require` does not find a package of modules alone, and `import` looks beside this file.
const folder = join(process.argv[2], "node_modules", "zarrita");
const door = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).exports["."];
const zarr = await import(pathToFileURL(join(folder, door.import ?? door)).href);

class Directory {
  constructor(root) {
    this.root = root;
  }
  async get(key) {
    try {
      return new Uint8Array(readFileSync(join(this.root, key)));
    } catch {
      return undefined;
    }
  }
  async getRange(key, { offset, length, suffixLength }) {
    const bytes = await this.get(key);
    return suffixLength ? bytes?.slice(-suffixLength) : bytes?.slice(offset, offset + length);
  }
}

function* paths(store, version, below = "") {
  const folder = join(store, below);
  const names = readdirSync(folder);
  if (version === 2 && names.includes(".zarray")) yield below;
  if (version === 3 && names.includes("zarr.json")) {
    const text = readFileSync(join(folder, "zarr.json"), "utf8");
    if (/"node_type":\s*"array"/.test(text)) yield below;
  }
  for (const name of names.sort()) {
    if (statSync(join(folder, name)).isDirectory()) {
      yield* paths(store, version, below ? `${below}/${name}` : name);
    }
  }
}

const DTYPES = {
  Int8Array: "|i1", Uint8Array: "|u1", Int16Array: "<i2", Uint16Array: "<u2",
  Int32Array: "<i4", Uint32Array: "<u4", BigInt64Array: "<i8", BigUint64Array: "<u8",
  Float16Array: "<f2", Float32Array: "<f4", Float64Array: "<f8",
};

function told(chunk) {
  const data = chunk.data;
  const dtype = DTYPES[data.constructor.name];
  const size = chunk.shape.reduce((a, b) => a * b, 1);
  if (dtype) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    return { shape: chunk.shape, dtype, data: bytes.toString("base64") };
  }
  const texts = [];
  for (let i = 0; i < size; i++) texts.push(data.get ? data.get(i) : data[i]);
  if (typeof texts[0] === "boolean") {
    const bytes = Buffer.from(texts.map(Number));
    return { shape: chunk.shape, dtype: "|b1", data: bytes.toString("base64") };
  }
  return { shape: chunk.shape, texts: texts.map((t) => (t == null ? null : String(t))) };
}

const ARRAYS = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
  int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array,
  float32: Float32Array, float64: Float64Array,
};

// What `get` gives of an array of shape []: the element itself.
function scalar(value, dtype) {
  return { shape: [], data: ARRAYS[dtype] ? ARRAYS[dtype].of(value) : [value] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const open = request.format === 2 ? zarr.open.v2 : zarr.open.v3;
  const arrays = {};
  for (const path of paths(request.store, request.format)) {
    try {
      const { store, address } = request;
      const root = zarr.root(address ? new zarr.FetchStore(address) : new Directory(store));
      const array = await open(path ? root.resolve(path) : root, { kind: "array" });
      const chunk = await zarr.get(array);
      arrays[`/${path}`] = told(array.shape.length ? chunk : scalar(chunk, array.dtype));
    } catch (error) {
      arrays[`/${path}`] = { error: `${error.name}: ${String(error.message).split("\n")[0].slice(0, 100)}` };
    }
  }
  process.stdout.write(`${JSON.stringify({ arrays })}\n`);
}
