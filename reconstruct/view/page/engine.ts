// engine.ts: the reading library as WebAssembly: opens the trace, replays it, hands out records, keeps and restores its state.

/** Exports of engine.c. */
interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    engine_reserve(bytes: number): number;
    engine_release(bytes: number): void;
    engine_add(bytes: number, length: number, name: number): number;
    engine_symbols(bytes: number, length: number): void;
    engine_open(): number;
    engine_error(): number;
    engine_locations(): number;
    engine_n_locations(): number;
    engine_n_regions(): number;
    engine_region_name(index: number): number;
    engine_region_line(index: number): number;
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

const PAGE = 16384;
/** Memory that is had from the start, so that going back and forth does not make it grow time and again. */
const HEADROOM_BYTES = 16 << 20;

/** The state of a replay: the pages of memory that differ from those right after opening. */
export interface Snapshot {
    at: number;
    events: number;
    ended: boolean;
    pages: Uint32Array;
    bytes: Uint8Array;
}

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
    private base: Uint8Array | null = null;
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
        const lines = new Uint8Array(symbols.byteLength + 1);
        lines.set(new Uint8Array(symbols));
        this.exports.engine_symbols(this.put(lines), symbols.byteLength);
        if (this.exports.engine_open()) throw new Error(this.error());
        const headroom = this.exports.engine_reserve(HEADROOM_BYTES);
        if (headroom) this.exports.engine_release(headroom);
        this.excluded.sort((a, b) => a[0] - b[0]);
        this.base = new Uint8Array(this.exports.memory.buffer.slice(0));
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

    /** Name and line of each region. */
    regions(): [string, number][] {
        return Array.from({ length: this.nRegions }, (_, i) => [
            this.text(this.exports.engine_region_name(i)),
            this.exports.engine_region_line(i),
        ]);
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
        return new DataView(this.exports.memory.buffer, this.exports.engine_totals());
    }
    waits(): { view: DataView; n: number } {
        return {
            view: new DataView(this.exports.memory.buffer, this.exports.engine_waits()),
            n: this.exports.engine_n_waits(),
        };
    }

    /** What has to be copied back to go on from here later. */
    snapshot(at: number, ended: boolean): Snapshot {
        const memory = new Uint8Array(this.exports.memory.buffer);
        const base = this.base!;
        const pages: number[] = [];
        const now = new Int32Array(memory.buffer);
        const was = new Int32Array(base.buffer);
        const words = PAGE / 4;
        let skip = 0;
        for (let start = 0; start < memory.length; start += PAGE) {
            while (skip < this.excluded.length && this.excluded[skip][1] < start + PAGE) skip++;
            if (skip < this.excluded.length && start >= this.excluded[skip][0]) continue;
            const end = start / 4 + words;
            let i = start / 4;
            if (start < base.length) while (i < end && now[i] === was[i]) i++;
            else while (i < end && now[i] === 0) i++;
            if (i < end) pages.push(start);
        }
        const bytes = new Uint8Array(pages.length * PAGE);
        pages.forEach((start, i) => bytes.set(memory.subarray(start, start + PAGE), i * PAGE));
        return { at, events: this.events, ended, pages: Uint32Array.from(pages), bytes };
    }

    restore(snapshot: Snapshot): void {
        const memory = new Uint8Array(this.exports.memory.buffer);
        const base = this.base!;
        let from = 0;
        for (const [start, end] of [...this.excluded, [base.length, base.length]]) {
            if (start > from) memory.set(base.subarray(from, start), from);
            from = Math.max(from, end);
        }
        snapshot.pages.forEach((start, i) => memory.set(snapshot.bytes.subarray(i * PAGE, (i + 1) * PAGE), start));
    }
}
