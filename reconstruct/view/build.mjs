// build.mjs: bundles the page, and the one that shows two: node build.mjs SOURCES MODULES ENGINE.wasm OUT.html COMPARE.html
//
// SOURCES is this directory, MODULES a directory with node_modules in it (npm ci of package-lock.json).

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { deflateSync } from "node:zlib";

const [sources, modules, engine, out, outOfTwo] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(modules, "package.json"))("esbuild");

/** A module with all it imports, as one script. */
async function bundle(name) {
    const result = await esbuild.build({
        entryPoints: [join(sources, "page", name)],
        bundle: true,
        write: false,
        minify: true,
        format: "iife",
        target: "es2022",
        charset: "utf8",
        // style.css has what d3-flame-graph needs.
        loader: { ".css": "empty" },
        nodePaths: [join(modules, "node_modules")],
        logLevel: "warning",
    });
    // A script in a page ends at the first </script, even inside a string.
    return result.outputFiles[0].text.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
}

const style = esbuild.transformSync(readFileSync(join(sources, "page", "style.css"), "utf8"), {
    loader: "css",
    minify: true,
}).code;
/** A page with its style and scripts in it. */
function assemble(name, parts) {
    let page = readFileSync(join(sources, "page", name), "utf8").replace("/*STYLE*/", () => style);
    for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text);
    return page;
}

const page = assemble("index.html", { "/*WORKER*/": await bundle("worker.ts"), "/*MAIN*/": await bundle("main.ts") });
const wasm = deflateSync(readFileSync(engine), { level: 9 }).toString("base64");
const data = `<script type="text/plain" id="data-wasm">${wasm}</script>\n<!--DATA-->`;
writeFileSync(out, page.replace("<!--DATA-->", () => data));
writeFileSync(outOfTwo, assemble("compare.html", { "/*MAIN*/": await bundle("compare.ts") }));
