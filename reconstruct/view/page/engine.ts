// engine.ts: the reading library as WebAssembly: opens the trace, replays it, hands out records, keeps and restores its state.

import { TOTAL_BYTES, type Names, type Region } from "./protocol.js";

/** Exports of engine.c. */
interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    engine_reserve(bytes: number): number;
    engine_add(bytes: number, length: number, name: number): number;
    engine_symbols(bytes: number, length: number): number;
    engine_open(): number;
    engine_error(): number;
    engine_locations(): number;
    engine_n_locations(): number;
    engine_n_regions(): number;
    engine_region_kind(index: number): number;
    engine_region_name(index: number): number;
    engine_region_file(index: number): number;
    engine_region_line(index: number): number;
    engine_region_function(index: number): number;
    engine_region_colour(index: number): number;
    engine_n_comms(): number;
    engine_comm_name(index: number): number;
    engine_end_ns(): number;
    engine_last_ns(): number;
    engine_window(from: number, to: number, bins: number, keepsSpans: number): number;
    engine_keep_spans(keeps: number): void;
    engine_step(events: number): number;
    engine_mark(later: number): void;
    engine_finish(ended: number): void;
    engine_check(): number;
    engine_items(list: number): number;
    engine_count(list: number): number;
    engine_take(list: number): void;
    engine_totals(): number;
    engine_waits(): number;
    engine_n_waits(): number;
    engine_events(): number;
    engine_unseen(): number;
    engine_most_words(keyWords: number): number;
    engine_stays(n: number): number;
}

export enum List {
    Spans,
    Segments,
    Operations,
    Messages,
    Collectives,
    Shares,
    Pairs,
    Ends,
}

export enum Step {
    More,
    Done,
    Ended,
}

/** By enum refrain_region_kind. */
const KINDS: Region["kind"][] = ["function", "mpi", "user", "value"];

/** Words of memory that are compared at a time. */
const BLOCK = 1024;

/** All of memory as it was in a state of a replay, but for the trace itself. Quick to make and large. */
export interface Copy {
    at: number;
    events: number;
    memory: Uint32Array;
}

/** The state of a replay: the words of memory that differ from those right after opening, from those of a key, which is a
 *  snapshot that differs from those after opening, or from those of a copy. */
export interface Snapshot {
    at: number;
    events: number;
    key: Snapshot | Copy | null;
    places: Uint32Array;
    words: Uint32Array;
}

const isCopy = (state: Snapshot | Copy): state is Copy => "memory" in state;

function wasiStubs(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
    const say = (fd: number, vectors: number, n: number, written: number): number => {
        const view = new DataView(memory().buffer);
        let length = 0;
        let text = "";
        for (let i = 0; i < n; i++) {
            const at = view.getUint32(vectors + 8 * i, true);
            const bytes = view.getUint32(vectors + 8 * i + 4, true);
            text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, bytes));
            length += bytes;
        }
        if (fd === 2) console.warn(text);
        view.setUint32(written, length, true);
        return 0;
    };
    const notThere = (): number => 52; // ENOSYS: a page has no files
    return new Proxy({} as WebAssembly.ModuleImports, {
        get: (_target, name) => {
            if (name === "fd_write") return say;
            if (name === "proc_exit")
                return (code: number) => {
                    throw new Error(`the reading library ended with status ${code}`);
                };
            return notThere;
        },
    });
}

export class Engine {
    private base: Uint32Array | null = null;
    private image: { of: Snapshot; words: Uint32Array } | null = null;
    /** Where the trace itself lies, which does not change: from, to, in order. */
    private readonly excluded: [number, number][] = [];

    private constructor(private readonly exports: Exports) {}

    static async load(wasm: ArrayBuffer): Promise<Engine> {
        let memory: WebAssembly.Memory;
        const module = await WebAssembly.compile(wasm);
        const stubs = wasiStubs(() => memory);
        const imports: Record<string, WebAssembly.ModuleImports> = {};
        for (const wanted of WebAssembly.Module.imports(module))
            (imports[wanted.module] ??= {})[wanted.name] = stubs[wanted.name] as WebAssembly.ImportValue;
        const instance = await WebAssembly.instantiate(module, imports);
        const exports = instance.exports as unknown as Exports;
        memory = exports.memory;
        exports._initialize();
        return new Engine(exports);
    }

    private put(bytes: Uint8Array): number {
        const at = this.exports.engine_reserve(bytes.length);
        if (!at) throw new Error("there is not enough memory for the trace");
        new Uint8Array(this.exports.memory.buffer).set(bytes, at);
        return at;
    }

    private text(at: number): string {
        const bytes = new Uint8Array(this.exports.memory.buffer);
        let end = at;
        while (bytes[end]) end++;
        return new TextDecoder().decode(bytes.subarray(at, end));
    }

    /** Opens the trace: one region file of each rank, with its name, and what is known of return addresses. */
    open(blobs: ArrayBuffer[], names: string[], symbols: ArrayBuffer): void {
        blobs.forEach((blob, i) => {
            const name = this.put(new TextEncoder().encode(names[i] + "\0"));
            const at = this.put(new Uint8Array(blob));
            this.excluded.push([at, at + blob.byteLength]);
            if (this.exports.engine_add(at, blob.byteLength, name)) throw new Error(this.error());
        });
        const at = this.put(new Uint8Array(symbols));
        if (this.exports.engine_symbols(at, symbols.byteLength) || this.exports.engine_open())
            throw new Error(this.error());
        this.excluded.sort((a, b) => a[0] - b[0]);
        this.base = new Uint32Array(this.exports.memory.buffer.slice(0));
    }

    private error(): string {
        return this.text(this.exports.engine_error());
    }

    get nLocations(): number {
        return this.exports.engine_n_locations();
    }
    get nRegions(): number {
        return this.exports.engine_n_regions();
    }
    get end(): number {
        return this.exports.engine_end_ns();
    }
    get last(): number {
        return this.exports.engine_last_ns();
    }
    get events(): number {
        return this.exports.engine_events();
    }
    /** Waits of senders that are not shown. */
    get unseen(): number {
        return this.exports.engine_unseen();
    }

    names(): Names {
        const { exports } = this;
        const region = (i: number): Region => ({
            kind: KINDS[exports.engine_region_kind(i)],
            name: this.text(exports.engine_region_name(i)),
            file: this.text(exports.engine_region_file(i)),
            line: exports.engine_region_line(i),
            function: this.text(exports.engine_region_function(i)),
            colour: exports.engine_region_colour(i),
        });
        return {
            regions: Array.from({ length: this.nRegions + 1 }, (_, i) => region(i)),
            comms: Array.from({ length: exports.engine_n_comms() }, (_, i) => this.text(exports.engine_comm_name(i))),
        };
    }

    locations(): { rank: number; thread: number; begin: number; end: number }[] {
        const view = new DataView(this.exports.memory.buffer, this.exports.engine_locations());
        return Array.from({ length: this.nLocations }, (_, i) => ({
            rank: view.getInt32(24 * i, true),
            thread: view.getUint32(24 * i + 4, true),
            begin: view.getFloat64(24 * i + 8, true),
            end: view.getFloat64(24 * i + 16, true),
        }));
    }

    window(from: number, to: number, bins: number, keepsSpans: boolean): void {
        if (this.exports.engine_window(from, to, bins, keepsSpans ? 1 : 0)) throw new Error(this.error());
    }
    keepSpans(keeps: boolean): void {
        this.exports.engine_keep_spans(keeps ? 1 : 0);
    }

    step(events: number): Step {
        const status = this.exports.engine_step(events);
        if (status < 0) throw new Error(this.error());
        return status;
    }

    /** The ends of the spans that are open now are wanted, and with `later` of those that begin later. */
    mark(later: boolean): void {
        this.exports.engine_mark(later ? 1 : 0);
    }

    finish(ended: boolean): void {
        this.exports.engine_finish(ended ? 1 : 0);
    }

    /** Ends the replay: what is damaged in the trace, null: nothing. Only a restored state can be gone on with. */
    check(): string | null {
        return this.exports.engine_check() ? this.error() : null;
    }

    count(list: List): number {
        return this.exports.engine_count(list);
    }

    /** A copy of the records of a list, which is empty afterwards. */
    take(list: List, recordBytes: number): Uint8Array<ArrayBuffer> {
        const at = this.exports.engine_items(list);
        const bytes = this.exports.engine_count(list) * recordBytes;
        const copy = new Uint8Array(this.exports.memory.buffer.slice(at, at + bytes));
        this.exports.engine_take(list);
        return copy;
    }

    totals(): DataView {
        return new DataView(
            this.exports.memory.buffer,
            this.exports.engine_totals(),
            (this.nRegions + 1) * TOTAL_BYTES,
        );
    }
    waits(): { view: DataView; n: number } {
        return {
            view: new DataView(this.exports.memory.buffer, this.exports.engine_waits()),
            n: this.exports.engine_n_waits(),
        };
    }

    /** Is this the memory right after opening that such a hash was made of (view_ahead.c)? */
    isOpenedAs(words: number, hash: number): boolean {
        const base = this.base!;
        if (base.length !== words) return false;
        let own = 2166136261;
        for (let i = 0; i < base.length; i++) own = Math.imul(own ^ base[i], 16777619);
        return own >>> 0 === hash;
    }

    /** Words of memory from one place to another that are not part of the trace itself, which does not change. */
    private *changing(words: number): Generator<[number, number]> {
        let from = 0;
        for (const [start, end] of this.excluded) {
            const stop = Math.ceil(start / 4);
            if (stop > from) yield [from, Math.min(stop, words)];
            from = Math.max(from, Math.floor(end / 4));
        }
        yield [from, words];
    }

    /** What memory has otherwise than an image of it; null where that is more than so many words. */
    private difference(image: Uint32Array, most: number): { places: Uint32Array; words: Uint32Array } | null {
        const now = new Uint32Array(this.exports.memory.buffer);
        const places: number[] = [];
        for (const [from, to] of this.changing(now.length))
            for (let start = from; start < to; start += BLOCK) {
                const end = Math.min(start + BLOCK, to);
                if (end <= image.length) {
                    for (let i = start; i < end; i++) if (now[i] !== image[i]) places.push(i);
                } else for (let i = start; i < end; i++) if (now[i] !== (image[i] ?? 0)) places.push(i);
                if (places.length > most) return null;
            }
        return { places: Uint32Array.from(places), words: Uint32Array.from(places, (place) => now[place]) };
    }

    /** Memory as it is in a key. */
    private imageOf(key: Snapshot | Copy): Uint32Array {
        if (isCopy(key)) return key.memory;
        if (this.image?.of === key) return this.image.words;
        const base = this.base!;
        const words = new Uint32Array(Math.max(base.length, (key.places.at(-1) ?? 0) + 1));
        words.set(base);
        key.places.forEach((place, i) => (words[place] = key.words[i]));
        this.image = { of: key, words };
        return words;
    }

    /** What has to be put back to go on from here later: told by the key, where not too much differs from that. */
    snapshot(at: number, key: Snapshot | Copy | null): Snapshot {
        const { events } = this;
        const most = key && !isCopy(key) ? this.exports.engine_most_words(key.places.length) : Infinity;
        const by = key && this.difference(this.imageOf(key), most);
        if (by) return { at, events, key, ...by };
        return { at, events, key: null, ...this.difference(this.base!, Infinity)! };
    }

    /** Does the n-th of such snapshots stay, where there are too many (view_keep.h)? */
    stays(n: number): boolean {
        return this.exports.engine_stays(n) !== 0;
    }

    /** The state as it is now; `old` is a copy that is not needed any more, whose room is used. */
    copy(old: Copy | null): Copy {
        const now = new Uint32Array(this.exports.memory.buffer);
        const memory = old?.memory.length === now.length ? old.memory : new Uint32Array(now.length);
        for (const [from, to] of this.changing(now.length)) memory.set(now.subarray(from, to), from);
        return { at: this.last, events: this.events, memory };
    }

    restore(state: Snapshot | Copy): void {
        if (isCopy(state)) return this.putBack(state.memory);
        const { key } = state;
        this.putBack(key && isCopy(key) ? key.memory : this.base!);
        if (key && !isCopy(key)) this.patch(key);
        this.patch(state);
    }

    private putBack(image: Uint32Array): void {
        const memory = new Uint32Array(this.exports.memory.buffer);
        for (const [from, to] of this.changing(image.length)) memory.set(image.subarray(from, to), from);
        memory.fill(0, image.length);
    }

    private patch({ places, words }: Snapshot): void {
        const memory = new Uint32Array(this.exports.memory.buffer);
        for (let i = 0; i < places.length; i++) memory[places[i]] = words[i];
    }
}
