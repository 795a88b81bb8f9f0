// records.ts: reads the records of a window in place, in the layout of picture.h, and finds them by time.

import { MESSAGE_BYTES, SPAN_BYTES, type Exact } from "./protocol.js";

/** Distance between two spans in an array of numbers. */
export const SPAN_DOUBLES = SPAN_BYTES / 8;
export const SPAN_WORDS = SPAN_BYTES / 4;
/** Distance between two messages in an array of numbers. */
export const MESSAGE_DOUBLES = MESSAGE_BYTES / 8;
export const MESSAGE_WORDS = MESSAGE_BYTES / 4;

export interface Span {
    index: number;
    from: number;
    to: number;
    waitsUntil: number;
    region: number;
    location: number;
    depth: number;
    flags: number;
    firstOperation: number;
    nOperations: number;
    waitKind: number;
    cause: number;
}

export interface Operation {
    time: number;
    bytes: number;
    received: number;
    tag: number;
    request: number;
    other: number;
    peer: number;
    comm: number;
    kind: number;
    flags: number;
}

export interface Message {
    index: number;
    sent: number;
    received: number;
    bytes: number;
    tag: number;
    from: number;
    to: number;
    comm: number;
    flags: number;
    /** Indices of the regions of the calls that sent and received it. */
    sentIn: number;
    receivedIn: number;
}

export interface Collective {
    first: number;
    last: number;
    left: number;
    bytes: number;
    region: number;
    lastLocation: number;
    lowest: number;
    highest: number;
    entered: number;
    size: number;
    comm: number;
    root: number;
}

/** Typed views of an Exact's buffers. */
export class Records {
    readonly spanTimes: Float64Array;
    readonly spanWords: Uint32Array;
    readonly segmentTimes: Float64Array;
    readonly segmentWords: Uint32Array;
    readonly messageNumbers: Float64Array;
    readonly messageWords: Uint32Array;
    readonly collectiveNumbers: Float64Array;
    readonly collectiveWords: Int32Array;
    private readonly operationNumbers: Float64Array;
    private readonly operationWords: Int32Array;
    private static readonly known = new WeakMap<Exact, Records>();

    private constructor(readonly exact: Exact) {
        this.spanTimes = new Float64Array(exact.spans);
        this.spanWords = new Uint32Array(exact.spans);
        this.segmentTimes = new Float64Array(exact.segments);
        this.segmentWords = new Uint32Array(exact.segments);
        this.messageNumbers = new Float64Array(exact.messages);
        this.messageWords = new Uint32Array(exact.messages);
        this.collectiveNumbers = new Float64Array(exact.collectives);
        this.collectiveWords = new Int32Array(exact.collectives);
        this.operationNumbers = new Float64Array(exact.operations);
        this.operationWords = new Int32Array(exact.operations);
    }

    static of(exact: Exact): Records {
        let records = Records.known.get(exact);
        if (!records) Records.known.set(exact, (records = new Records(exact)));
        return records;
    }

    span(index: number): Span {
        const t = index * SPAN_DOUBLES;
        const w = index * SPAN_WORDS;
        return {
            index,
            from: this.spanTimes[t],
            to: this.spanTimes[t + 1],
            waitsUntil: this.spanTimes[t + 2],
            region: this.spanWords[w + 6],
            location: this.spanWords[w + 7],
            depth: this.spanWords[w + 8],
            flags: this.spanWords[w + 9],
            firstOperation: this.spanWords[w + 10],
            nOperations: this.spanWords[w + 11],
            waitKind: this.spanWords[w + 12],
            cause: this.spanWords[w + 13] | 0,
        };
    }

    operation(index: number): Operation {
        const n = index * 8;
        const w = index * 16;
        return {
            time: this.operationNumbers[n],
            bytes: this.operationNumbers[n + 1],
            received: this.operationNumbers[n + 2],
            tag: this.operationNumbers[n + 3],
            request: this.operationNumbers[n + 4],
            other: this.operationNumbers[n + 5],
            peer: this.operationWords[w + 12],
            comm: this.operationWords[w + 13],
            kind: this.operationWords[w + 14],
            flags: this.operationWords[w + 15],
        };
    }

    message(index: number): Message {
        const n = index * MESSAGE_DOUBLES;
        const w = index * MESSAGE_WORDS;
        return {
            index,
            sent: this.messageNumbers[n],
            received: this.messageNumbers[n + 1],
            bytes: this.messageNumbers[n + 2],
            tag: this.messageNumbers[n + 3],
            from: this.messageWords[w + 8],
            to: this.messageWords[w + 9],
            comm: this.messageWords[w + 10] | 0,
            flags: this.messageWords[w + 11],
            sentIn: this.messageWords[w + 12],
            receivedIn: this.messageWords[w + 13],
        };
    }

    collective(index: number): Collective {
        const n = index * 8;
        const w = index * 16;
        return {
            first: this.collectiveNumbers[n],
            last: this.collectiveNumbers[n + 1],
            left: this.collectiveNumbers[n + 2],
            bytes: this.collectiveNumbers[n + 3],
            region: this.collectiveWords[w + 8],
            lastLocation: this.collectiveWords[w + 9],
            lowest: this.collectiveWords[w + 10],
            highest: this.collectiveWords[w + 11],
            entered: this.collectiveWords[w + 12],
            size: this.collectiveWords[w + 13],
            comm: this.collectiveWords[w + 14],
            root: this.collectiveWords[w + 15],
        };
    }

    /** The position, in the order, of the first span of a lane that ends after `time`; the lane's end if there is none. */
    firstInLane(location: number, depth: number, time: number): { at: number; end: number } {
        const { lanes, order, depths } = this.exact;
        const lane = location * depths + depth;
        const end = lanes[lane + 1];
        let low = lanes[lane];
        let high = end;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.spanTimes[order[middle] * SPAN_DOUBLES + 1] <= time) low = middle + 1;
            else high = middle;
        }
        return { at: low, end };
    }

    /** The same for the segments of a location. */
    firstSegment(location: number, time: number): { at: number; end: number } {
        const { segmentIndex, segmentOrder } = this.exact;
        const end = segmentIndex[location + 1];
        let low = segmentIndex[location];
        let high = end;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.segmentTimes[segmentOrder[middle] * 4 + 1] <= time) low = middle + 1;
            else high = middle;
        }
        return { at: low, end };
    }

    /** The span of a location that is open at `time` at this depth (null: the innermost one); null if there is none. */
    spanAt(location: number, time: number, depth: number | null): Span | null {
        const from = depth ?? this.exact.depths - 1;
        for (let d = from; d >= (depth ?? 0); d--) {
            const { at, end } = this.firstInLane(location, d, time);
            if (at < end && this.spanTimes[this.exact.order[at] * SPAN_DOUBLES] <= time)
                return this.span(this.exact.order[at]);
        }
        return null;
    }

    /** The longest span of this region on a location between two moments; null if there is none. */
    longest(location: number, region: number, from: number, to: number): Span | null {
        const { lanes, order, depths } = this.exact;
        let best = -1;
        let most = 0;
        for (let at = lanes[location * depths]; at < lanes[(location + 1) * depths]; at++) {
            const i = order[at];
            if (this.spanWords[i * SPAN_WORDS + 6] !== region) continue;
            const times = i * SPAN_DOUBLES;
            const inside = Math.min(to, this.spanTimes[times + 1]) - Math.max(from, this.spanTimes[times]);
            if (inside <= most) continue;
            most = inside;
            best = i;
        }
        return best < 0 ? null : this.span(best);
    }

    /** Number of lanes of a location in this window. */
    depthsOf(location: number): number {
        const { lanes, depths } = this.exact;
        let d = depths;
        while (d > 0 && lanes[location * depths + d] === lanes[location * depths + d - 1]) d--;
        return d;
    }
}
