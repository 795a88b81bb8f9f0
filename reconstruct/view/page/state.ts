// state.ts: the state of the page: the window, the choice, and the data received; notifies those who show it of changes.

import { Palette } from "./palette.js";
import type { About, Location, Names, OpenSpan, Reply, Request, Sums, Tile } from "./protocol.js";
import { partsIn, Pyramid, totalsOf } from "./shares.js";

/** The chosen span, message or region; times are those of the run. */
export type Choice =
    | { kind: "span"; location: number; depth: number; from: number; to: number; left: boolean; region: number }
    | {
          kind: "message";
          from: number;
          to: number;
          sent: number;
          received: number;
          bytes: number;
          tag: number;
          comm: number;
          sentIn: number;
          receivedIn: number;
      }
    | { kind: "region"; region: number };

export type Topic = "window" | "data" | "choice" | "legend" | "rows" | "sums" | "theme" | "notes" | "range";

/** A window with more spans is not shown span by span. MOST_TILES: number of windows whose data is kept. */
const MOST_SPANS = 400_000;
const MOST_TILES = 8;
/** A window with more events is not read if the overview is as fine as the pixels, or (MOST_EVENTS_MEANWHILE) soon will be. */
const MOST_EVENTS = 1_000_000;
const MOST_EVENTS_MEANWHILE = 4_000_000;
/** While the window moves, data is requested at this interval. */
const ASK_AFTER_MS = 40;
/** With more events than this, the profile comes from the overview until they are counted. */
const MOST_EVENTS_UNCOUNTED = 200_000;
const ROUGH_INTERVALS = 256;

/** A part of the run. */
export interface Interval {
    from: number;
    to: number;
}

export class State {
    /** Empty until the engine has opened the trace. */
    names: Names = { regions: [], comms: [] };
    palette = new Palette([]);
    locations: Location[] = [];
    /** The end of the run in ns. */
    end = 1;
    from = 0;
    to = 1;
    choice: Choice | null = null;
    /** The interval that the user marked; null: none. */
    range: { from: number; to: number } | null = null;
    overview: Pyramid | null = null;
    scanned = { upTo: 0, events: 0, done: false };
    /** True while a finer overview is being made. */
    refining = false;
    private density: Float64Array = new Float64Array(0);
    /** Sums over the whole run, and over the window or the marked interval. */
    whole: Sums | null = null;
    sums: Sums | null = null;
    tiles: Tile[] = [];
    notes: string[] = [];
    tileMilliseconds = 0;
    private readonly listeners = new Map<Topic, (() => void)[]>();
    private asked = { from: NaN, to: NaN };
    private askedSums = { from: NaN, to: NaN };
    private askedEnd: OpenSpan | null = null;
    private askedBeside = { from: NaN, to: NaN };
    private timer: number | null = null;
    private lastAsked = -Infinity;
    private ids = 0;
    /** The last unanswered request of each kind; a newer one replaces it. */
    private readonly unanswered = new Map<Request["kind"], number>();

    constructor(
        readonly about: About,
        private readonly post: (request: Request) => void,
    ) {
        this.notes = [...about.notes];
    }

    on(topics: Topic[], listener: () => void): void {
        for (const topic of topics) {
            const of = this.listeners.get(topic) ?? [];
            of.push(listener);
            this.listeners.set(topic, of);
        }
    }

    notify(topic: Topic): void {
        for (const listener of this.listeners.get(topic) ?? []) listener();
    }

    /** Moves the window, which stays inside the run and at least 10 ns long. */
    show(from: number, to: number): void {
        const least = Math.min(10, this.end);
        let width = Math.min(Math.max(to - from, least), this.end);
        if (!isFinite(width)) width = this.end;
        from = Math.max(0, Math.min(from, this.end - width));
        if (from === this.from && from + width === this.to) return;
        this.from = from;
        this.to = from + width;
        this.notify("window");
        this.askSoon();
    }

    /** From the last MPI_Init to the first MPI_Finalize; the whole run if this is empty or unknown. */
    get work(): Interval {
        const { report } = this.about;
        const from = Math.max(0, report?.from_ns ?? 0);
        const to = Math.min(this.end, report?.first_finalize_ns ?? report?.to_ns ?? this.end);
        return to > from ? { from, to } : { from: 0, to: this.end };
    }

    choose(choice: Choice | null): void {
        this.choice = choice;
        this.askedEnd = null;
        this.notify("choice");
        this.askSoon();
    }

    mark(range: { from: number; to: number } | null): void {
        this.range = range && range.to > range.from ? range : null;
        this.notify("range");
        this.askSoon();
    }

    /** The data that covers the window: exact, or the finest. */
    tile(): Tile | null {
        let best: Tile | null = null;
        for (const tile of this.tiles)
            if (tile.from <= this.from && tile.to >= Math.min(this.to, this.end) && (!best || better(tile, best)))
                best = tile;
        return best;
    }

    /** True if all requests have been answered. */
    get settled(): boolean {
        return this.scanned.done && this.timer === null && this.unanswered.size === 0;
    }

    private request(request: Exclude<Request, { kind: "open" }>): void {
        this.unanswered.set(request.kind, request.id);
        this.post(request);
    }

    receive(reply: Reply): void {
        if ("id" in reply && this.unanswered.get(reply.kind) === reply.id) this.unanswered.delete(reply.kind);
        switch (reply.kind) {
            case "opened":
                this.locations = reply.locations;
                this.end = Math.max(1, reply.end);
                this.names = reply.names;
                this.palette = new Palette(reply.names.regions);
                this.notify("rows");
                this.show(0, this.end);
                break;
            case "scanned":
                this.scanned = { upTo: reply.upTo, events: reply.events, done: reply.done };
                this.overview = new Pyramid(reply.levels);
                this.density = reply.density;
                this.refining = reply.coarse;
                this.storeSums(reply.sums, reply.done, reply.upTo);
                this.notify("data");
                this.askSoon();
                break;
            case "refined":
                this.overview = new Pyramid(reply.levels);
                this.refining = false;
                this.notify("data");
                this.askSoon();
                break;
            case "tile":
            case "beside":
                this.tiles.push(reply.tile);
                if (this.tiles.length > MOST_TILES) this.tiles.shift();
                if (reply.kind === "tile") this.tileMilliseconds = reply.milliseconds;
                this.notify("data");
                this.askSoon();
                break;
            case "sums":
                if (reply.sums.from !== this.askedSums.from || reply.sums.to !== this.askedSums.to) break;
                this.sums = reply.sums;
                this.notify("sums");
                break;
            case "end":
                if (this.choice?.kind === "span" && sameSpan(this.choice, reply.span)) {
                    this.choice.to = reply.end.to;
                    this.choice.left = reply.end.left;
                    this.notify("choice");
                }
                break;
            case "note":
            case "failed":
                this.note(reply.text);
                break;
        }
    }

    /** Stores sums over the part of the run that was read so far, or over the whole run. */
    private storeSums(sums: Sums, done: boolean, upTo: number): void {
        this.sums = sums;
        if (done) {
            const whole = this.to >= this.end;
            this.end = Math.max(this.end, upTo);
            this.whole = sums;
            this.askedSums = { from: NaN, to: NaN };
            if (whole) this.show(this.from, this.end);
        }
        this.notify("sums");
    }

    note(text: string): void {
        this.notes.push(text);
        this.notify("notes");
    }

    private askSoon(): void {
        if (this.timer !== null) return;
        const wait = Math.max(0, this.lastAsked + ASK_AFTER_MS - performance.now());
        this.timer = window.setTimeout(() => {
            this.timer = null;
            this.lastAsked = performance.now();
            this.ask();
            this.askEnd();
        }, wait);
    }

    /** Number of intervals of a window: about one for each pixel, less for very many ranks. */
    private windowBins(): number {
        return Math.round(Math.max(512, Math.min(2048, (1 << 20) / 1.5 / this.locations.length)));
    }

    /** Requests the end of the chosen span, if it is not in the known data. */
    private askEnd(): void {
        const { choice } = this;
        const tile = this.tile();
        if (choice?.kind !== "span" || isFinite(choice.to) || !tile) return;
        if (this.askedEnd && sameSpan(choice, this.askedEnd)) return;
        const { location, depth, from } = choice;
        this.askedEnd = { location, depth, from, at: tile.to };
        this.request({ kind: "end", id: ++this.ids, ...this.askedEnd });
    }

    /** The approximate number of events before a moment. */
    private eventsBefore(time: number): number {
        const { density } = this;
        let i = 2;
        while (i + 2 < density.length && density[i] < time) i += 2;
        const [t0, n0, t1, n1] = density.subarray(i - 2, i + 2);
        return n0 + (n1 - n0) * Math.max(0, Math.min(1, (time - t0) / Math.max(1, t1 - t0)));
    }

    /** True if the overview suffices: it is fine enough for this many events, or will be before they could be read. */
    private overviewSuffices(from: number, to: number, interval: number): boolean {
        const { overview, density } = this;
        if (!overview || density.length < 4 || !this.scanned.done) return false;
        const events = this.eventsBefore(to) - this.eventsBefore(from);
        const { finest } = overview;
        const fine = (finest.to - finest.from) / finest.bins <= interval;
        return fine ? events > MOST_EVENTS : this.refining && events > MOST_EVENTS_MEANWHILE;
    }

    /** True if there is a tile between two moments that is fine enough. */
    private hasTile(from: number, to: number, wanted: number): boolean {
        return this.tiles.some(
            (tile) =>
                tile.from <= from &&
                tile.to >= Math.min(to, this.end) &&
                (tile.exact || (tile.to - tile.from) / tile.shares.bins <= wanted),
        );
    }

    /** Shows sums of the overview until the events are counted: for a long interval that takes seconds. */
    private setRoughSums(): void {
        const { overview, askedSums } = this;
        if (!overview) return;
        const { from, to } = askedSums;
        const shares = overview.level((to - from) / ROUGH_INTERVALS);
        const parts = partsIn(shares, this.locations.length, from, to);
        const totals = totalsOf(parts, this.names.regions.length);
        this.sums = { from, to, totals, pairs: [], waits: [], parts, events: NaN, rough: true };
        this.notify("sums");
    }

    /** Requests a tile of the window, unless one is fine enough; then one of the time around it; and the sums over the window or
     *  the marked interval. */
    private ask(): void {
        // Without an overview it is unknown whether it suffices.
        if (!this.overview) return;
        const { from, to } = this;
        const width = to - from;
        const bins = this.windowBins();
        const wanted = (width / bins) * 1.4;
        const around = { from: Math.max(0, from - width), to: Math.min(this.end, to + width) };
        const fine = this.hasTile(from, to, wanted);
        const over = this.range ?? { from, to };
        if (!fine && !this.overviewSuffices(from, to, wanted)) {
            if (differ(this, this.asked)) {
                this.asked = { from, to };
                const sums = this.range === null && this.scanned.done;
                if (sums) {
                    this.askedSums = { from, to };
                    this.unanswered.set("sums", this.ids + 1);
                }
                this.request({ kind: "tile", id: ++this.ids, from, to, bins, most: MOST_SPANS, sums });
            }
        } else if (
            fine &&
            !this.hasTile(Math.max(0, from - width / 2), to + width / 2, wanted) &&
            !this.overviewSuffices(around.from, around.to, wanted) &&
            differ(around, this.askedBeside)
        ) {
            this.askedBeside = around;
            this.request({ kind: "beside", id: ++this.ids, ...around, bins: 3 * bins, most: MOST_SPANS });
        }
        if (!this.scanned.done || !differ(over, this.askedSums)) return;
        this.askedSums = { from: over.from, to: over.to };
        if (this.whole && over.from <= 0 && over.to >= this.end) {
            this.sums = this.whole;
            this.unanswered.delete("sums");
            this.notify("sums");
            return;
        }
        this.request({ kind: "sums", id: ++this.ids, ...this.askedSums });
        if (this.eventsBefore(over.to) - this.eventsBefore(over.from) > MOST_EVENTS_UNCOUNTED) this.setRoughSums();
    }
}

const differ = (a: Interval, b: Interval): boolean => a.from !== b.from || a.to !== b.to;

function sameSpan(a: Omit<OpenSpan, "at">, b: Omit<OpenSpan, "at">): boolean {
    return a.location === b.location && a.depth === b.depth && a.from === b.from;
}

function better(a: Tile, b: Tile): boolean {
    if ((a.exact !== null) !== (b.exact !== null)) return a.exact !== null;
    return a.to - a.from < b.to - b.from;
}
