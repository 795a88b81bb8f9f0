// ahead.ts: what refrain view replayed before and put into the page, as view_ahead.h lays it out.

import { END_BYTES, PAIR_BYTES, TOTAL_BYTES, WAIT_BYTES, type Shares } from "./protocol.js";

const VERSION = 3;

/** The engine's memory after so many events: what differs from it after opening, or from the last key before. */
export interface Difference {
    at: number;
    events: number;
    key: boolean;
    /** Words of memory, in order, and what they are then. */
    places: Uint32Array;
    words: Uint32Array;
}

export interface Ahead {
    /** Of the memory after opening that all of this belongs to. */
    memoryWords: number;
    hash: number;
    end: number;
    last: number;
    events: number;
    /** Waits of senders that are not shown. */
    unseen: number;
    overview: Shares;
    totals: DataView;
    pairs: DataView;
    waits: DataView;
    nWaits: number;
    nPairs: number;
    /** Of the spans that were open at the differences. */
    ends: DataView;
    differences: Difference[];
}

class Reader {
    private at = 0;
    private readonly view: DataView;
    constructor(private readonly bytes: ArrayBuffer) {
        this.view = new DataView(bytes);
    }
    word(): number {
        return this.view.getUint32((this.at += 4) - 4, true);
    }
    number(): number {
        return this.view.getFloat64((this.at += 8) - 8, true);
    }
    words(n: number): Uint32Array {
        return new Uint32Array(this.bytes.slice(this.at, (this.at += 4 * n)));
    }
    part(bytes: number): DataView {
        return new DataView(this.bytes, (this.at += bytes) - bytes, bytes);
    }
}

/** Turns distances from one to the next into places, in place. */
function addUp(gaps: Uint32Array): Uint32Array {
    for (let i = 1; i < gaps.length; i++) gaps[i] += gaps[i - 1];
    return gaps;
}

/** Null: it was made by another version of refrain. */
export function readAhead(bytes: ArrayBuffer): Ahead | null {
    const reader = new Reader(bytes);
    if (reader.word() !== VERSION) return null;
    const [memoryWords, hash, locations, bins, nShares, nTotals] = Array.from({ length: 6 }, () => reader.word());
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
    const differences = Array.from({ length: reader.word() }, () => {
        const [at, after] = [reader.number(), reader.number()];
        const key = reader.word() !== 0;
        const n = reader.word();
        return { at, events: after, key, places: addUp(reader.words(n)), words: reader.words(n) };
    });
    return {
        memoryWords,
        hash,
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
        differences,
    };
}
