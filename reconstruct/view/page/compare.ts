// compare.ts: shows two runs one above the other. Each is a page of its own in a frame. This page moves them together, connects
// the moments that belong together, and lists what became slower.

import { Alignment } from "./alignment.js";
import { element } from "./elements.js";
import { showCount, showNs, showSite } from "./format.js";
import type { Region } from "./protocol.js";
import type { State } from "./state.js";
import type { Timeline } from "./timeline.js";
import { unpack } from "./unpack.js";

/** The fields by which a region is found among those of the engine. */
type Place = Omit<Region, "colour">;

/** A construct's own time in both runs, in ns. A region is null if only the other run has the construct. */
interface Change {
    regions: [Place | null, Place | null];
    own: [number, number];
    waiting: [number, number];
    count: [number, number];
    /** Standard error of the change; -1: unknown. */
    noise: number;
    beyond: boolean;
    /** The time in each run (from, to) in which the change is largest. */
    at?: [[number, number], [number, number]];
}

interface Compared {
    paths: [string, string];
    anchors: [number, number][];
    changes: Change[];
}

/** The part of a run's own page that this page uses (main.ts). */
interface Run {
    state: State;
    timeline: Timeline;
    document: Document;
}

const MOST_LINES = 40;
const LINE_EVERY_PIXELS = 24;
const SAME = 0.01;
/** Colours that people with any colour vision can distinguish. */
const SLOWER = "#d55e00";
const FASTER = "#0072b2";
const WIDE = 1700;

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

async function startRun(index: number, ready: () => void): Promise<Run> {
    const frame = byId<HTMLIFrameElement>(`run-${index}`);
    frame.srcdoc = new TextDecoder().decode(await unpack(`page-${index}`));
    for (;;) {
        await new Promise((done) => setTimeout(done, 30));
        const inside = frame.contentWindow as (Window & { refrainView?: { state: State; timeline: Timeline } }) | null;
        if (!inside?.refrainView) continue;
        const { state, timeline } = inside.refrainView;
        state.on(["window", "data", "rows"], ready);
        return { state, timeline, document: inside.document };
    }
}

function isSame(a: Place, b: Place): boolean {
    return (
        a.kind === b.kind && a.name === b.name && a.file === b.file && a.line === b.line && a.function === b.function
    );
}

function ratioText(a: number, b: number): string {
    if (a <= 0) return b > 0 ? "new" : "";
    const percent = (100 * (b - a)) / a;
    return Math.abs(percent) > 900 ? `× ${(b / a).toFixed(1)}` : `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

async function start(): Promise<void> {
    const compared = JSON.parse(new TextDecoder().decode(await unpack("data-compare"))) as Compared;
    const alignment = new Alignment(compared.anchors);
    const band = byId<HTMLCanvasElement>("band");
    const fit = byId<HTMLSelectElement>("fit");
    const runs: Run[] = [];
    const ends = compared.anchors.at(-1) ?? [0, 0];
    const names = compared.paths.map((path) => path.replace(/\/+$/, "").replace(/^.*\//, ""));
    byId("title").textContent = `A: ${names[0]}, B: ${names[1]}`;
    document.title = `${names[0]}, ${names[1]} – refrain view`;
    byId("facts").textContent = `A ${showNs(ends[0])}, B ${showNs(ends[1])} (${ratioText(ends[0], ends[1])})`;
    byId("facts").title = compared.paths.join("\n");

    // ---- what belongs together, between the runs

    let scheduled = false;
    const drawBand = (): void => {
        if (scheduled) return;
        scheduled = true;
        requestAnimationFrame(() => {
            scheduled = false;
            const ratio = window.devicePixelRatio || 1;
            const [width, height] = [band.clientWidth, band.clientHeight];
            band.width = Math.round(width * ratio);
            band.height = Math.round(height * ratio);
            const context = band.getContext("2d")!;
            context.setTransform(ratio, 0, 0, ratio, 0, 0);
            const [a, b] = runs;
            if (!a || !b) return;
            const left = a.timeline.marks.getBoundingClientRect().left;
            context.beginPath();
            context.rect(left, 0, a.timeline.width, height);
            context.clip();
            const style = getComputedStyle(document.documentElement);
            const soft = style.getPropertyValue("--soft").trim();
            const most = Math.min(MOST_LINES, a.timeline.width / LINE_EVERY_PIXELS);
            const shown = alignment.within(0, a.state.from, a.state.to, most);
            shown.forEach(([ta, tb], i) => {
                const next = shown[i + 1] ?? shown[i];
                const before = shown[i + 1] ? shown[i] : (shown[i - 1] ?? shown[i]);
                const slope = (next[1] - before[1]) / Math.max(1e-9, next[0] - before[0]);
                context.strokeStyle = slope > 1 + SAME ? SLOWER : slope < 1 - SAME ? FASTER : soft;
                context.lineWidth = slope > 1 + SAME ? 1.6 : 1;
                context.beginPath();
                context.moveTo(left + a.timeline.xOf(ta), 0);
                context.bezierCurveTo(
                    left + a.timeline.xOf(ta),
                    height / 2,
                    left + b.timeline.xOf(tb),
                    height / 2,
                    left + b.timeline.xOf(tb),
                    height,
                );
                context.stroke();
            });
            const long = [a.state.to - a.state.from, alignment.map(0, a.state.to) - alignment.map(0, a.state.from)];
            const text = `these steps: A ${showNs(long[0])}, B ${showNs(long[1])} (${ratioText(long[0], long[1])})`;
            band.setAttribute("aria-label", text);
            context.font = '12px system-ui, "DejaVu Sans", sans-serif';
            context.textBaseline = "middle";
            const wide = context.measureText(text).width;
            context.fillStyle = style.getPropertyValue("--panel").trim();
            context.fillRect(left + 4, height / 2 - 9, wide + 12, 18);
            context.fillStyle = style.getPropertyValue("--ink").trim();
            context.fillText(text, left + 10, height / 2);
        });
    };
    new ResizeObserver(drawBand).observe(band);

    // ---- the window of one moves that of the other

    /** The run whose window is being copied to the other; -1: none; 2: both windows are being set. */
    let leads = -1;
    let writing: number | undefined;
    const follow = (run: number): void => {
        const one = runs[run];
        const other = runs[1 - run];
        drawBand();
        if (!one || !other || leads >= 0) return;
        leads = run;
        const { from, to } = one.state;
        if (fit.value === "fit") other.state.show(alignment.map(run, from), alignment.map(run, to));
        else {
            const middle = alignment.map(run, (from + to) / 2);
            other.state.show(middle - (to - from) / 2, middle + (to - from) / 2);
        }
        leads = -1;
        clearTimeout(writing);
        writing = window.setTimeout(() => {
            const { from, to } = runs[0].state;
            history.replaceState(null, "", `#window=${Math.round(from)}-${Math.round(to)}&shown=${fit.value}`);
        }, 200);
    };
    fit.addEventListener("change", () => follow(0));

    // ---- what became slower

    const changes = byId("changes");
    const show = (change: Change): void => {
        change.regions.forEach((wanted, run) => {
            const region = runs[run]?.state.names.regions.findIndex((other) => wanted && isSame(other, wanted)) ?? -1;
            if (region >= 0) runs[run].state.choose({ kind: "region", region });
        });
        if (!change.at || !runs[0] || !runs[1]) return;
        leads = 2;
        change.at.forEach(([from, to], run) => runs[run].state.show(from - (to - from) * 0.1, to + (to - from) * 0.1));
        leads = -1;
        if (fit.value !== "fit") follow(0);
    };
    const tableOf = (list: Change[]): HTMLElement => {
        const table = element("table");
        const head = element("tr");
        for (const title of ["own time of", "A", "B", "change", ""]) head.append(element("th", title));
        table.append(head);
        for (const change of list) {
            const row = element("tr");
            const region = (change.regions[1] ?? change.regions[0])!;
            const name = element("button", region.name, "link");
            const place = showSite(region);
            const more = [
                `waiting: A ${showNs(change.waiting[0])}, B ${showNs(change.waiting[1])}`,
                `visits: A ${showCount(change.count[0])}, B ${showCount(change.count[1])}`,
                change.noise >= 0 ? `by chance: ± ${showNs(change.noise)}` : "",
            ];
            name.title = more.filter(Boolean).join("\n");
            name.addEventListener("click", () => show(change));
            const cell = element("td", "", "name");
            cell.append(name, element("div", place, "place"));
            const waited = change.waiting[1] - change.waiting[0];
            const by = change.own[1] - change.own[0];
            if (by > 0 && waited > by / 2) cell.append(element("div", "most of it waits longer", "place"));
            if (change.count[0] !== change.count[1])
                cell.append(
                    element("div", `${showCount(change.count[0])} → ${showCount(change.count[1])} visits`, "place"),
                );
            row.append(
                cell,
                element("td", showNs(change.own[0])),
                element("td", showNs(change.own[1])),
                element("td", `${by > 0 ? "+" : by < 0 ? "−" : ""}${showNs(Math.abs(by))}`),
                element("td", ratioText(change.own[0], change.own[1])),
            );
            table.append(row);
        }
        return table;
    };
    const more = (change: Change): number => change.own[1] - change.own[0];
    const beyond = compared.changes.filter((change) => change.beyond);
    const slower = beyond.filter((change) => more(change) > 0).sort((a, b) => more(b) - more(a));
    const faster = beyond.filter((change) => more(change) <= 0).sort((a, b) => more(a) - more(b));
    const chance = compared.changes.filter((change) => !change.beyond).sort((a, b) => more(b) - more(a));
    const section = (title: string, list: Change[], open: boolean): void => {
        if (!list.length) return;
        const details = element("details");
        details.open = open;
        details.append(element("summary", `${title} (${list.length})`), tableOf(list));
        changes.append(details);
    };
    changes.append(element("h2", "What became slower"));
    if (slower.length)
        changes.append(element("p", "A name goes to where it is worst, in both runs.", "key"), tableOf(slower));
    else changes.append(element("p", "Nothing beyond what varies by itself."));
    section("What became faster", faster, slower.length === 0);
    section("What differs by no more than chance", chance, false);

    // ---- the rest

    byId("whole").addEventListener("click", () => runs[0]?.state.show(0, runs[0].state.end));
    const dark = (on: boolean): void => {
        if (on !== document.documentElement.classList.contains("dark"))
            document.documentElement.classList.toggle("dark");
        for (const run of runs)
            if (on !== run.document.documentElement.classList.contains("dark"))
                run.document.getElementById("theme")!.click();
        drawBand();
    };
    byId("theme").addEventListener("click", () => dark(!document.documentElement.classList.contains("dark")));
    const panels = byId("panels");
    const showPanels = (on: boolean): void => {
        panels.setAttribute("aria-pressed", String(on));
        for (const run of runs) run.document.documentElement.classList.toggle("bare", !on);
    };
    panels.addEventListener("click", () => showPanels(panels.getAttribute("aria-pressed") !== "true"));

    const fragment = new URLSearchParams(location.hash.slice(1));
    if (fragment.get("shown")) fit.value = fragment.get("shown")!;
    const ready = (run: number) => () => follow(run);
    // One after the other, so that the first is shown soon.
    runs[0] = await startRun(0, ready(0));
    showPanels(window.innerWidth >= WIDE);
    runs[1] = await startRun(1, ready(1));
    showPanels(window.innerWidth >= WIDE);
    dark(
        fragment.get("theme") ? fragment.get("theme") === "dark" : document.documentElement.classList.contains("dark"),
    );
    const [from, to] = (fragment.get("window") ?? "").split("-").map(Number);
    if (to > from) {
        // A run that is opened shows its whole length.
        while (!runs.every((run) => run.state.scanned.done)) await new Promise((done) => setTimeout(done, 30));
        runs[0].state.show(from, to);
    }
    follow(0);
    // For tests and measurements.
    (window as unknown as { refrainCompare: unknown }).refrainCompare = { runs, alignment, compared };
}

if (window.matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
start().catch((error: unknown) => {
    byId("facts").textContent = `The page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
});
