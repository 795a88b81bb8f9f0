// alignment.ts: maps moments of one run to those of the other: by the visits that both have (view_compare.h), and by
// interpolation between them.

export class Alignment {
    /** Pairs of moments, of run A and of run B. Both increase. */
    constructor(readonly anchors: [number, number][]) {}

    /** The index of the last anchor at or before a moment of a run, but not of the very last anchor. */
    private before(run: number, time: number): number {
        let low = 0;
        let high = Math.max(0, this.anchors.length - 2);
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.anchors[middle][run] <= time) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /** The moment of the other run. */
    map(run: number, time: number): number {
        const { anchors } = this;
        if (anchors.length < 2) return time;
        const i = this.before(run, time);
        const [a, b] = [anchors[i], anchors[i + 1]];
        const part = (time - a[run]) / Math.max(1e-9, b[run] - a[run]);
        return a[1 - run] + part * (b[1 - run] - a[1 - run]);
    }

    /** The anchors in a window of a run, about `most` at most, and one beyond each end. */
    within(run: number, from: number, to: number, most: number): [number, number][] {
        const first = this.before(run, from);
        const last = Math.min(this.anchors.length - 1, this.before(run, to) + 1);
        const step = Math.max(1, Math.ceil((last - first) / most));
        const found: [number, number][] = [];
        // A fixed choice of anchors, so that they do not jump while the window moves.
        for (let i = first - (first % step); i <= last; i += step) found.push(this.anchors[i]);
        return found;
    }
}
