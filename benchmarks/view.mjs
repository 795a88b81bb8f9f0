// view.mjs MODULES PAGE: opens a page of refrain view in chromium and prints one line for view.sh.
//
// first: from navigation to the first picture; read: until the whole run has been read. Windows: 24 windows of 30,000 events
// at places spread over the run, from asking to having them. Frames: a zoom from the whole run to such a window in 90 steps,
// one a frame, and back: what drawing a frame took.

import { mkdtempSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, path] = process.argv.slice(2).map((name) => resolve(name));
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");
const context = await chromium.launchPersistentContext(mkdtempSync(join(modules, "profile-")), {
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
    viewport: { width: 1500, height: 900 },
});
const page = await context.newPage();
const started = Date.now();
await page.goto(`file://${path}`);
await page.waitForFunction(() => window.refrainView?.state.overview, null, { timeout: 600000, polling: 20 });
const first = Date.now() - started;
await page.waitForFunction(() => window.refrainView.state.scanned.done, null, { timeout: 600000, polling: 20 });
const read = Date.now() - started;
const figures = await page.evaluate(async () => {
    const { state, timeline } = window.refrainView;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
    const ranks = state.locations.length;
    const length = Math.min(state.end / 20, (state.end * 30000) / state.scanned.events);
    const windows = [];
    for (let i = 0; i < 24; i++) {
        const from = (((i * 7) % 24) / 24) * (state.end - length);
        const asked = performance.now();
        state.show(from, from + length);
        while (!state.tile()?.exact || state.from !== Math.max(0, Math.min(from, state.end - length))) await frame();
        windows.push(performance.now() - asked);
    }
    state.show(0, state.end);
    await new Promise((done) => setTimeout(done, 1500));
    const frames = [];
    const middle = state.end / 3;
    for (let i = 0; i < 180; i++) {
        const part = i < 90 ? i / 90 : (180 - i) / 90;
        const width = state.end * Math.pow(length / state.end, part);
        timeline.slowest = 0;
        state.show(middle - width / 3, middle + (2 * width) / 3);
        await frame();
        await frame();
        frames.push(timeline.slowest);
    }
    const most = (list) => Math.max(...list);
    return { ranks, events: state.scanned.events, windows: [median(windows), most(windows)], frames: [median(frames), most(frames)] };
});
const show = (list) => list.map((ms) => ms.toFixed(0)).join(",");
console.log([String(figures.ranks).padEnd(5), String(figures.events).padEnd(10), String(statSync(path).size).padEnd(10), String(first).padEnd(8),
    String(read).padEnd(7), show(figures.windows).padEnd(22), show(figures.frames)].join("  ")); // prettier-ignore
await context.close();
