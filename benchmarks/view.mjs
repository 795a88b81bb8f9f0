// view.mjs MODULES PAGE: opens a page of refrain view in chromium and prints one line for view.sh.
//
// first: from navigation to the first picture; read: until all of the run is known (its sums, its longest waits). Windows of
// 30,000 events, from asking to having each of their events: far: 12 at places spread over the run, where nothing near has
// been shown; near: after each of these one a little later, which does not lie in what was read for it. Before each of them the page
// has had 300 ms of processor time for what it does while somebody looks, or did not want them. Frames: a zoom from the
// whole run to such a window in 90 steps and back, two frames each: what drawing a frame took, and how many of the frames came
// after more than 20 ms, whatever the page or the browser did meanwhile (on a machine that does nothing else).
//
// Behind each time stands, in brackets, the processor time that the page's process took meanwhile, all threads: what the time is
// about when nothing else runs, however busy the machine is now. The finer overview that a second worker makes beside is not
// made, since it would count.

import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, path] = process.argv.slice(2).map((name) => resolve(name));
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");
const profile = mkdtempSync(join(modules, "profile-"));
const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
    viewport: { width: 1500, height: 900 },
});

/** Processor time of the browser's pages so far, in ms. */
function used() {
    const parents = new Map();
    const lines = new Map();
    for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)))
        try {
            parents.set(pid, readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) . /s, "").split(" ")[0]);
            lines.set(pid, readFileSync(`/proc/${pid}/cmdline`, "utf8"));
        } catch {
            // It has ended.
        }
    const ours = (pid) => pid > 1 && (lines.get(pid)?.includes(profile) || ours(parents.get(pid)));
    let ns = 0;
    for (const pid of parents.keys())
        if (lines.get(pid)?.includes("--type=renderer") && ours(pid))
            for (const task of readdirSync(`/proc/${pid}/task`))
                try {
                    ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
                } catch {
                    // It has ended.
                }
    return ns / 1e6;
}

/** What something took: [time, processor time]. */
async function measure(what) {
    const before = used();
    const took = await what();
    return [took, used() - before];
}

const page = await context.newPage();
await page.addInitScript(() => {
    const later = window.setTimeout;
    window.setTimeout = (what, ms, ...more) => (ms === 1500 ? 0 : later(what, ms, ...more));
});
const reached = async (condition, started) => {
    await page.waitForFunction(condition, null, { timeout: 900000, polling: 20 });
    return Date.now() - started;
};
const opened = Date.now();
const before = used();
await page.goto(`file://${path}`);
const first = [await reached(() => window.refrainView?.state.overview, opened), used() - before];
const read = [await reached(() => window.refrainView.state.scanned.done, opened), used() - before];
const length = await page.evaluate(() => {
    const { state } = window.refrainView;
    return Math.min(state.end / 20, (state.end * 30000) / state.scanned.events);
});
const visit = (part, later) =>
    page.evaluate(async ([part, later, length]) => {
        const { state } = window.refrainView;
        const from = part * (state.end - 8 * length) + later * length;
        const asked = performance.now();
        state.show(from, from + length);
        while (!state.tile()?.exact || state.from !== from) await new Promise(requestAnimationFrame);
        return performance.now() - asked;
    }, [part, later, length]); // prettier-ignore
/** Somebody looks at the window for 300 ms: until the page had so much processor time, or does not want it. */
const look = async () => {
    const began = used();
    for (let before = began, still = 0; used() - began < 300 && still < 5;) {
        await page.waitForTimeout(60);
        still = used() - before < 5 ? still + 1 : 0;
        before = used();
    }
};
const far = [];
const near = [];
for (let i = 0; i < 12; i++) {
    await look();
    const part = ((i * 7 + 3) % 12) / 12 + 0.04;
    far.push(await measure(() => visit(part, 0)));
    await look();
    near.push(await measure(() => visit(part, 4)));
}
const figures = await page.evaluate(async (length) => {
    const { state, timeline } = window.refrainView;
    let last = NaN;
    let late = 0;
    const frame = () => new Promise((done) => requestAnimationFrame((now) => {
        if (now - last > 20) late++;
        last = now;
        done();
    }));
    state.show(0, state.end);
    await new Promise((done) => setTimeout(done, 1000));
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
    return { ranks: state.locations.length, events: state.scanned.events, frames, late };
}, length);
const sorted = (list) => [...list].sort((a, b) => a - b);
const show = ([ms, cpu]) => `${ms.toFixed(0)} (${cpu.toFixed(0)})`;
const two = (list) => {
    const [times, cpus] = [0, 1].map((which) => sorted(list.map((pair) => pair[which])));
    return `${show([times[6], cpus[6]])} ${show([times.at(-1), cpus.at(-1)])}`;
};
const frames = sorted(figures.frames);
const columns = [figures.ranks, figures.events, statSync(path).size, show(first), show(read), two(far), two(near),
    `${frames[90].toFixed(0)} ${frames[178].toFixed(0)} ${frames[179].toFixed(0)}`, figures.late]; // prettier-ignore
console.log(columns.map((column, i) => String(column).padEnd([6, 10, 10, 12, 12, 24, 24, 39, 0][i])).join("  "));
await context.close();
