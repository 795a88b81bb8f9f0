// bundles.ts: combines messages into bundles, if there are too many for a line each.
//
// Messages that begin in the same interval of time and the same few rows, and also end in the same interval and rows, are one
// bundle. The lengths of intervals are powers of two of nanoseconds and do not depend on the window. So a bundle stays the same
// while the window moves, and the bundles of intervals twice as long are made from the existing ones.

import { MESSAGE_DOUBLES, MESSAGE_WORDS, type Records } from "./records.js";

/** Bundles of one length of intervals; number i of each array is of bundle i. */
export interface Level {
    n: number;
    /** Length of the intervals in ns. */
    interval: number;
    /** Numbers of the intervals in which it begins and ends; NEVER: it does not end. */
    sent: Int32Array;
    received: Int32Array;
    /** Numbers of its rows. */
    from: Int32Array;
    to: Int32Array;
    /** Its first message, and its number of messages. */
    first: Uint32Array;
    count: Uint32Array;
}

export const NEVER = 0x7fffffff;
/** The largest number of an interval, counted from the window that was read. Beyond it, everything is far outside of the
 *  screen. */
const MOST_INTERVALS = 0x3fffffff;

const bound = (interval: number): number => Math.max(-MOST_INTERVALS, Math.min(MOST_INTERVALS, interval));

/** Bundles of a level that is being made, found by their four numbers. */
class Collector {
    private readonly slots: Int32Array;
    private readonly mask: number;
    readonly level: Level;

    constructor(interval: number, most: number) {
        let size = 16;
        while (size < 2 * most) size *= 2;
        this.slots = new Int32Array(size);
        this.mask = size - 1;
        const [sent, received, from, to] = Array.from({ length: 4 }, () => new Int32Array(most));
        this.level = {
            n: 0,
            interval,
            sent,
            received,
            from,
            to,
            first: new Uint32Array(most),
            count: new Uint32Array(most),
        };
    }

    add(sent: number, received: number, from: number, to: number, first: number, count: number): void {
        const { level, slots, mask } = this;
        let hash = Math.imul(sent, 0x9e3779b1) ^ Math.imul(received, 0x85ebca6b);
        hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) ^ Math.imul(from, 0x27d4eb2f) ^ Math.imul(to, 0x165667b1);
        for (let at = (hash ^ (hash >>> 13)) & mask; ; at = (at + 1) & mask) {
            const i = slots[at] - 1;
            if (i < 0) {
                const made = level.n++;
                slots[at] = made + 1;
                level.sent[made] = sent;
                level.received[made] = received;
                level.from[made] = from;
                level.to[made] = to;
                level.first[made] = first;
                level.count[made] = count;
                return;
            }
            if (
                level.sent[i] === sent &&
                level.received[i] === received &&
                level.from[i] === from &&
                level.to[i] === to
            ) {
                level.count[i] += count;
                return;
            }
        }
    }
}

/** Messages between two checks of the clock. */
const BETWEEN = 4096;

/** All bundles of a window's messages. */
export class Bundles {
    private readonly levels = new Map<number, Level>();
    private making: { exponent: number; work: Generator<void, Level> } | null = null;

    /** `rowOf`: the row of each location; `across`: this many rows count as one. */
    constructor(
        readonly records: Records,
        private readonly rowOf: Int32Array,
        private readonly across: number,
        private readonly base: number,
    ) {}

    /** The bundles with intervals of 2^exponent ns. Null: they are not ready at the moment `until`; the next call continues. */
    level(exponent: number, until: number): Level | null {
        const known = this.levels.get(exponent);
        if (known) return known;
        if (this.making?.exponent !== exponent) {
            const finer = [...this.levels.keys()].filter((other) => other < exponent);
            const interval = Math.pow(2, exponent);
            const work = finer.length
                ? this.merge(this.levels.get(Math.max(...finer))!, interval)
                : this.collect(interval);
            this.making = { exponent, work };
        }
        for (;;) {
            const { done, value } = this.making.work.next();
            if (done) {
                this.levels.set(exponent, value);
                this.making = null;
                return value;
            }
            if (performance.now() > until) return null;
        }
    }

    private *collect(interval: number): Generator<void, Level> {
        const { records, rowOf, across, base } = this;
        const { messageNumbers: numbers, messageWords: words } = records;
        const { nMessages } = records.exact;
        const collector = new Collector(interval, nMessages);
        const part = 1 / interval;
        for (let i = 0; i < nMessages; i++) {
            if (i % BETWEEN === 0) yield;
            const received = numbers[i * MESSAGE_DOUBLES + 1];
            collector.add(
                bound(Math.floor((numbers[i * MESSAGE_DOUBLES] - base) * part)),
                received === Infinity ? NEVER : bound(Math.floor((received - base) * part)),
                Math.floor(rowOf[words[i * MESSAGE_WORDS + 8]] / across),
                Math.floor(rowOf[words[i * MESSAGE_WORDS + 9]] / across),
                i,
                1,
            );
        }
        return collector.level;
    }

    private *merge(finer: Level, interval: number): Generator<void, Level> {
        const collector = new Collector(interval, finer.n);
        const shift = Math.log2(interval / finer.interval);
        for (let i = 0; i < finer.n; i++) {
            if (i % BETWEEN === 0) yield;
            const received = finer.received[i];
            collector.add(
                finer.sent[i] >> shift,
                received === NEVER ? NEVER : received >> shift,
                finer.from[i],
                finer.to[i],
                finer.first[i],
                finer.count[i],
            );
        }
        return collector.level;
    }

    /** Bundles of a level that are in an interval of time, at least in part. */
    visible(level: Level, from: number, to: number): Int32Array {
        const first = bound(Math.floor((from - this.base) / level.interval));
        const last = bound(Math.floor((to - this.base) / level.interval));
        const found = new Int32Array(level.n);
        let n = 0;
        for (let i = 0; i < level.n; i++) if (level.sent[i] <= last && level.received[i] >= first) found[n++] = i;
        return found.subarray(0, n);
    }
}
