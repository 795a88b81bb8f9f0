// run_wasi.mjs: runs a program compiled for WASI: node run_wasi.mjs DIRECTORY PROGRAM.wasm ARGUMENT...; it sees DIRECTORY.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [directory, program, ...further] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...further], preopens: { [directory]: directory } });
// node 18 has the imports under their name only.
const imports = wasi.getImportObject?.() ?? { wasi_snapshot_preview1: wasi.wasiImport };
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports)) ?? 0;
