// shares.ts: shares of time by location and interval: collects them in order, and makes levels with half as many intervals.

import { SHARE_BYTES, type Shares, type Total } from "./protocol.js";

const REGION_SHIFT = 17;
const WAITS = 1 << 16;
const WHOLE = 65535;

export function regionOf(word: number): number {
    return word >>> REGION_SHIFT;
}
export function waits(word: number): boolean {
    return (word & WAITS) !== 0;
}
export function shareOf(word: number): number {
    return (word & WHOLE) / WHOLE;
}

/** Collects the engine's records into Shares. They come by location in time order. */
export class ShareCollector {
    private readonly chunks: Uint8Array[] = [];
    private records = 0;

    constructor(
        private readonly from: number,
        private readonly to: number,
        private readonly bins: number,
        private readonly locations: number,
    ) {}

    add(records: Uint8Array): void {
        if (records.length === 0) return;
        this.chunks.push(records);
        this.records += records.length / SHARE_BYTES;
    }

    finish(): Shares {
        const { bins, locations } = this;
        const index = new Uint32Array(locations * (bins + 1) + 1);
        for (const chunk of this.chunks) {
            const words = new Uint32Array(chunk.buffer, chunk.byteOffset, chunk.length / 4);
            for (let i = 0; i < words.length; i += 3) index[words[i] * (bins + 1) + words[i + 1] + 1]++;
        }
        for (let i = 1; i < index.length; i++) index[i] += index[i - 1];
        const next = index.slice();
        const result = new Uint32Array(this.records);
        for (const chunk of this.chunks) {
            const words = new Uint32Array(chunk.buffer, chunk.byteOffset, chunk.length / 4);
            for (let i = 0; i < words.length; i += 3)
                result[next[words[i] * (bins + 1) + words[i + 1]]++] = words[i + 2];
        }
        return { from: this.from, to: this.to, bins, index, words: result };
    }
}

/** Makes Shares with half as many intervals. */
function halve(shares: Shares, locations: number): Shares {
    const bins = Math.ceil(shares.bins / 2);
    const width = (shares.to - shares.from) / shares.bins;
    const index = new Uint32Array(locations * (bins + 1) + 1);
    const words = new Uint32Array(shares.words.length);
    const old = shares.words;
    let n = 0;
    for (let l = 0; l < locations; l++) {
        const row = l * (shares.bins + 1);
        index[l * (bins + 1)] = n;
        for (let b = 0; b < bins; b++) {
            const first = n;
            const end = shares.index[row + Math.min(2 * b + 2, shares.bins)];
            for (let i = shares.index[row + 2 * b]; i < end; i++) {
                const key = (old[i] & ~WHOLE) >>> 0;
                const half = (old[i] & WHOLE) / 2;
                let at = first;
                while (at < n && (words[at] & ~WHOLE) >>> 0 !== key) at++;
                const sum = at < n ? (words[at] & WHOLE) + half : half;
                words[at] = (key | Math.max(1, Math.min(WHOLE, Math.round(sum)))) >>> 0;
                if (at === n) n++;
            }
            index[l * (bins + 1) + b + 1] = n;
        }
    }
    return { from: shares.from, to: shares.from + bins * 2 * width, bins, index, words: words.slice(0, n) };
}

/** Numbers of a part: location, region, own time, waiting. */
export const PART_NUMBERS = 4;

/** Own time and waiting of each region on each location between two moments, without zeros. Intervals that are only partly inside
 *  count by that part. */
export function partsIn(shares: Shares, locations: number, from: number, to: number): Float64Array {
    const parts: number[] = [];
    for (let l = 0; l < locations; l++) {
        const times = timesOn(shares, l, from, to);
        for (const [region, [own, waiting]] of times) parts.push(l, region, own, waiting);
    }
    return Float64Array.from(parts);
}

/** Own time and waiting by region on one location. */
function timesOn(shares: Shares, location: number, from: number, to: number): Map<number, [number, number]> {
    const times = new Map<number, [number, number]>();
    const width = (shares.to - shares.from) / shares.bins;
    const first = Math.max(0, Math.floor((from - shares.from) / width));
    const last = Math.min(shares.bins, Math.ceil((to - shares.from) / width));
    for (let b = first; b < last; b++) {
        const start = shares.from + b * width;
        const inside = Math.min(to, start + width) - Math.max(from, start);
        const row = location * (shares.bins + 1) + b;
        for (let i = shares.index[row]; i < shares.index[row + 1]; i++) {
            const word = shares.words[i];
            let time = times.get(regionOf(word));
            if (!time) times.set(regionOf(word), (time = [0, 0]));
            time[0] += shareOf(word) * inside;
            if (waits(word)) time[1] += shareOf(word) * inside;
        }
    }
    return times;
}

/** Sums parts over all locations. */
export function totalsOf(parts: Float64Array, regions: number): Total[] {
    const totals: Total[] = Array.from({ length: regions }, () => ({ count: NaN, own: 0, waiting: 0, inclusive: NaN }));
    for (let i = 0; i < parts.length; i += PART_NUMBERS) {
        const total = totals[parts[i + 1]];
        if (!total) continue;
        total.own += parts[i + 2];
        total.waiting += parts[i + 3];
    }
    return totals;
}

/** The finest level and all coarser ones, each with half as many intervals, down to `least`. */
export function levelsOf(finest: Shares, locations: number, least: number): Shares[] {
    const levels = [finest];
    for (let last = finest; last.bins > least; levels.push(last)) last = halve(last, locations);
    return levels;
}

/** Levels of shares, each with half the resolution. */
export class Pyramid {
    constructor(private readonly levels: Shares[]) {}

    get finest(): Shares {
        return this.levels[0];
    }

    /** The coarsest level with intervals of at most `ns`; the finest level if all are longer. */
    level(ns: number): Shares {
        let best = this.levels[0];
        for (const shares of this.levels) if ((shares.to - shares.from) / shares.bins <= ns) best = shares;
        return best;
    }
}
