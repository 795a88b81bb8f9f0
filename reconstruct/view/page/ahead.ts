// ahead.ts: reads what refrain view replayed in advance and put into the page (layout: view_ahead.h).

import { END_BYTES, PAIR_BYTES, TOTAL_BYTES, WAIT_BYTES, type Shares } from "./protocol.js";

const VERSION = 4;

/** Checkpoints of an engine; addresses are those of its memory. */
export interface Kept {
    /** Identifies the engine that all of this belongs to (engine_opened() in engine.c). */
    opened: number;
    chunks: [number, number][];
    copies: { address: number; base: number; bytes: Uint8Array }[];
    checkpoints: { at: number; events: number; copy: number; bytes: Uint8Array }[];
}

export interface Ahead {
    end: number;
    last: number;
    events: number;
    /** Number of waits of senders that the page does not show, since they became known too late. */
    unseen: number;
    overview: Shares;
    totals: DataView;
    pairs: DataView;
    waits: DataView;
    nWaits: number;
    nPairs: number;
    /** Ends of the spans that were open at the checkpoints. */
    ends: DataView;
    kept: Kept;
}

class Reader {
    private at = 0;
    private readonly view: DataView;
    constructor(private readonly all: ArrayBuffer) {
        this.view = new DataView(all);
    }
    word(): number {
        return this.view.getUint32((this.at += 4) - 4, true);
    }
    number(): number {
        return this.view.getFloat64((this.at += 8) - 8, true);
    }
    words(n: number): Uint32Array {
        return new Uint32Array(this.all.slice(this.at, (this.at += 4 * n)));
    }
    part(bytes: number): DataView {
        return new DataView(this.all, (this.at += bytes) - bytes, bytes);
    }
    /** Reads a number, and as many bytes. */
    bytes(): Uint8Array {
        const n = this.word();
        return new Uint8Array(this.all, (this.at += n) - n, n);
    }
    /** Reads a number, and as many items. */
    list<T>(next: () => T): T[] {
        return Array.from({ length: this.word() }, next);
    }
}

/** Null if the bytes have another version of the format. */
export function readAhead(bytes: ArrayBuffer): Ahead | null {
    const reader = new Reader(bytes);
    if (reader.word() !== VERSION) return null;
    const [opened, locations, bins, nShares, nTotals] = Array.from({ length: 5 }, () => reader.word());
    const [end, last, events, unseen] = Array.from({ length: 4 }, () => reader.number());
    const counts = reader.words(locations * bins);
    const index = new Uint32Array(locations * (bins + 1) + 1);
    let sum = 0;
    for (let l = 0, i = 0; l < locations; l++) {
        index[l * (bins + 1)] = sum;
        for (let b = 1; b <= bins; b++) index[l * (bins + 1) + b] = sum += counts[i++];
    }
    index[index.length - 1] = sum;
    const overview = { from: 0, to: end, bins, index, words: reader.words(nShares) };
    const totals = reader.part(nTotals * TOTAL_BYTES);
    const nPairs = reader.word();
    const pairs = reader.part(nPairs * PAIR_BYTES);
    const nWaits = reader.word();
    const waits = reader.part(nWaits * WAIT_BYTES);
    const ends = reader.part(reader.word() * END_BYTES);
    const chunks = reader.list((): [number, number] => [reader.word(), reader.word()]);
    const copies = reader.list(() => ({ address: reader.word(), base: reader.word(), bytes: reader.bytes() }));
    const checkpoints = reader.list(() => ({
        at: reader.number(),
        events: reader.number(),
        copy: reader.word(),
        bytes: reader.bytes(),
    }));
    return {
        end,
        last,
        events,
        unseen,
        overview,
        totals,
        pairs,
        waits,
        nWaits,
        nPairs,
        ends,
        kept: { opened, chunks, copies, checkpoints },
    };
}
