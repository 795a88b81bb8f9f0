// worker.ts: replays the run in a thread beside the page: once from end to end for the overview, then each window that the
// page requests.

import { readAhead, type Ahead } from "./ahead.js";
import { Engine, List, Step, type Checkpoint } from "./engine.js";
import {
    COLLECTIVE_BYTES,
    END_BYTES,
    FLAG_OPEN,
    MESSAGE_BYTES,
    OPERATION_BYTES,
    PAIR_BYTES,
    SEGMENT_BYTES,
    SHARE_BYTES,
    SPAN_BYTES,
    TOTAL_BYTES,
    WAIT_BYTES,
    type End,
    type Exact,
    type Pair,
    type Reply,
    type Request,
    type Shares,
    type Sums,
    type Total,
    type Wait,
} from "./protocol.js";
import { SPAN_WORDS } from "./records.js";
import { levelsOf, partsIn, ShareCollector } from "./shares.js";

const STEP_EVENTS = 10_000;
/** Intervals of a window that is read only for its sums. Shares are rounded to 1/65535 of an interval. */
const SUMS_BINS = 256;
/** Most intervals of the overview: of all locations together, and of one location. */
const MOST_BINS = 1 << 21;
const MOST_LOCATION_BINS = 1 << 15;
/** Least number of events between two checkpoints, and the same for each location; limit for the bytes of checkpoints. */
const KEPT_EVENTS = 100_000;
const KEPT_LOCATION_EVENTS = 200;
const KEPT_BYTES = 96 << 20;
/** If so many events had to be replayed before a window, the state before it is kept, and near states beside it. */
const WORTH_KEEPING = 100_000;
/** Near states are about half a window apart, over NEAR_WINDOWS windows on both sides. A window counts as LEAST_NEAR_EVENTS
 *  to MOST_NEAR_EVENTS events here. NEAR_BYTES limits the memory of near states. */
const LEAST_NEAR_EVENTS = 20_000;
const MOST_NEAR_EVENTS = 100_000;
const NEAR_A_WINDOW = 2;
const NEAR_WINDOWS = 6;
const NEAR_BYTES = 48 << 20;
/** Interval at which the worker lets requests arrive. */
const BREATHE_MS = 10;
/** The first part of the overview is shown after this time, the next ones after twice the time before. */
const REPORT_MS = 250;

const send = (reply: Reply, transfer: Transferable[] = []): void =>
    (self as unknown as Worker).postMessage(reply, transfer);

/** Lets messages of the page arrive. */
const breathe = (): Promise<void> =>
    new Promise((resolve) => {
        const channel = new MessageChannel(); // setTimeout would take 4 ms
        channel.port1.onmessage = () => {
            channel.port1.close();
            resolve();
        };
        channel.port2.postMessage(0);
    });

function reportUnseen(waits: number): void {
    if (waits > 0)
        send({
            kind: "note",
            text: `Waits of senders that are not shown, since they were found out too late: ${waits}. refrain stats has them.`,
        });
}

const keyOf = (location: number, depth: number, from: number): string => `${location} ${depth} ${from}`;

class Chunks {
    private readonly chunks: Uint8Array[] = [];
    private bytes = 0;
    add(chunk: Uint8Array): void {
        if (chunk.length) this.chunks.push(chunk);
        this.bytes += chunk.length;
    }
    get length(): number {
        return this.bytes;
    }
    join(): Uint8Array<ArrayBuffer> {
        const whole = new Uint8Array(this.bytes);
        let at = 0;
        for (const chunk of this.chunks) {
            whole.set(chunk, at);
            at += chunk.length;
        }
        return whole;
    }
}

/** Puts records into groups, keeping their order: first[g] to first[g + 1] of the order are those of group g. */
function group(n: number, groups: number, groupOf: (i: number) => number): { first: Uint32Array; order: Uint32Array } {
    const first = new Uint32Array(groups + 1);
    for (let i = 0; i < n; i++) first[groupOf(i) + 1]++;
    for (let g = 0; g < groups; g++) first[g + 1] += first[g];
    const next = first.slice();
    const order = new Uint32Array(n);
    for (let i = 0; i < n; i++) order[next[groupOf(i)]++] = i;
    return { first, order };
}

type Asked = Exclude<Request, { kind: "open" }>;
type Tiles = Asked & { kind: "tile" | "beside" };

/** The order in which requests are served. A request that is being served gives way to one of its own or an earlier kind. */
const ORDER: Asked["kind"][] = ["tile", "end", "sums", "beside"];
const rankOf = (request: Asked): number => ORDER.indexOf(request.kind);

class Replayer {
    /** By time; the first one is the beginning. */
    private kept: Checkpoint[] = [];
    private keptEvery: number;
    private scan: ShareCollector | null = null;
    private scannedUpTo = 0;
    private end = 0;
    /** Ends of the spans that were open when a checkpoint was taken. */
    private readonly ends = new Map<string, End>();
    private waiting: Asked[] = [];
    private busy = false;
    private breathed = 0;
    /** The state before the window that was shown last, and further states near this window. */
    private here: Checkpoint | null = null;
    private near: Checkpoint[] = [];
    private shown: { from: number; to: number; events: number } | null = null;

    constructor(private readonly engine: Engine) {
        this.keptEvery = Math.max(KEPT_EVENTS, engine.nLocations * KEPT_LOCATION_EVENTS);
    }

    private keepBeginning(): void {
        this.kept.push({ ...this.engine.keep(), at: -Infinity });
    }

    /** Uses the overview, sums and checkpoints that refrain view put into the page, so that only windows are replayed. */
    useAhead(ahead: Ahead, checkpoints: Checkpoint[]): void {
        const { engine } = this;
        this.keepBeginning();
        this.kept.push(...checkpoints);
        this.end = Math.max(engine.end, ahead.last);
        this.scannedUpTo = Infinity;
        addEnds(this.ends, ahead.ends);
        const levels = levelsOf(ahead.overview, engine.nLocations, 64);
        const sums = sumsIn(
            0,
            this.end,
            ahead.events,
            ahead.totals,
            ahead.pairs,
            ahead.nPairs,
            ahead.waits,
            ahead.nWaits,
            partsIn(ahead.overview, engine.nLocations, 0, this.end),
        );
        const density = Float64Array.from([
            0,
            0,
            ...checkpoints.flatMap(({ at, events }) => [at, events]),
            this.end,
            ahead.events,
        ]);
        send(
            {
                kind: "scanned",
                upTo: this.end,
                events: ahead.events,
                done: true,
                levels,
                sums,
                density,
                coarse: ahead.overview.bins < this.finestBins(),
            },
            levels.flatMap((level) => [level.index.buffer, level.words.buffer]),
        );
        reportUnseen(ahead.unseen);
        void this.serve();
    }

    /** Number of intervals of the overview that a replay of the whole run makes. */
    private finestBins(): number {
        const { nLocations } = this.engine;
        return Math.max(
            256,
            Math.min(MOST_LOCATION_BINS, 1 << Math.floor(Math.log2(MOST_BINS / Math.max(1, nLocations)))),
        );
    }

    /** Replays the run only for a finer overview. */
    async refine(): Promise<void> {
        const { engine } = this;
        const bins = this.finestBins();
        const collector = new ShareCollector(0, engine.end, bins, engine.nLocations);
        engine.window(0, engine.end, bins, false);
        while (engine.step(STEP_EVENTS) === Step.More) collector.add(engine.drain(List.Shares, SHARE_BYTES));
        engine.finish(true);
        collector.add(engine.drain(List.Shares, SHARE_BYTES));
        const levels = levelsOf(collector.finish(), engine.nLocations, 64);
        send(
            { kind: "refined", levels },
            levels.flatMap((level) => [level.index.buffer, level.words.buffer]),
        );
    }

    async run(): Promise<void> {
        const { engine } = this;
        this.end = engine.end;
        this.keepBeginning();
        const bins = this.finestBins();
        const collector = new ShareCollector(0, this.end, bins, engine.nLocations);
        this.scan = collector;
        engine.window(0, this.end, bins, false);
        const started = performance.now();
        let nextReport = REPORT_MS;
        let kept = 0;
        for (;;) {
            const step = engine.step(STEP_EVENTS);
            collector.add(engine.drain(List.Shares, SHARE_BYTES));
            this.collectEnds(this.ends);
            this.scannedUpTo = engine.last;
            if (step !== Step.More) break;
            if (engine.events - kept >= this.keptEvery) {
                kept = engine.events;
                this.keep(engine.keep());
                engine.mark(false);
            }
            const now = performance.now();
            if (now - started > nextReport) {
                nextReport = 2 * (now - started);
                this.report(collector, this.scannedUpTo, false);
            }
            await breathe();
            if (this.servable() >= 0) {
                const reached = engine.keep();
                await this.serve();
                engine.restore(reached);
                engine.drop(reached);
            }
        }
        engine.finish(true);
        collector.add(engine.drain(List.Shares, SHARE_BYTES));
        this.collectEnds(this.ends);
        this.end = Math.max(this.end, engine.last);
        this.scannedUpTo = Infinity;
        this.report(collector, this.end, true);
        const damage = engine.check();
        if (damage) send({ kind: "note", text: `The run is shown up to where the trace is damaged: ${damage}` });
        reportUnseen(engine.unseen);
        this.scan = null;
        await this.serve();
    }

    /** Sends the overview and the sums of the part of the run that has been scanned. */
    private report(collector: ShareCollector, upTo: number, done: boolean): void {
        const { engine } = this;
        const levels = levelsOf(collector.finish(), engine.nLocations, 64);
        send(
            {
                kind: "scanned",
                upTo,
                events: engine.events,
                done,
                levels,
                sums: this.sums(0, upTo, levels[0]),
                density: Float64Array.from([0, 0, upTo, engine.events]),
                coarse: false,
            },
            levels.flatMap((level) => [level.index.buffer, level.words.buffer]),
        );
    }

    /** Adds a checkpoint. If checkpoints take too much memory, drops every second one, and makes half as many from now on. */
    private keep(checkpoint: Checkpoint): void {
        const { engine } = this;
        const after = this.kept.findIndex((other) => other.at > checkpoint.at);
        this.kept.splice(after < 0 ? this.kept.length : after, 0, checkpoint);
        if (engine.keptBytes - sumOf(this.near) <= KEPT_BYTES) return;
        const stays = (i: number): boolean => i === 0 || i % 2 === 1;
        this.kept.forEach((one, i) => stays(i) || engine.drop(one));
        this.kept = this.kept.filter((_, i) => stays(i));
        this.keptEvery *= 2;
    }

    /** A newer request replaces an older one of its kind. A request for a tile with sums also replaces one for sums. */
    ask(request: Asked): void {
        const replaces = (other: Asked): boolean =>
            other.kind === request.kind || (request.kind === "tile" && request.sums && other.kind === "sums");
        this.waiting = this.waiting.filter((other) => !replaces(other));
        this.waiting.push(request);
        this.waiting.sort((a, b) => rankOf(a) - rankOf(b));
        if (!this.scan && !this.busy) void this.serve();
    }

    /** The index of the first request that can be served, since its window has been scanned; -1: none. */
    private servable(): number {
        return this.waiting.findIndex(
            (request) => !this.scan || (request.kind !== "end" && request.to <= this.scannedUpTo),
        );
    }

    /** Serves the requests for windows that have been scanned. Then prepares for windows that may be requested next. */
    private async serve(): Promise<void> {
        this.busy = true;
        for (;;) {
            const at = this.servable();
            if (at >= 0) {
                const [request] = this.waiting.splice(at, 1);
                if (request.kind === "end") await this.endOf(request);
                else if (request.kind === "sums") await this.sumsOf(request);
                else await this.tile(request);
            } else if (this.scan || (await this.prepare())) break;
        }
        this.busy = false;
    }

    /** Lets requests arrive, if BREATHE_MS have passed. */
    private async listen(): Promise<void> {
        const now = performance.now();
        if (now - this.breathed < BREATHE_MS) return;
        await breathe();
        this.breathed = performance.now();
    }

    /** True if the request has to give way to another one. It is then served later, unless a newer one replaces it. */
    private async givesWay(request: Asked): Promise<boolean> {
        await this.listen();
        const [first] = this.waiting;
        if (!first || rankOf(first) > rankOf(request)) return false;
        const replaced = this.waiting.some(
            (other) => other.kind === request.kind || (other.kind === "tile" && other.sums && request.kind === "sums"),
        );
        if (!replaced) this.ask(request);
        return true;
    }

    /** The last checkpoint at or before a moment. */
    private stateBefore(from: number): Checkpoint {
        let best = this.kept[0];
        for (const state of [...this.kept, ...this.near]) if (state.at <= from && state.at >= best.at) best = state;
        return best;
    }

    private goTo(from: number): Checkpoint {
        const best = this.stateBefore(from);
        this.engine.restore(best);
        return best;
    }

    /** Returns a function to be called after each step towards the moment `from`. If the next step would pass this moment, the
     *  function keeps the state, so that windows near it are shown at once. */
    private keeper(from: number, restored: Checkpoint): () => void {
        const { engine } = this;
        let before = restored.at;
        let kept = this.scan !== null;
        return () => {
            const now = engine.last;
            const next = now + (now - before);
            before = now;
            if (kept || next < from || now > from) return;
            kept = true;
            if (engine.events - restored.events < WORTH_KEEPING) return;
            this.here = engine.keep();
            this.keep(this.here);
            this.near.forEach((state) => engine.drop(state));
            this.near = [];
        };
    }

    private async tile(request: Tiles): Promise<void> {
        const { engine } = this;
        const started = performance.now();
        const { from, to } = request;
        // The visible window is requested first, then the time beside it: keep the state before both.
        const keepOnTheWay = this.keeper(from - (request.kind === "tile" ? to - from : 0), this.goTo(from));
        const before = engine.events;
        engine.window(from, to, request.bins, true);
        const collector = new ShareCollector(from, to, request.bins, engine.nLocations);
        const lists: [List, number, Chunks][] = [
            [List.Spans, SPAN_BYTES, new Chunks()],
            [List.Segments, SEGMENT_BYTES, new Chunks()],
            [List.Operations, OPERATION_BYTES, new Chunks()],
            [List.Messages, MESSAGE_BYTES, new Chunks()],
            [List.Collectives, COLLECTIVE_BYTES, new Chunks()],
        ];
        let exact = true;
        let first = before;
        let step: Step;
        do {
            step = engine.step(STEP_EVENTS);
            if (step !== Step.More) engine.finish(step === Step.Ended);
            collector.add(engine.drain(List.Shares, SHARE_BYTES));
            for (const [list, bytes, chunks] of lists) chunks.add(engine.drain(list, bytes));
            if (engine.last < from) first = engine.events;
            if (step === Step.More) keepOnTheWay();
            if (exact && lists[0][2].length / SPAN_BYTES > request.most) {
                exact = false;
                engine.keepSpans(false);
            }
            if (await this.givesWay(request)) return;
        } while (step === Step.More);
        const shares = collector.finish();
        const tile = {
            from,
            to,
            shares,
            exact: exact ? this.exact(lists.map(([, , chunks]) => chunks.join())) : null,
        };
        const sums = request.kind === "tile" && request.sums ? this.sums(from, to, shares) : null;
        const transfer: Transferable[] = [shares.index.buffer, shares.words.buffer];
        if (tile.exact)
            for (const value of Object.values(tile.exact))
                if (value instanceof ArrayBuffer) transfer.push(value);
                else if (value instanceof Uint32Array) transfer.push(value.buffer);
        send({ kind: request.kind, id: request.id, tile, milliseconds: performance.now() - started }, transfer);
        if (request.kind === "beside") return;
        this.shown = { from, to, events: engine.events - first };
        if (sums) send({ kind: "sums", id: request.id, sums });
    }

    /** Keeps states around the window that was shown last, so that a replay of a window near it begins near it. False: a request
     *  has arrived meanwhile. */
    private async prepare(): Promise<boolean> {
        const { shown, here } = this;
        if (!shown || !here) return true;
        const window = Math.max(LEAST_NEAR_EVENTS, Math.min(MOST_NEAR_EVENTS, shown.events));
        const reach = ((shown.to - shown.from) * NEAR_WINDOWS * window) / Math.max(1, Math.min(window, shown.events));
        const apart = window / NEAR_A_WINDOW;
        const parts = [
            [shown.from, shown.to + reach],
            [shown.from - reach, shown.from],
        ];
        for (const [from, to] of parts) if (!(await this.keepNear(from, Math.min(to, this.end), apart))) return false;
        return this.waiting.length === 0;
    }

    /** Keeps a state about every `apart` events between two moments. False: a request has arrived meanwhile. */
    private async keepNear(from: number, to: number, apart: number): Promise<boolean> {
        const { engine } = this;
        const step = Math.min(STEP_EVENTS, apart / 2);
        let state = this.stateBefore(from);
        let restored = false;
        for (;;) {
            const next = this.stateAfter(state);
            if (next && next.events - state.events <= 1.5 * apart) {
                if (next.at >= to) return true;
                state = next;
                restored = false;
                continue;
            }
            if (!restored) {
                engine.restore(state);
                engine.window(to, to + 1, 1, false);
                restored = true;
            }
            do {
                if (engine.step(step) !== Step.More || engine.last >= to) return true;
                await this.listen();
                if (this.waiting.length) return false;
            } while (engine.last < from || engine.events - state.events < apart);
            state = engine.keep();
            this.addNear(state);
        }
    }

    private stateAfter(state: Checkpoint): Checkpoint | null {
        let best: Checkpoint | null = null;
        for (const other of [...this.kept, ...this.near])
            if (other.events > state.events && (!best || other.events < best.events)) best = other;
        return best;
    }

    /** Adds a near state. Drops the oldest ones if they take too much memory. */
    private addNear(state: Checkpoint): void {
        this.near.push(state);
        while (sumOf(this.near) > NEAR_BYTES && this.near.length > 1) this.engine.drop(this.near.shift()!);
    }

    private exact([spans, segments, operations, messages, collectives]: Uint8Array<ArrayBuffer>[]): Exact {
        const locations = this.engine.nLocations;
        const nSpans = spans.length / SPAN_BYTES;
        const spanWords = new Uint32Array(spans.buffer);
        let depths = 1;
        for (let i = 0; i < nSpans; i++) depths = Math.max(depths, spanWords[i * SPAN_WORDS + 8] + 1);
        const lanes = group(
            nSpans,
            locations * depths,
            (i) => spanWords[i * SPAN_WORDS + 7] * depths + spanWords[i * SPAN_WORDS + 8],
        );
        const nSegments = segments.length / SEGMENT_BYTES;
        const segmentWords = new Uint32Array(segments.buffer);
        const bySegment = group(nSegments, locations, (i) => segmentWords[i * 8 + 5]);
        return {
            spans: spans.buffer,
            nSpans,
            depths,
            lanes: lanes.first,
            order: lanes.order,
            segments: segments.buffer,
            nSegments,
            segmentIndex: bySegment.first,
            segmentOrder: bySegment.order,
            operations: operations.buffer,
            nOperations: operations.length / OPERATION_BYTES,
            messages: messages.buffer,
            nMessages: messages.length / MESSAGE_BYTES,
            collectives: collectives.buffer,
            nCollectives: collectives.length / COLLECTIVE_BYTES,
        };
    }

    private async sumsOf(request: Asked & { kind: "sums" }): Promise<void> {
        const { engine } = this;
        this.goTo(request.from);
        engine.window(request.from, request.to, SUMS_BINS, false);
        const collector = new ShareCollector(request.from, request.to, SUMS_BINS, engine.nLocations);
        let step: Step;
        do {
            step = engine.step(STEP_EVENTS);
            collector.add(engine.drain(List.Shares, SHARE_BYTES));
            if (await this.givesWay(request)) return;
        } while (step === Step.More);
        engine.finish(step === Step.Ended);
        collector.add(engine.drain(List.Shares, SHARE_BYTES));
        send({ kind: "sums", id: request.id, sums: this.sums(request.from, request.to, collector.finish()) });
    }

    private collectEnds(ends: Map<string, End>): void {
        addEnds(ends, new DataView(this.engine.drain(List.Ends, END_BYTES).buffer));
    }

    /** Sends the end of a span. If the span was open at a checkpoint, its end is known. Else it ended before the next checkpoint,
     *  and a replay finds the end. */
    private async endOf(request: Asked & { kind: "end" }): Promise<void> {
        const { engine } = this;
        const { location, depth, from, at } = request;
        const key = keyOf(location, depth, from);
        let end = this.ends.get(key);
        if (!end) {
            const found = new Map<string, End>();
            this.goTo(at);
            engine.window(at, Infinity, 1, false);
            engine.mark(true);
            for (let step = Step.More; step === Step.More && !found.has(key);) {
                found.clear();
                step = engine.step(STEP_EVENTS);
                engine.drain(List.Shares, SHARE_BYTES);
                if (step !== Step.More) engine.finish(true);
                this.collectEnds(found);
                if (await this.givesWay(request)) return;
            }
            end = found.get(key);
        }
        if (end) send({ kind: "end", id: request.id, span: { location, depth, from, at }, end });
    }

    private sums(from: number, to: number, shares: Shares): Sums {
        const { engine } = this;
        const count = engine.count(List.Pairs);
        const pairs = new DataView(engine.drain(List.Pairs, PAIR_BYTES).buffer);
        const waits = engine.waits();
        const parts = partsIn(shares, engine.nLocations, from, to);
        return sumsIn(from, to, engine.events, engine.totals(), pairs, count, waits.view, waits.n, parts);
    }
}

const sumOf = (checkpoints: Checkpoint[]): number => checkpoints.reduce((sum, { bytes }) => sum + bytes, 0);

/** Adds the ends of spans in the engine's records. */
function addEnds(ends: Map<string, End>, view: DataView): void {
    for (let at = 0; at < view.byteLength; at += END_BYTES) {
        const location = view.getUint32(at + 16, true);
        const depth = view.getUint32(at + 20, true);
        const left = (view.getUint32(at + 28, true) & FLAG_OPEN) === 0;
        ends.set(keyOf(location, depth, view.getFloat64(at, true)), { to: view.getFloat64(at + 8, true), left });
    }
}

/** Makes sums of the engine's records. */
function sumsIn(
    from: number,
    to: number,
    events: number,
    sums: DataView,
    pairRecords: DataView,
    nPairs: number,
    waitRecords: DataView,
    nWaits: number,
    parts: Float64Array,
): Sums {
    const pairs: Pair[] = Array.from({ length: nPairs }, (_, i) => ({
        from: pairRecords.getInt32(PAIR_BYTES * i, true),
        to: pairRecords.getInt32(PAIR_BYTES * i + 4, true),
        count: pairRecords.getFloat64(PAIR_BYTES * i + 8, true),
        bytes: pairRecords.getFloat64(PAIR_BYTES * i + 16, true),
        waiting: pairRecords.getFloat64(PAIR_BYTES * i + 24, true),
    }));
    const totals: Total[] = Array.from({ length: Math.floor(sums.byteLength / TOTAL_BYTES) }, (_, i) => ({
        count: sums.getFloat64(TOTAL_BYTES * i, true),
        own: sums.getFloat64(TOTAL_BYTES * i + 8, true),
        waiting: sums.getFloat64(TOTAL_BYTES * i + 16, true),
        inclusive: sums.getFloat64(TOTAL_BYTES * i + 24, true),
    }));
    const waits: Wait[] = Array.from({ length: nWaits }, (_, i) => ({
        from: waitRecords.getFloat64(WAIT_BYTES * i, true),
        to: waitRecords.getFloat64(WAIT_BYTES * i + 8, true),
        location: waitRecords.getUint32(WAIT_BYTES * i + 16, true),
        region: waitRecords.getUint32(WAIT_BYTES * i + 20, true),
        depth: waitRecords.getUint32(WAIT_BYTES * i + 24, true),
        cause: waitRecords.getInt32(WAIT_BYTES * i + 28, true),
    }));
    return { from, to, totals, pairs, waits, parts, events };
}

let replayer: Replayer | null = null;

async function open(request: Request & { kind: "open" }): Promise<void> {
    try {
        const engine = await Engine.load(request.wasm);
        engine.open(request.blobs, request.names, request.symbols);
        const made = new Replayer(engine);
        if (request.to === "refine") return await made.refine();
        send({ kind: "opened", locations: engine.locations(), end: engine.end, names: engine.names() });
        replayer = made;
        const ahead = request.ahead && readAhead(request.ahead);
        const checkpoints = ahead && engine.load(ahead.kept);
        if (checkpoints) return made.useAhead(ahead, checkpoints);
        if (request.ahead) console.warn("what was replayed before is of another engine: the run is read once more");
        await made.run();
    } catch (error) {
        send({ kind: "failed", text: error instanceof Error ? error.message : String(error) });
    }
}

self.addEventListener("message", (event: MessageEvent<Request>) => {
    if (event.data.kind === "open") void open(event.data);
    else replayer?.ask(event.data);
});
