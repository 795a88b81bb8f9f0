// engine.ts: the reading library as WebAssembly: opens the trace, replays it, hands out records, keeps and restores checkpoints.

import type { Kept } from "./ahead.js";
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
    engine_clear(list: number): void;
    engine_totals(): number;
    engine_waits(): number;
    engine_n_waits(): number;
    engine_events(): number;
    engine_unseen(): number;
    engine_keep(): number;
    engine_restore(checkpoint: number): void;
    engine_drop(checkpoint: number): void;
    engine_kept_bytes(checkpoint: number): number;
    engine_opened(): number;
    engine_add_chunk(index: number, at: number, bytes: number): number;
    engine_load_copy(bytes: number, base: number): number;
    engine_load(bytes: number, copy: number): number;
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
const KINDS: Region["kind"][] = ["function", "mpi", "user", "value", "io"];

/** A state of the replay that can be restored. */
export interface Checkpoint {
    at: number;
    events: number;
    /** Address in the engine's memory. */
    address: number;
    /** Bytes of the checkpoint, without those that it shares with others. */
    bytes: number;
}

function wasiStubs(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
    const writeFd = (fd: number, vectors: number, n: number, written: number): number => {
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
    const unsupported = (): number => 52; // ENOSYS: a page has no files
    return new Proxy({} as WebAssembly.ModuleImports, {
        get: (_target, name) => {
            if (name === "fd_write") return writeFd;
            if (name === "proc_exit")
                return (code: number) => {
                    throw new Error(`the reading library ended with status ${code}`);
                };
            return unsupported;
        },
    });
}

export class Engine {
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

    /** Opens the trace: the bytes and the name of each rank's trace file, and the names of code addresses (view_symbols.h). */
    open(blobs: ArrayBuffer[], names: string[], symbols: ArrayBuffer): void {
        blobs.forEach((blob, i) => {
            const name = this.put(new TextEncoder().encode(names[i] + "\0"));
            const at = this.put(new Uint8Array(blob));
            if (this.exports.engine_add(at, blob.byteLength, name)) throw new Error(this.error());
        });
        const at = this.put(new Uint8Array(symbols));
        if (this.exports.engine_symbols(at, symbols.byteLength) || this.exports.engine_open())
            throw new Error(this.error());
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
    /** Number of waits of senders that are not shown. */
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

    /** Requests the ends of the spans that are open now; with `later` also of spans that begin later. */
    mark(later: boolean): void {
        this.exports.engine_mark(later ? 1 : 0);
    }

    finish(ended: boolean): void {
        this.exports.engine_finish(ended ? 1 : 0);
    }

    /** The damage in the part of the trace that has been replayed; null: none. */
    check(): string | null {
        return this.exports.engine_check() ? this.error() : null;
    }

    count(list: List): number {
        return this.exports.engine_count(list);
    }

    /** Returns a copy of the records of a list, and empties the list. */
    drain(list: List, recordBytes: number): Uint8Array<ArrayBuffer> {
        const at = this.exports.engine_items(list);
        const bytes = this.exports.engine_count(list) * recordBytes;
        const copy = new Uint8Array(this.exports.memory.buffer.slice(at, at + bytes));
        this.exports.engine_clear(list);
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

    /** Makes a checkpoint of the replay. */
    keep(): Checkpoint {
        const address = this.exports.engine_keep();
        if (!address) throw new Error("there is not enough memory for the trace");
        return this.checkpoint(this.last, this.events, address);
    }

    private checkpoint(at: number, events: number, address: number): Checkpoint {
        return { at, events, address, bytes: this.exports.engine_kept_bytes(address) };
    }

    restore({ address }: Checkpoint): void {
        this.exports.engine_restore(address);
    }

    drop({ address }: Checkpoint): void {
        this.exports.engine_drop(address);
    }

    /** Bytes of all checkpoints. */
    get keptBytes(): number {
        return this.exports.engine_kept_bytes(0);
    }

    /** Loads the checkpoints of an engine that was opened with the same calls (view_ahead.c). Null if this engine was opened
     *  otherwise. To be called before any other use of the opened engine. */
    load({ opened, chunks, copies, checkpoints }: Kept): Checkpoint[] | null {
        const { exports } = this;
        if (exports.engine_opened() >>> 0 !== opened) return null;
        for (const [i, [at, bytes]] of chunks.entries()) if (exports.engine_add_chunk(i, at, bytes)) return null;
        const here = new Map<number, number>([[0, 0]]);
        for (const { address, base, bytes } of copies)
            here.set(address, exports.engine_load_copy(this.put(bytes), here.get(base)!));
        return checkpoints.map(({ at, events, copy, bytes }) =>
            this.checkpoint(at, events, exports.engine_load(this.put(bytes), here.get(copy)!)),
        );
    }
}
