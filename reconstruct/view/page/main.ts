// main.ts: unpacks the data in the page, starts the worker, and connects the parts of the page.

import { zoom, zoomIdentity, type D3ZoomEvent } from "d3-zoom";
import { select } from "d3-selection";
import { CriticalPath } from "./critical.js";
import { element } from "./elements.js";
import { detailsElement, Panels } from "./panels.js";
import { unpack } from "./unpack.js";
import { ofMessage, ofShares, ofSpan } from "./details.js";
import { showCount, showMoment, showNs, showSite } from "./format.js";
import { Navigate } from "./navigate.js";
import { Overview } from "./overview.js";
import type { About, Reply, Request } from "./protocol.js";
import { Records } from "./records.js";
import { Rows, type Order } from "./rows.js";
import { State } from "./state.js";
import { Timeline, type Colours } from "./timeline.js";

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

// ---- the worker

function startWorker(): Worker {
    const source = new Blob([byId("worker-source").textContent!], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(source));
}

const REFINE_AFTER_MS = 1500;

// ---- colours

function readColours(): Colours {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string): string => style.getPropertyValue(name).trim();
    const paperCss = value("--paper");
    const full = paperCss.length === 4 ? paperCss.replace(/[0-9a-f]/gi, "$&$&") : paperCss;
    return {
        paper: {
            red: parseInt(full.slice(1, 3), 16),
            green: parseInt(full.slice(3, 5), 16),
            blue: parseInt(full.slice(5, 7), 16),
        },
        paperCss,
        ink: value("--ink"),
        faint: value("--soft"),
        message: value("--ink"),
        chosen: value("--chosen"),
    };
}

const KEYS: [string, string][] = [
    ["← →", "earlier, later"],
    ["+ −", "closer, farther; the wheel does it around the pointer"],
    ["0", "the whole run"],
    ["i", "from the last MPI_Init to the first MPI_Finalize, as the page opens"],
    ["Enter", "the window is what is chosen or marked"],
    ["n p", "next, previous event: on this rank and level, of this region, message after message"],
    ["↑ ↓", "the same moment on the rank above, below"],
    ["[ ]", "what called it, what it called first"],
    ["m", "along the message: to the sender, to the receiver"],
    ["w W", "the longest waits, one after the other"],
    ["/", "find a function, MPI call or file"],
    ["PgUp PgDn", "further ranks; Shift and wheel does it too, Ctrl and wheel makes rows higher"],
    ["Shift+drag", "mark an interval: its length and its profile"],
    ["s", "mark the time of the chosen bar, or the window"],
    ["Esc", "choose and mark nothing"],
    ["l", "light or dark"],
];

async function start(): Promise<void> {
    const about = JSON.parse(new TextDecoder().decode(await unpack("data-about"))) as About;
    document.title = `${about.program} – refrain view`;
    byId("title").textContent = about.program;
    document.documentElement.classList.toggle("of-two", window.parent !== window);
    const worker = startWorker();
    const state = new State(about, (request: Request) => worker.postMessage(request));
    let colours = readColours();
    const rows = new Rows(state);
    const timeline = new Timeline(state, rows, byId("bars"), byId("marks"), byId("labels"),
                                  document.getElementById("axis") as unknown as SVGSVGElement, () => colours); // prettier-ignore
    new Overview(state, byId("overview"), byId("frame"), () => colours);
    const speak = (text: string): void => {
        byId("spoken").textContent = text;
        byId("status").textContent = text;
    };
    const navigate = new Navigate(state, speak);
    new CriticalPath(state, navigate, byId("critical"));
    const panels = new Panels(state, timeline, navigate);
    const marks = timeline.marks;

    // ---- notes and facts

    const fillNotes = (): void => byId("notes").replaceChildren(...state.notes.map((note) => element("p", note)));
    state.on(["notes"], fillNotes);
    fillNotes();
    const fillFacts = (): void => {
        const threads = state.locations.length > about.processes.length ? `, ${state.locations.length} threads` : "";
        const length = state.locations.length ? `, ${showNs(state.end)}` : "";
        const events = state.scanned.events ? `, ${showCount(state.scanned.events)} events` : "";
        byId("facts").textContent =
            `${about.size} rank${about.size === 1 ? "" : "s"}${threads}${length}${events}, ${about.started}`;
        byId("facts").title = about.path;
        byId("progress").textContent = state.scanned.done
            ? timeline.bundled
                ? `${showCount(timeline.bundled)} messages, bundled: come closer to see each`
                : state.tile()?.exact
                  ? ""
                  : "shares of time: come closer to see each event"
            : state.locations.length
              ? `reading: ${((100 * Math.min(state.scanned.upTo, state.end)) / state.end).toFixed(0)} %`
              : "";
        marks.setAttribute("aria-label", timeline.describe());
    };
    // Scroll to the row of the chosen span.
    state.on(["choice"], () => {
        if (state.choice?.kind === "span") rows.reveal(rows.rowOf(state.choice.location), timeline.height);
    });
    state.on(["data", "rows", "window", "sums"], () => requestAnimationFrame(() => requestAnimationFrame(fillFacts)));

    // ---- zoom and drag

    const base = (): number => timeline.width / state.end;
    const behaviour = zoom<HTMLCanvasElement, unknown>()
        .scaleExtent([1, 1e12])
        .filter((event: MouseEvent) => !event.ctrlKey && !event.shiftKey && !event.button)
        .wheelDelta((event: WheelEvent) => -event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002))
        .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
            if (!event.sourceEvent) return;
            const { k, x } = event.transform;
            state.show(-x / (k * base()), (timeline.width - x) / (k * base()));
        });
    select(marks).call(behaviour).on("dblclick.zoom", null);
    const setZoom = (): void => {
        behaviour
            .translateExtent([
                [0, -Infinity],
                [timeline.width, Infinity],
            ])
            .extent([
                [0, 0],
                [timeline.width, timeline.height],
            ]);
        behaviour.scaleExtent([1, Math.max(1, state.end / 10)]);
        const k = state.end / (state.to - state.from);
        (marks as unknown as { __zoom: unknown }).__zoom = zoomIdentity.translate(-state.from * k * base(), 0).scale(k);
    };
    state.on(["window", "rows", "data"], setZoom);
    marks.addEventListener("wheel", (event) => {
        event.preventDefault();
        if (event.ctrlKey) rows.stretch(Math.exp(-event.deltaY * 0.003), event.offsetY, timeline.height);
        else if (event.shiftKey) rows.scroll += event.deltaY || event.deltaX;
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const by = (event.deltaX / timeline.width) * (state.to - state.from);
            state.show(state.from + by, state.to + by);
            return;
        } else return;
        timeline.draw();
    }, { passive: false }); // prettier-ignore

    // ---- pointer: tips, choice, ruler

    const tip = byId("tip");
    const placeTip = (event: PointerEvent, parts: HTMLElement[] | null): void => {
        tip.hidden = !parts;
        if (!parts) return;
        tip.replaceChildren(...parts);
        const box = tip.getBoundingClientRect();
        tip.style.left = `${Math.max(2, Math.min(event.clientX + 14, window.innerWidth - box.width - 6))}px`;
        const below = event.clientY + 18;
        tip.style.top = `${Math.max(2, below + box.height > window.innerHeight ? event.clientY - box.height - 10 : below)}px`;
    };
    const exactRecords = (): Records | null => {
        const tile = state.tile();
        return tile?.exact ? Records.of(tile.exact) : null;
    };
    let ruler: number | null = null;
    let pressed: { x: number; y: number } | null = null;
    marks.addEventListener("pointerdown", (event) => {
        pressed = { x: event.offsetX, y: event.offsetY };
        if (!event.shiftKey || event.button) return;
        marks.setPointerCapture(event.pointerId);
        ruler = timeline.timeAt(event.offsetX);
    });
    marks.addEventListener("pointermove", (event) => {
        const { offsetX: x, offsetY: y } = event;
        timeline.pointer = { x, y };
        timeline.draw();
        const time = timeline.timeAt(x);
        if (ruler !== null) {
            timeline.drag = { from: ruler, to: time };
            return;
        }
        const row = rows.at(y);
        byId("status").textContent = showMoment(time);
        if (row < 0 || event.buttons) return placeTip(event, null);
        const records = exactRecords();
        const message = timeline.messageAt(x, y);
        if (message) {
            const details = ofMessage(state, message);
            if (message.count > 1)
                details.title = `${showCount(message.count)} messages from about here to about there; the first`;
            return placeTip(event, detailsElement(details));
        }
        const { locations } = rows.rows[row];
        const span =
            records && locations.length === 1 ? records.spanAt(locations[0], time, timeline.depthAt(row, y)) : null;
        if (span) return placeTip(event, detailsElement(ofSpan(state, records!, span)));
        const pixel = (state.to - state.from) / timeline.width;
        const shares =
            records && locations.length === 1
                ? null
                : ofShares(state, state.tile(), locations, time - pixel, time + pixel);
        placeTip(event, shares ? detailsElement(shares) : null);
    });
    marks.addEventListener("pointerleave", () => {
        timeline.pointer = null;
        tip.hidden = true;
        timeline.draw();
    });
    marks.addEventListener("pointerup", () => {
        if (ruler === null) return;
        const drag = timeline.drag;
        ruler = timeline.drag = null;
        if (drag)
            state.mark({
                from: Math.max(0, Math.min(drag.from, drag.to)),
                to: Math.min(state.end, Math.max(drag.from, drag.to)),
            });
        reportMark();
    });
    marks.addEventListener("click", (event) => {
        if (event.shiftKey || (pressed && Math.hypot(event.offsetX - pressed.x, event.offsetY - pressed.y) > 4)) return;
        const { offsetX: x, offsetY: y } = event;
        const message = timeline.messageAt(x, y);
        if (message) {
            state.choose({ kind: "message", ...message });
            return panels.open("chosen");
        }
        const row = rows.at(y);
        const records = exactRecords();
        if (row < 0 || !records || rows.rows[row].locations.length > 1) return state.choose(null);
        const span = records.spanAt(rows.rows[row].locations[0], timeline.timeAt(x), timeline.depthAt(row, y));
        if (!span) return state.choose(null);
        navigate.chooseSpan(records, span);
        panels.open("chosen");
    });
    const showChosen = (): void => {
        const { choice, range } = state;
        if (choice?.kind === "span" || choice?.kind === "message") {
            const from = choice.kind === "span" ? choice.from : choice.sent;
            const to = Math.min(choice.kind === "span" ? choice.to : choice.received, state.end);
            state.show(from - (to - from) * 0.1, to + (to - from) * 0.1);
        } else if (range) state.show(range.from, range.to);
    };
    marks.addEventListener("dblclick", showChosen);

    // ---- keys and buttons

    const moveRow = (by: number): void => {
        const { choice } = state;
        const row = choice?.kind === "span" ? rows.rowOf(choice.location) + by : 0;
        if (row < 0 || row >= rows.rows.length) return;
        navigate.across(rows.rows[row].locations[0]);
    };
    const pan = (part: number): void => {
        const by = (state.to - state.from) * part;
        state.show(state.from + by, state.to + by);
    };
    const scale = (factor: number): void => {
        const middle = (state.from + state.to) / 2;
        const half = ((state.to - state.from) / 2) * factor;
        state.show(middle - half, middle + half);
    };
    const reportMark = (): void => {
        if (!state.range) return;
        panels.open("profile");
        speak(
            `marked ${showNs(state.range.to - state.range.from)} from ${showMoment(state.range.from)}: Enter goes there`,
        );
    };
    const markChosen = (): void => {
        const { choice, from, to } = state;
        if (choice?.kind === "span") state.mark({ from: choice.from, to: Math.min(choice.to, state.end) });
        else if (choice?.kind === "message" && isFinite(choice.received))
            state.mark({ from: choice.sent, to: choice.received });
        else state.mark({ from, to });
        reportMark();
    };
    const showWait = (direction: 1 | -1): void => {
        navigate.longest(direction);
        if (state.choice) panels.open("chosen");
    };
    const toggleTheme = (): void => {
        document.documentElement.classList.toggle("dark");
        colours = readColours();
        state.notify("theme");
    };
    const keys = byId<HTMLDialogElement>("keys");
    const listKeys = element("dl");
    for (const [key, text] of KEYS) {
        const name = element("dt");
        name.append(element("kbd", key));
        listKeys.append(name, element("dd", text));
    }
    const close = element("button", "Close");
    close.addEventListener("click", () => keys.close());
    keys.append(element("h2", "Keys"), listKeys, close);
    const actions: Record<string, () => void> = {
        ArrowLeft: () => pan(-0.2),
        ArrowRight: () => pan(0.2),
        ArrowUp: () => moveRow(-1),
        ArrowDown: () => moveRow(1),
        "+": () => scale(0.6),
        "=": () => scale(0.6),
        "-": () => scale(1 / 0.6),
        "0": () => state.show(0, state.end),
        i: () => state.show(state.work.from, state.work.to),
        Home: () => state.show(0, state.to - state.from),
        End: () => state.show(state.end - (state.to - state.from), state.end),
        Enter: showChosen,
        n: () => navigate.step(1),
        p: () => navigate.step(-1),
        "[": () => navigate.nest(-1),
        "]": () => navigate.nest(1),
        m: () => navigate.follow(),
        w: () => showWait(1),
        W: () => showWait(-1),
        "/": () => byId("search").focus(),
        PageUp: () => ((rows.scroll -= timeline.height * 0.8), timeline.draw()),
        PageDown: () => ((rows.scroll += timeline.height * 0.8), timeline.draw()),
        s: markChosen,
        Escape: () => (state.choose(null), state.mark(null)),
        l: toggleTheme,
        "?": () => keys.showModal(),
    };
    document.addEventListener("keydown", (event) => {
        const target = event.target as HTMLElement;
        if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, dialog")) return;
        if (event.key === "Enter" && target.closest("button, summary")) return;
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    });
    byId("next").addEventListener("click", actions.n);
    byId("previous").addEventListener("click", actions.p);
    byId("longest").addEventListener("click", actions.w);
    byId("whole").addEventListener("click", actions["0"]);
    byId("work").addEventListener("click", actions.i);
    byId("theme").addEventListener("click", toggleTheme);
    byId("help").addEventListener("click", actions["?"]);
    const order = byId<HTMLSelectElement>("order");
    order.addEventListener("change", () =>
        order.value === "folded" ? rows.set("rank", true) : rows.set(order.value as Order, false),
    );

    // ---- search

    const search = byId<HTMLInputElement>("search");
    const found = byId("found");
    let hits: number[] = [];
    const pick = (hit: number): void => {
        state.choose({ kind: "region", region: hits[hit] });
        panels.open("chosen");
        navigate.step(1);
        found.hidden = true;
        marks.focus();
    };
    const look = (): void => {
        const text = search.value.trim().toLowerCase();
        hits = [];
        if (text)
            for (const group of state.palette.groups) {
                const region = group.regions.find((r) => {
                    const info = state.names.regions[r];
                    return (
                        info && (info.name.toLowerCase().includes(text) || showSite(info).toLowerCase().includes(text))
                    );
                });
                if (region !== undefined) hits.push(region);
            }
        found.replaceChildren(
            ...hits.slice(0, 30).map((region, i) => {
                const info = state.names.regions[region];
                const item = element("li", `${info.name}  ${showSite(info)}`);
                item.setAttribute("role", "option");
                item.setAttribute("aria-selected", String(i === 0));
                item.addEventListener("pointerdown", () => pick(i));
                return item;
            }),
        );
        const box = search.getBoundingClientRect();
        found.style.left = `${box.left}px`;
        found.style.top = `${box.bottom + 2}px`;
        found.hidden = hits.length === 0;
    };
    search.addEventListener("input", look);
    search.addEventListener("blur", () => setTimeout(() => (found.hidden = true), 150));
    search.addEventListener("keydown", (event) => {
        const selected = [...found.children].findIndex((item) => item.getAttribute("aria-selected") === "true");
        if (event.key === "Enter" && hits.length) pick(Math.max(0, selected));
        else if (event.key === "Escape") marks.focus();
        else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            const next = selected + (event.key === "ArrowDown" ? 1 : -1);
            if (next < 0 || next >= found.children.length) return;
            found.children[selected]?.setAttribute("aria-selected", "false");
            found.children[next].setAttribute("aria-selected", "true");
            event.preventDefault();
        }
    });

    // ---- the fragment of the address: the same window again

    let fragment = new URLSearchParams(location.hash.slice(1));
    const applyFragment = (): void => {
        const [from, to] = (fragment.get("window") ?? "").split("-").map(Number);
        const wanted = fragment.get("ranks");
        if (wanted) {
            order.value = wanted;
            order.dispatchEvent(new Event("change"));
        }
        if (
            fragment.get("theme") &&
            (fragment.get("theme") === "dark") !== document.documentElement.classList.contains("dark")
        )
            toggleTheme();
        if (isFinite(from) && to > from) state.show(from, to);
        // The page of one of two runs follows the other page instead.
        else if (window.parent === window) state.show(state.work.from, state.work.to);
        const [l, depth, time] = (fragment.get("chosen") ?? "").split(",").map(Number);
        if (isFinite(time)) {
            const restore = (): void => {
                const records = exactRecords();
                const span = records && state.choice === null ? records.spanAt(l, time, depth) : null;
                if (span) navigate.chooseSpan(records!, span);
            };
            state.on(["data"], restore);
        }
    };
    let opened = false;
    let writing: number | undefined;
    const writeFragment = (): void => {
        // The page of one of two runs has no address of its own.
        if (!opened || window.parent !== window) return;
        clearTimeout(writing);
        writing = window.setTimeout(() => {
            const parts = new URLSearchParams();
            parts.set("window", `${Math.round(state.from)}-${Math.round(state.to)}`);
            if (order.value !== "rank") parts.set("ranks", order.value);
            if (fragment.get("theme")) parts.set("theme", fragment.get("theme")!);
            if (state.choice?.kind === "span")
                parts.set("chosen", `${state.choice.location},${state.choice.depth},${Math.ceil(state.choice.from)}`);
            const hash = `#${parts.toString().replace(/%2C/g, ",")}`;
            if (hash !== location.hash) history.replaceState(null, "", hash);
        }, 200);
    };
    state.on(["window", "choice", "rows"], writeFragment);
    window.addEventListener("hashchange", () => {
        fragment = new URLSearchParams(location.hash.slice(1));
        state.choice = null;
        applyFragment();
    });

    // ---- the worker

    worker.addEventListener("message", (event: MessageEvent<Reply>) => {
        state.receive(event.data);
        if (event.data.kind === "opened") {
            applyFragment();
            opened = true;
        }
        if (event.data.kind === "scanned" && event.data.done && (rows.folded || rows.order !== "rank"))
            rows.set(rows.order, rows.folded);
    });
    worker.addEventListener("error", (event) => state.note(`The reading library failed: ${event.message}`));
    if (typeof WebAssembly === "undefined") {
        state.note(
            "This browser has no WebAssembly (or it is switched off): the picture cannot be drawn. The program, its times and its formulas are shown beside.",
        );
        panels.open("program");
        return;
    }
    /** Moves the data to the worker, so that this thread keeps no copy. */
    const open = async (who: Worker, to: "show" | "refine"): Promise<void> => {
        const blobs = await Promise.all(about.processes.map((_, i) => unpack(`data-rank-${i}`)));
        const [wasm, symbols] = await Promise.all([unpack("data-wasm"), unpack("data-symbols")]);
        const isAhead = to === "show" && document.getElementById("data-ahead") !== null;
        const ahead = isAhead ? await unpack("data-ahead") : null;
        const names = about.processes.map((p) => `rank ${p.rank}`);
        const request: Request = { kind: "open", to, wasm, blobs, names, symbols, ahead };
        who.postMessage(request, [...blobs, wasm, symbols, ...(ahead ? [ahead] : [])]);
    };
    await open(worker, "show");
    // A second worker makes a finer overview than the one in the page, after the window has been shown.
    let refines = false;
    state.on(["data"], () => {
        if (!state.refining || refines) return;
        refines = true;
        setTimeout(() => {
            const other = startWorker();
            other.addEventListener("message", (event: MessageEvent<Reply>) => {
                if (event.data.kind === "refined") state.receive(event.data);
                other.terminate();
            });
            void open(other, "refine");
        }, REFINE_AFTER_MS);
    });
    // For tests and measurements.
    (window as unknown as { refrainView: unknown }).refrainView = { state, rows, timeline, navigate };
}

if (window.matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
start().catch((error: unknown) => {
    byId("notes").textContent = `The page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
});
