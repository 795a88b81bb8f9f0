// view.mjs: pages of refrain view in chromium: node view.mjs MODULES DIRECTORY, for test_view.sh.
//
// DIRECTORY holds NAME.html and NAME.txt (refrain reconstruct --format text) of each run; MODULES has playwright-core.

import { readFileSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { inflateSync } from "node:zlib";

const [modules, directory] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"];

const check = (what, good, more = "") => console.log(good ? `ok ${what}` : `FAILED: ${what} ${more}`);
const same = (what, got, wanted) => check(what, got === wanted, `is ${got} instead of ${wanted}`);

/** The lines of the text format. */
function events(name) {
    const lines = readFileSync(join(directory, `${name}.txt`), "utf8").trimEnd().split("\n");
    return lines.map((line) => {
        const [rank, time, kind, region, ...rest] = line.split("\t");
        const fields = Object.fromEntries(rest.map((field) => field.split("=")));
        return { rank: +rank, time, kind, region, thread: +(fields.thread ?? 0), ...fields };
    });
}

const browser = await chromium.launchPersistentContext(mkdtempSync(join(directory, "profile-")), {
    executablePath: "/usr/bin/chromium",
    args: flags,
    viewport: { width: 1400, height: 800 },
});

const wrong = [];

/** Opens a page, at the whole run where the address does not say otherwise, and waits until the run has been read and the window is
 *  there, event by event. */
async function open(name, fragment = "", script = null) {
    const page = await openAsIs(name, fragment, script);
    if (fragment || script) return page;
    await page.locator("#whole").click();
    await settle(page);
    return page;
}

async function openAsIs(name, fragment = "", script = null) {
    const page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && wrong.push(`${name}: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`${name}: ${error.message}`));
    page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || wrong.push(`${name}: asks for ${request.url()}`));
    if (script) await page.addInitScript(script);
    await page.goto(`file://${join(directory, `${name}.html`)}${fragment}`);
    if (!script) await page.waitForFunction(() => window.refrainView?.state.scanned.done && window.refrainView.state.tile()?.exact, null, { timeout: 90000 });
    return page;
}

const state = (page) => page.evaluate(() => {
    const { state, rows } = window.refrainView;
    return { from: state.from, to: state.to, end: state.end, rows: rows.rows.length, events: state.scanned.events,
             spans: state.tile()?.exact?.nSpans, choice: state.choice, title: document.title,
             notes: document.getElementById("notes").textContent };
}); // prettier-ignore

/** Lets the page ask (it does so after 40 ms), the worker answer, and the page draw. */
async function settle(page) {
    await page.waitForTimeout(100);
    await page.waitForFunction(() => window.refrainView.state.settled, null, { timeout: 90000 });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Waits until the end of the chosen span has been found out. */
const endIsKnown = (page) => page.waitForFunction(() => isFinite(window.refrainView.state.choice?.to), null, { timeout: 90000 });

/** What the tip says over a location at a moment: at each height of its row. */
async function tips(page, location, time) {
    const at = await page.evaluate(([location, time]) => {
        const { rows, timeline } = window.refrainView;
        const box = timeline.marks.getBoundingClientRect();
        const row = rows.rowOf(location);
        return { x: box.left + timeline.xOf(time), top: box.top + rows.top(row), height: rows.height };
    }, [location, time]);
    const found = [];
    for (let part = 0.1; part < 1; part += 0.1) {
        await page.mouse.move(at.x, at.top + at.height * part);
        await page.waitForTimeout(20);
        found.push(await page.evaluate(() => document.getElementById("tip").innerText.replaceAll("\n", "|")));
    }
    return found;
}

// ---- all runs: what there is

/** Pairs of a name and its colour, which is the same wherever the name is. */
const colours = new Map();
function sameColours(what, pairs) {
    const differ = pairs.filter(([name, css]) => (colours.get(name) ?? css) !== css);
    for (const [name, css] of pairs) colours.set(name, css);
    check(`${what}: names have the colours that they have elsewhere`, pairs.length > 3 && differ.length === 0, differ.map(([name]) => name).join());
}

/** Pairs of a name and what it waited, in ns, against what refrain stats says of the run. */
function sameWaiting(what, pairs, run) {
    const [shown, wanted] = [{}, {}];
    const add = (to, name, ns) => /^MPI_/.test(name ?? "") && ns > 0 && (to[name] = (to[name] ?? 0) + Math.round(ns));
    for (const [name, ns] of pairs) add(shown, name, ns);
    for (const row of JSON.parse(readFileSync(join(directory, `${run}.json`), "utf8")).rows) add(wanted, row.what, row.waiting_ns);
    const differ = [...new Set([...Object.keys(shown), ...Object.keys(wanted)])].filter((name) => !(Math.abs((shown[name] ?? 0) - (wanted[name] ?? 0)) <= 100 + 0.01 * (wanted[name] ?? 0)));
    check(`${what}: waiting is that of stats`, differ.length === 0, differ.map((name) => `${name} ${shown[name]} of ${wanted[name]}`).join());
    return wanted;
} // prettier-ignore

/** Where each location has what name, in the order in which it is entered there. */
const enteredAt = (entered) => {
    const names = {};
    for (const { location, name, file, line } of entered) (names[location] ??= []).push(`${name} ${file}:${line}`);
    return names;
};
const spanNames = (page) => page.evaluate(() => {
    const { state } = window.refrainView;
    const { spans, nSpans } = state.tile().exact;
    const [times, words] = [new Float64Array(spans), new Uint32Array(spans)];
    const all = Array.from({ length: nSpans }, (_, i) => {
        const { name, file, line } = state.names.regions[words[i * 14 + 6]] ?? { name: "(unknown)", file: "", line: 0 };
        const { rank, thread } = state.locations[words[i * 14 + 7]];
        return { location: `${rank}.${thread}`, from: times[i * 7], depth: words[i * 14 + 8], name, file, line };
    });
    return all.sort((a, b) => a.from - b.from || a.depth - b.depth);
}); // prettier-ignore

for (const [name, ranks, threads] of [["demo", 4, 1], ["killed", 2, 1], ["hybrid", 2, 2], ["plain", 2, 1], ["bare", 2, 2],
                                      ["stripped", 2, 2], ["path", 2, 2], ["both", 2, 2], ["waits", 2, 1], ["many", 63, 1]]) {
    const lines = events(name);
    const page = await open(name);
    const shown = await state(page);
    const locations = new Set(lines.map((line) => `${line.rank}.${line.thread}`)).size;
    same(`${name}: rows`, shown.rows, locations);
    check(`${name}: threads`, locations >= ranks && (threads === 1 || locations > ranks), `${locations}`);
    same(`${name}: bars`, shown.spans, lines.filter((line) => line.kind === "enter").length);
    const entered = lines.filter((line) => line.kind === "enter");
    const wanted = enteredAt(entered.map((line) => ({ ...line, location: `${line.rank}.${line.thread}`, name: line.region })));
    const named = enteredAt(await spanNames(page));
    const strange = Object.keys(wanted).flatMap((location) => wanted[location].map((one, i) => [location, i, one, named[location]?.[i]])
        .filter(([, , one, other]) => one !== other)).slice(0, 3); // prettier-ignore
    check(`${name}: every name is that of the text`, strange.length === 0, JSON.stringify(strange));
    const waited = await page.evaluate(() => window.refrainView.state.whole.totals.map((total, i) => [window.refrainView.state.names.regions[i]?.name, total.waiting]));
    sameWaiting(name, waited, name);
    sameColours(name, await page.evaluate(() => window.refrainView.state.palette.groups.map(({ name, css }) => [name, css])));
    const blank = await page.evaluate(() => {
        const canvas = document.getElementById("bars");
        const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        const count = new Map();
        for (const pixel of pixels) count.set(pixel, (count.get(pixel) ?? 0) + 1);
        return count.size;
    });
    check(`${name}: something is drawn`, blank >= 4, `${blank} colours`);
    if (name === "killed") check("killed: the page says so", /killed/.test(shown.notes), shown.notes);
    await page.locator("#tab-profile").click();
    if (name === "many") {
        check("many: a missing rank is said", /1 of 64 ranks/.test(shown.notes), shown.notes);
        check("many: names are no markup", !/broken/.test(shown.title) && (await page.locator("img").count()) === 0);
        check("many: the name itself is shown", (await page.locator("#profile").innerText()).includes("<img src=x"));
    }
    if (name === "demo" || name === "plain") same(`${name}: nothing is missing`, shown.notes, "");
    await page.close();
}

// ---- figures have the colours of pages; some of a program's functions are told apart

for (const figure of ["demo", "waits"]) {
    const legend = readFileSync(join(directory, `${figure}.svg`), "utf8").matchAll(/fill="(#\w+)" d="M[^"]*h11v11h-11z"\/><text[^>]*>(\S+) /g);
    sameColours(`the figure ${figure}`, [...legend].map(([, css, name]) => [name, css]));
}
const different = ["main", "multiply", "distribute", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Bcast"].map((name) => colours.get(name));
check("the demonstration's names have colours of their own", different.every((css) => css) && new Set(different).size === different.length, different.join());

// ---- a tip says what the text says of that instant

const lines = events("demo");
const receives = [];
lines.forEach((line, i) => {
    if (line.kind !== "recv") return;
    const before = lines.slice(0, i).filter((other) => other.rank === line.rank);
    const enter = before.findLast((other) => other.kind === "enter");
    const leave = lines.slice(i).find((other) => other.rank === line.rank && other.kind === "leave");
    receives.push({ ...line, enter, leave });
});
const page = await open("demo");
const showMessageLines = (shown) => page.evaluate((shown) => {
    window.refrainView.timeline.showMessages = shown;
    window.refrainView.state.notify("window");
}, shown); // prettier-ignore
await showMessageLines(false); // they may cross a bar where the pointer is
for (const receive of [receives[0], receives[Math.floor(receives.length / 2)], receives.at(-1)]) {
    const from = Number(receive.enter.time) * 1e9;
    const to = Number(receive.leave.time) * 1e9;
    await page.evaluate(([from, to]) => window.refrainView.state.show(from, to), [from - (to - from), to + (to - from)]);
    await settle(page);
    const found = await tips(page, receive.rank, (from + to) / 2);
    const wanted = [`${receive.region}|`, `rank ${receive.rank}`, `:${receive.enter.line}`, `${receive.enter.time} s`, `${receive.leave.time} s`,
        `receives from|rank ${receive.source}`, `tag|${receive.tag}`, `bytes|${Number(receive.bytes).toLocaleString("en-US")} `, "MPI_COMM_WORLD"]; // prettier-ignore
    check(`demo: the tip of the receive at ${receive.time}`, found.some((tip) => wanted.every((part) => tip.includes(part))), found.join("; "));
}

await showMessageLines(true);
await page.evaluate(() => {
    const { state } = window.refrainView;
    const records = new Float64Array(state.tile().exact.messages);
    const length = records[1] - records[0];
    state.show(records[0] - length, records[1] + length);
});
await settle(page);
const message = await page.evaluate(() => {
    const { state, timeline } = window.refrainView;
    const { x0, y0, x1, y1, message } = timeline.drawn.find((drawn) => state.from < drawn.message.sent && drawn.message.received < state.to);
    const box = timeline.marks.getBoundingClientRect();
    return { x: box.left + (x0 + x1) / 2, y: box.top + (y0 + y1) / 2, tag: message.tag };
});
await page.mouse.move(message.x, message.y);
await settle(page);
const said = await page.evaluate(() => document.getElementById("tip").innerText.replaceAll("\n", "|"));
check("demo: the tip of a message line", /^message\|from\|rank \d\|sent in\|MPI_\w+ \w+\.c:\d+\|to\|rank \d\|received in\|MPI_Recv \w+\.c:\d+\|sent/.test(said) && said.includes(`tag|${message.tag}`), said);

// ---- zoom, keys, choice, fragment

await page.evaluate(() => window.refrainView.state.show(0, window.refrainView.state.end));
await settle(page);
const whole = await state(page);
const box = await page.locator("#marks").boundingBox();
await page.mouse.move(box.x + box.width * 0.75, box.y + 100);
const under = whole.from + 0.75 * (whole.to - whole.from);
for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -300);
await settle(page);
const closer = await state(page);
check("wheel: closer", closer.to - closer.from < (whole.to - whole.from) / 4);
const still = closer.from + 0.75 * (closer.to - closer.from);
check("wheel: what is under the pointer stays there", Math.abs(still - under) < (closer.to - closer.from) / 100, `${still} ${under}`);
await page.mouse.down();
await page.mouse.move(box.x + box.width * 0.5, box.y + 100, { steps: 4 });
await page.mouse.up();
const dragged = await state(page);
check("drag: the window moves", Math.abs(dragged.from - (closer.from + 0.25 * (closer.to - closer.from))) < (closer.to - closer.from) / 100);
check("drag: its length stays", Math.abs(dragged.to - dragged.from - (closer.to - closer.from)) < 1, `${dragged.to - dragged.from}`);
await page.locator("#marks").focus();
await page.keyboard.press("0");
await settle(page);
check("key 0: the whole run", Math.abs((await state(page)).to - whole.to) < 1);
await page.keyboard.press("+");
await page.keyboard.press("ArrowRight");
await settle(page);
const moved = await state(page);
check("keys + and right", moved.from > 0 && moved.to - moved.from < whole.to);
await page.keyboard.press("w");
await settle(page);
const wait = await state(page);
check("key w: a wait is chosen", wait.choice?.kind === "span");
const spoken = await page.locator("#spoken").innerText();
check("what is chosen is spoken", /wait|MPI_/.test(spoken), spoken);
await page.keyboard.press("n");
await settle(page);
check("key n: the next event is chosen", (await state(page)).choice.from > wait.choice.from);
await page.keyboard.press("p");
await settle(page);
same("key p: and back", (await state(page)).choice.from, wait.choice.from);
await page.keyboard.press("s");
await settle(page);
same("key s: its time is marked", (await page.locator("#profile h2").textContent()).startsWith("Marked"), true);
await page.evaluate(() => window.refrainView.state.mark(null));
await page.keyboard.press("[");
await settle(page);
check("key [: what called it", (await state(page)).choice.depth === wait.choice.depth - 1);
await page.keyboard.press("ArrowDown");
await settle(page);
const across = await state(page);
check("key down: the rank below", across.choice.location !== wait.choice.location || wait.choice.location === 3);
await endIsKnown(page);
await page.waitForTimeout(300); // the address is written with a delay of 200 ms
const address = new URL(page.url()).hash;
const again = await open("demo", address);
await endIsKnown(again);
const reopened = await state(again);
const before = await state(page);
check("the fragment keeps the window", Math.abs(reopened.from - before.from) <= 1 && Math.abs(reopened.to - before.to) <= 1, address);
same("the fragment keeps the choice", JSON.stringify(reopened.choice), JSON.stringify(before.choice));
await again.close();

// ---- what goes on behind the window: its end is found out all the same

const early = await open("demo");
for (let rank = 0; rank < 4; rank++) {
    const of = lines.filter((line) => line.rank === rank && line.region === "main");
    const from = Number(of.find((line) => line.kind === "enter").time) * 1e9;
    const to = Math.round(Number(of.findLast((line) => line.kind === "leave").time) * 1e9);
    await early.evaluate(([from, rank]) => {
        window.refrainView.state.show(from + 1000, from + 2000);
        window.refrainView.navigate.across(rank);
    }, [from, rank]);
    await early.waitForFunction((rank) => window.refrainView.state.choice?.location === rank, rank, { timeout: 90000 });
    while ((await state(early)).choice.depth > 0) await early.keyboard.press("[");
    await endIsKnown(early);
    const { choice } = await state(early);
    same(`main of rank ${rank}: its end`, choice.to, to);
    check(`main of rank ${rank}: was left`, choice.left);
}
await early.close();

// ---- legend, marks, search, matrix

await page.keyboard.press("Escape");
await page.keyboard.press("0");
await settle(page);
await page.locator("#tab-profile").click();
const counted = await page.evaluate(() => [...document.querySelectorAll("#profile tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
const barriers = counted.find((row) => row[0] === "MPI_Barrier");
same("the profile counts barriers", barriers?.at(-1), String(lines.filter((line) => line.kind === "enter" && line.region === "MPI_Barrier").length));
await page.locator('[role=switch][aria-label="Show MPI_Barrier"]').click();
check("the legend switches off", await page.evaluate(() => !window.refrainView.state.palette.groups.find((group) => group.name === "MPI_Barrier").shown));
await page.locator('[role=switch][aria-label="Show MPI_Barrier"]').click();
await page.keyboard.down("Shift");
await page.mouse.move(box.x + 500, box.y + 60);
await page.mouse.down();
await page.mouse.move(box.x + 700, box.y + 60, { steps: 4 });
await page.mouse.up();
await page.keyboard.up("Shift");
await settle(page);
check("a marked interval has its own profile", (await page.locator("#profile h2").innerText()).startsWith("Marked"));
await page.keyboard.press("Escape");
await page.locator("#search").fill("multiply");
await page.keyboard.press("Enter");
await settle(page);
check("search finds the first call", await page.evaluate(() => {
    const { state } = window.refrainView;
    return state.choice?.kind === "span" && state.names.regions[state.choice.region].name === "multiply";
}));
await page.keyboard.press("0");
await settle(page);
await page.locator("#tab-matrix").click();
await settle(page);
const pairs = {};
for (const line of lines) if (line.kind === "recv") pairs[`${line.source} → ${line.rank}`] = (pairs[`${line.source} → ${line.rank}`] ?? 0) + 1;
const rows = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#matrix table tr")].slice(1).map((row) => [row.cells[0].innerText, Number(row.cells[1].innerText)])));
same("the matrix counts messages", JSON.stringify(Object.entries(rows).sort()), JSON.stringify(Object.entries(pairs).sort()));
await page.locator("#tab-program").click();
const roots = await page.evaluate(() => window.refrainView.state.about.formulas.filter((formula) => formula.subject === "root").map((formula) => `${formula.construct} ${formula.text}`));
check("a root is told of collectives that have one", roots.length > 0 && roots.every((root) => /^MPI_Bcast 0/.test(root)), roots.join("; "));
check("the program's tree", /multiply\(\)/.test(await page.locator("#program").innerText()));
const times = await page.evaluate(() => [...document.querySelectorAll("#program .tree, #program .tree details")].map((holder) => [...holder.children].flatMap((child) => (child.matches("details") ? [child.querySelector("summary .time")] : child.matches("div.leaf, div") ? [child.querySelector(".time")] : [])).map((time) => time.textContent)));
const inNs = (text) => parseFloat(text) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[text.split(" ")[1]];
check("its nodes are in the order of their times", times.some((of) => of.length > 2) && times.every((of) => of.every((time, i) => i === 0 || inNs(time) <= inNs(of[i - 1]))), JSON.stringify(times));
await page.close();

// ---- messages in a crowd do not hide the bars, one alone is seen

const dense = await openAsIs("dense");
/** The strongest line of the left, crowded half, and of the right one, as a part of full strength. */
const strongest = await dense.evaluate(() => {
    const { timeline, state } = window.refrainView;
    state.locations.forEach(() => (timeline.pointer = null));
    timeline.showCollectives = false;
    timeline.drawNow();
    const { marks } = timeline;
    const ratio = marks.width / timeline.width;
    const most = (from, to) => {
        const { data } = marks.getContext("2d").getImageData(Math.round(timeline.xOf(from) * ratio), 0, Math.round((timeline.xOf(to) - timeline.xOf(from)) * ratio), marks.height);
        let greatest = 0;
        for (let i = 3; i < data.length; i += 4) greatest = Math.max(greatest, data[i]);
        return greatest / 255;
    };
    return [most(1.2e9, 1.8e9), most(2.95e9, 3.15e9), timeline.drawn.length];
});
check("messages fade where they are many, not where they are few", strongest[0] < 0.4 && strongest[1] > 0.8 && strongest[2] === 601, strongest.join());
await dense.locator("#tab-profile").click();
const shares = await dense.evaluate(() => [...document.querySelectorAll("#profile tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
same("of what one rank does alone it has most, all of it", shares.filter((row) => row[0].startsWith("MPI_")).map((row) => [row[0], row[1] === row[6], row[7]].join()).sort().join("; "), "MPI_Recv,true,1; MPI_Send,true,0");
await dense.close();

// ---- a page that is still being opened has no figures yet

const early0 = await browser.newPage();
await early0.addInitScript("globalThis.Worker = class { postMessage() {} addEventListener() {} }"); // never answers
await early0.goto(`file://${join(directory, "fault.html")}`);
await early0.waitForFunction(() => window.refrainView);
await early0.waitForTimeout(100);
const placeholders = await early0.evaluate(() => ({
    facts: document.getElementById("facts").textContent, axis: getComputedStyle(document.getElementById("axis")).visibility,
    profile: document.getElementById("profile").textContent, table: document.querySelector("#profile table").hidden,
    progress: document.querySelector("#profile progress").hidden, findings: document.querySelectorAll("#findings tr.leads").length,
}));
check("before the run is read: findings, no figures, no axis", /^8 ranks, \d{4}-/.test(placeholders.facts) && placeholders.axis === "hidden" && placeholders.table && !placeholders.progress && placeholders.findings > 0 && /The run is being read/.test(placeholders.profile), JSON.stringify(placeholders));
await early0.close();

// ---- what a page opens on: MPI_Init to MPI_Finalize, the findings, the waits

const fault = await openAsIs("fault");
const report = JSON.parse(readFileSync(join(directory, "fault.json"), "utf8"));
const windowOf = async (page) => Object.values(await page.evaluate(() => [window.refrainView.state.from, window.refrainView.state.to]));
same("a page opens on the time from the last MPI_Init to the first MPI_Finalize", String(await windowOf(fault)), "1070000000,4300000000");
check("and says so", /From MPI_Init to MPI_Finalize, 3.230 s/.test(await fault.locator("#profile h2").textContent()));
await fault.locator("#whole").click();
same("the whole run", String(await windowOf(fault)), "0,6000000000");
await fault.locator("#marks").focus();
await fault.keyboard.press("i");
same("key i: MPI_Init to MPI_Finalize", String(await windowOf(fault)), "1070000000,4300000000");
await settle(fault);
const cells = (page, table) => page.evaluate((table) => [...document.querySelectorAll(`${table} tbody tr`)].map((row) => [...row.cells].map((cell) => cell.innerText.trim())), table);
check("findings are open where there are any", (await fault.locator("#tab-findings").getAttribute("aria-selected")) === "true");
const found = await cells(fault, "#findings table:has(.sentence)");
check("they are those of the report", report.findings.length > 0 && found.length === report.findings.length && report.findings.every(({ sentence }, i) => found[i][1].includes(sentence)), JSON.stringify(found));
check("with a name that is no markup", /<img src=x/.test(found[0][1]) && (await fault.locator("img").count()) === 0 && !/broken/.test(await fault.title()), found[0][1]);
await fault.locator("#findings tr.leads button").first().focus();
await fault.keyboard.press("Enter");
await settle(fault);
const went = await fault.evaluate(() => {
    const { state } = window.refrainView;
    return { choice: state.choice, range: state.range, from: state.from, to: state.to, region: state.names.regions[state.choice.region].name };
});
check("a finding leads to its rank and region", went.choice.kind === "span" && went.choice.location === 3 && went.region.startsWith("<img"), JSON.stringify(went));
check("and to its place in time", went.range?.from === report.findings[0].from_ns && went.from < went.range.from && went.range.to < went.to, JSON.stringify(went));
check("its row is marked", /chosen/.test(await fault.locator("#findings tr.leads").first().getAttribute("class")));
check("who is at a button of a table stays there", await fault.evaluate(() => document.activeElement.closest("#findings tbody tr") !== null));

// ---- the critical path: a lane of bars, each a piece of the run that the report names

const lane = await fault.evaluate(() => [...document.querySelectorAll("#critical button")].map((bar) => {
    const [part, whole] = [bar.getBoundingClientRect(), document.getElementById("critical").getBoundingClientRect()];
    return { from: (part.left - whole.left) / whole.width, to: (part.right - whole.left) / whole.width, text: bar.textContent,
             title: bar.title, colour: getComputedStyle(bar).backgroundColor };
})); // prettier-ignore
const pieces = report.path.map((piece) => ({ ...piece, place: piece.doing === "computing" ? piece.function : piece.call }));
const onThree = pieces.findIndex((piece) => piece.rank === 3 && piece.place);
check("the critical path is a lane", (await fault.locator("#critical").isVisible()) && pieces.length > 1 && lane.length === pieces.length, JSON.stringify(lane));
check("its bars lie where the pieces of the run do", pieces.every(({ from_ns, to_ns }, i) => Math.abs(lane[i]?.from - from_ns / 6e9) < 0.003 && Math.abs(lane[i]?.to - to_ns / 6e9) < 0.003), JSON.stringify([lane, report.path]));
check("one is rank 3 in what it computes", pieces[onThree]?.place.name.startsWith("<img") && lane[onThree]?.text === `3 ${pieces[onThree].place.name}`, JSON.stringify([lane, report.path]));
check("and says it", /^1\.\d+ s: the critical path is on rank 3 \(\d+ % of it\), mostly computing in <img .* fault\.c:11 \(\d+ % of that\)$/.test(lane[onThree]?.title), lane[onThree]?.title);
same("in the colour of that", lane[onThree]?.colour, await fault.evaluate((name) => {
    const probe = document.createElement("i");
    probe.style.background = window.refrainView.state.palette.groups.find((group) => group.name === name).css;
    return document.body.appendChild(probe) && getComputedStyle(probe).backgroundColor;
}, pieces[onThree]?.place.name)); // prettier-ignore
await fault.locator("#critical button").nth(onThree).click();
await settle(fault);
const onPath = await fault.evaluate(() => ({ choice: window.refrainView.state.choice, range: window.refrainView.state.range }));
check("a click goes there", onPath.range?.from === pieces[onThree]?.from_ns && onPath.range?.to === pieces[onThree]?.to_ns && onPath.choice?.location === 3, JSON.stringify(onPath));
await fault.locator("#marks").focus();
await fault.keyboard.press("Escape");
await fault.keyboard.press("i");
await settle(fault);
const waitsTable = "#findings table:not(:has(.sentence))";
const waited = await cells(fault, waitsTable);
same("waits: how many", waited.length, 7);
check("waits: what they say", waited.every(([time, who, where, cause]) => time === "1.000 s" && who !== "rank 3" && where === "MPI_Barrier fault.c:20" && cause === "rank 3"), JSON.stringify(waited));
const ranksOf = async () => (await cells(fault, waitsTable)).map((row) => row[1]).join();
await fault.locator(`${waitsTable} th:nth-child(2) button`).click();
const down = await ranksOf();
await fault.locator(`${waitsTable} th:nth-child(2) button`).click();
same("headers sort", `${down}; ${await ranksOf()}`, "rank 7,rank 6,rank 5,rank 4,rank 2,rank 1,rank 0; rank 0,rank 1,rank 2,rank 4,rank 5,rank 6,rank 7");
same("and say it", await fault.locator(`${waitsTable} th:nth-child(2)`).getAttribute("aria-sort"), "ascending");
await fault.locator(`${waitsTable} tbody tr`).nth(4).click();
await settle(fault);
const inWait = await state(fault);
check("a wait leads to its call", inWait.choice?.kind === "span" && inWait.choice.location === 5 && inWait.from === 1.1e9 && inWait.to === 4.1e9, JSON.stringify(inWait));
await fault.locator("#tab-profile").click();
await fault.locator("#work").click();
await settle(fault);
const profile = await cells(fault, "#profile table");
const odd = profile.find((row) => row[0].startsWith("<img"));
same("balance of a region: least, mean, most, rank", String(odd?.slice(4, 8)), ",625.0 ms,2.000 s,3");
await fault.locator("#profile th:nth-child(7) button").click();
same("sorted by the most", (await cells(fault, "#profile table"))[0]?.[0], odd?.[0]);
await fault.evaluate(() => window.refrainView.navigate.chooseMessage(0));
check("a chosen message says the lines of both ends", /sent in\s+MPI_Send fault.c:30[^]*received in\s+MPI_Recv fault.c:40/.test(await fault.locator("#chosen").textContent().then((text) => text.replace(/(sent in|received in)/g, "$1 "))), await fault.locator("#chosen").textContent());
await fault.locator("#tab-matrix").click();
await settle(fault);
same("the matrix has axes", await fault.evaluate(() => [...document.querySelectorAll("#matrix svg text")].map((text) => text.textContent).join()), "0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7,to rank,from rank");
// What a key or the pointer chooses is seen: its panel opens, its row is on the screen.
await fault.evaluate(() => {
    const { rows, state, timeline } = window.refrainView;
    rows.stretch(4, 0, timeline.height);
    state.choose(null);
});
await fault.locator("#tab-findings").click();
await fault.locator("#marks").focus();
const opened = () => fault.evaluate(() => document.querySelector("[role=tab][aria-selected=true]").textContent.trim());
const seen = [];
for (let i = 0; i < 7; i++) {
    await fault.keyboard.press("w");
    await settle(fault);
    seen.push(await fault.evaluate(() => {
        const { rows, state, timeline } = window.refrainView;
        const top = rows.top(rows.rowOf(state.choice.location));
        return top >= -1 && top + rows.height <= timeline.height + 1;
    }));
}
same("key w opens what it chose", await opened(), "Chosen");
check("and scrolls to its row", seen.length === 7 && seen.every((is) => is), seen.join());
const area = await fault.locator("#marks").boundingBox();
await fault.keyboard.down("Shift");
await fault.mouse.move(area.x + 100, area.y + 60);
await fault.mouse.down();
await fault.mouse.move(area.x + 300, area.y + 60, { steps: 4 });
await fault.mouse.up();
await fault.keyboard.up("Shift");
await settle(fault);
same("Shift and drag opens the profile of what is marked", await opened(), "Profile");
check("which says how long it is", /^Marked /.test(await fault.locator("#profile h2").innerText()) && /^marked .*: Enter goes there$/.test(await fault.locator("#spoken").textContent()));
await fault.keyboard.press("Escape");
await fault.locator("#order").selectOption("folded");
await settle(fault);
same("ranks of like behaviour are folded, whenever they began", JSON.stringify(await fault.evaluate(() => window.refrainView.rows.rows.map((row) => row.locations))), "[[0,2,4,6],[1,5,7],[3]]");
await fault.close();
const nothing = await openAsIs("nothing");
await nothing.locator("#tab-findings").click();
check("without findings the page says so", /Nothing that costs 2.0 % of the run or more was found\.[^]*Nobody waits/.test(await nothing.locator("#findings").innerText()), await nothing.locator("#findings").innerText());
await nothing.close();

// ---- orders of ranks; a browser without WebAssembly

const many = await open("many");
await many.locator("#order").selectOption("folded");
await settle(many);
const folded = await state(many);
check("ranks that are alike are folded", folded.rows > 1 && folded.rows < 40, `${folded.rows}`);
const alike = await many.evaluate(() => window.refrainView.rows.rows.findIndex((row) => row.locations.length > 1));
const spread = await tips(many, await many.evaluate((row) => window.refrainView.rows.rows[row].locations[0], alike), folded.end / 2);
check("and say how far they differ", spread.some((tip) => /ranks: mean, least and most\|.* % \(.* % to .* %\)/.test(tip)), spread[0]);
await many.locator("#order").selectOption("rank");
await many.evaluate(() => ((window.refrainView.timeline.showMessages = true), window.refrainView.state.show(0, window.refrainView.state.end), window.refrainView.timeline.draw()));
await settle(many);
const bundled = await many.evaluate(() => {
    const { state, timeline } = window.refrainView;
    return { lines: timeline.drawn.length, stand: timeline.drawn.reduce((sum, line) => sum + line.count, 0), all: state.tile().exact.nMessages, bundled: timeline.bundled };
});
check("too many messages for a line each are bundled", bundled.all > 4000 && bundled.lines > 100 && bundled.lines <= 4000 && bundled.stand > bundled.all * 0.99, JSON.stringify(bundled));
await many.close();
const without = await open("demo", "", "delete globalThis.WebAssembly");
await without.waitForTimeout(600);
check("without WebAssembly the page says so", /WebAssembly/.test(await without.locator("#notes").innerText()));
check("and shows the program", /multiply\(\)/.test(await without.locator("#program").innerText()));
await without.close();

// ---- a long run: what its page got ready-made is what it would have read itself

if (/id="data-ahead"/.test(readFileSync(join(directory, "long.html"), "utf8"))) {
    const digests = [];
    for (const name of ["long", "reread"]) {
        const page = await browser.newPage();
        page.on("console", (message) => wrong.push(`${name}: ${message.text()}`));
        page.on("pageerror", (error) => wrong.push(`${name}: ${error.message}`));
        await page.goto(`file://${join(directory, `${name}.html`)}`);
        await page.waitForFunction(() => window.refrainView?.state.scanned.done && !window.refrainView.state.refining, null, { timeout: 90000 });
        const digest = await page.evaluate(async () => {
            const { state } = window.refrainView;
            const hash = async (bytes) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].join(".");
            const found = { events: state.scanned.events, totals: JSON.stringify(state.whole.totals), waits: JSON.stringify(state.whole.waits) };
            for (const part of [0.77, 0.31, 0.305, 0.999, 0]) {
                state.show(state.end * part, state.end * part + state.end / 1000);
                while (!state.tile()?.exact) await new Promise((done) => setTimeout(done, 20));
                const { exact } = state.tile();
                found[part] = [exact.nSpans, await hash(exact.spans), await hash(exact.messages), await hash(exact.operations), exact.nCollectives];
            }
            return found;
        });
        digests.push(digest);
        await page.close();
    }
    for (const key of Object.keys(digests[0])) same(`long: ${key}`, JSON.stringify(digests[0][key]), JSON.stringify(digests[1][key]));
    check("long: its windows have events", digests[0][0.31][0] > 100, JSON.stringify(digests[0][0.31]));
} else console.log("refrain was built without wasm2c 1.0.32: long runs are not replayed before");

// ---- two runs, one above the other

const two = await browser.newPage();
two.on("console", (message) => message.type() === "error" && wrong.push(`two: ${message.text()}`));
two.on("pageerror", (error) => wrong.push(`two: ${error.message}`));
await two.goto(`file://${join(directory, "two.html")}`);
await two.waitForFunction(() => window.refrainCompare?.runs.every((run) => run.state.scanned.done && run.state.tile()?.exact), null, { timeout: 90000 });
const met = await two.evaluate(() => {
    const { runs, alignment, compared } = window.refrainCompare;
    // Where rank 1 begins each step, in both runs.
    const [a, b] = runs.map(({ state }) => {
        const { exact } = state.tile();
        const [times, words] = [new Float64Array(exact.spans), new Uint32Array(exact.spans)];
        const steps = [];
        for (let i = 0; i < exact.nSpans; i++)
            if (state.names.regions[words[i * 14 + 6]].name === "step" && words[i * 14 + 7] === 1) steps.push(times[i * 7]);
        return steps.sort((x, y) => x - y);
    });
    const off = a.map((time, i) => Math.abs(alignment.map(0, time) - b[i]));
    const back = a.map((time) => Math.abs(alignment.map(1, alignment.map(0, time)) - time));
    const list = compared.changes.filter((change) => change.beyond && change.own[1] > change.own[0]);
    runs[0].state.show(a[50], a[60]);
    const window0 = [runs[1].state.from, runs[1].state.to];
    runs[1].state.show(b[150], b[160]);
    const window1 = [runs[0].state.from, runs[0].state.to];
    return { a, b, off: Math.max(...off), back: Math.max(...back), list, window0, window1 };
});
const step = (met.a[199] - met.a[0]) / 199;
same("two runs: steps", `${met.a.length} ${met.b.length}`, "200 200");
check("two runs: the same step is found in the other", met.off < step / 2 && met.back < 10, `${met.off} ${met.back} of ${step}`);
check("two runs: the other one's window follows", Math.abs(met.window0[0] - met.b[50]) < step / 2 && Math.abs(met.window0[1] - met.b[60]) < step / 2, `${met.window0} ${met.b[50]} ${met.b[60]}`);
check("two runs: and this one's the other's", Math.abs(met.window1[0] - met.a[150]) < step / 2 && Math.abs(met.window1[1] - met.a[160]) < step / 2, `${met.window1} ${met.a[150]} ${met.a[160]}`);
same("two runs: what became slower", met.list.map((change) => change.regions[1].name).join(), "<img src=x onerror=document.title='broken'>");
check("two runs: by how much", Math.abs(met.list[0]?.own[1] - met.list[0]?.own[0] - 4 * 80 * 30000) < 1000, JSON.stringify(met.list[0]));
await two.locator("#changes td.name button").first().click();
const worst = await two.evaluate(() => window.refrainCompare.runs.map((run) => [run.state.from, run.state.to, run.state.choice?.kind]));
check("two runs: a click goes where it is worst", worst[0][0] > met.a[119] && worst[1][0] > met.b[119] && worst.every((run) => run[1] - run[0] < 3 * step && run[2] === "region"), JSON.stringify(worst));
check("two runs: names are no markup", (await two.title()) !== "broken");
await two.close();

// ---- waiting, where two runs are compared; and what came too late to be shown

const twice = JSON.parse(inflateSync(Buffer.from(readFileSync(join(directory, "twice.html"), "latin1").match(/id="data-compare">([^<]*)</)[1], "base64")));
for (const run of [0, 1]) {
    const wanted = sameWaiting(`twice the same, ${run}`, twice.changes.map(({ regions, waiting }) => [regions[run].name, waiting[run]]), "waits"); // prettier-ignore
    check("a sender waits for its receiver", wanted.MPI_Ssend > 30e6, `${wanted.MPI_Ssend}`);
}
const late = await open("late");
check("late: the page says what is not in it", /^Waits of senders that are not shown, .*: 1\./.test((await state(late)).notes), (await state(late)).notes);
await late.close();

// ---- samples: the flame graph of the window, the functions after a call, and those below the bars

const sampled = readFileSync(join(directory, "samples.json"), "utf8");
if (sampled) {
    const wanted = JSON.parse(sampled);
    const page = await open("samples");
    const labels = () => page.locator("#samples .d3-flame-graph g title").allTextContents();
    const count = async () => Number((await page.locator("#samples p.key").textContent()).match(/^[0-9]+/)?.[0] ?? 0);
    await page.locator("#tab-samples").click();
    await page.locator("#samples select").first().selectOption("all");
    check("samples: all of the run", Math.abs((await count()) - (wanted.samples - wanted.lost)) <= 1, `${await count()} of ${wanted.samples}`);
    const shown = await labels();
    for (const name of ["main", "heavy", "light", "deep", "aside"])
        check(`samples: ${name} is a flame`, shown.some((label) => label.startsWith(`${name} `)), shown.slice(0, 5).join("; "));
    const table = await page.locator("#samples tbody tr").first().textContent();
    same("samples: the table begins with the function that has most", table.startsWith(wanted.rows[0].function), true);
    await page.locator("#samples .d3-flame-graph g", { hasText: "heavy" }).first().click();
    check("samples: a click enlarges a function", (await page.locator("#samples .d3-flame-graph g.fade").count()) > 0);
    // Half of the run has some of its samples.
    const all = await count();
    await page.evaluate(() => window.refrainView.state.show(0, window.refrainView.state.end / 2));
    await settle(page);
    check("samples: those of the window", (await count()) > 0 && (await count()) < all, `${await count()} of ${all}`);
    await page.evaluate(() => {
        const { state } = window.refrainView;
        state.choose({ kind: "region", region: state.names.regions.findIndex((region) => region.name === "MPI_Barrier") });
    });
    await page.locator("#tab-chosen").click();
    const after = await page.locator("#chosen").textContent();
    check("samples: what runs after MPI_Barrier", /ran by samples.*heavy/.test(after) && !/ran by samples.*deep/.test(after), after);
    // The strip is drawn in the colour of the function that computes most.
    const drawn = () => page.evaluate(() => {
        const canvas = document.getElementById("marks");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value) => sum + value, 0);
    });
    await page.locator("#tab-profile").click();
    const before = await drawn();
    await page.getByLabel("Functions by samples").uncheck();
    await settle(page);
    check("samples: functions below the bars", (await drawn()) !== before);
    await page.close();
}

// ---- a trace of recorded events alone

const recorded = await open("converted");
same("recorded events are shown where there are no formulas", (await state(recorded)).events, events("demo").length);
await recorded.close();

same("no error in the console, nothing asked of a network", wrong.join("; "), "");
await browser.close();
console.log("all of it");
