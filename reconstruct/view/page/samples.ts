// samples.ts: adds up the samples of a part of the run: by function, by call path, and over time.

import { showPlace } from "./format.js";
import type { Samples } from "./protocol.js";
import type { State } from "./state.js";

/** Numbers of a row, and of a path (protocol.ts). */
const SAMPLE_NUMBERS = 6;
const PATH_NUMBERS = 3;

/** Which samples count. */
export interface Filter {
    from: number;
    to: number;
    /** -1: all ranks. */
    rank: number;
    /** True: only samples outside of MPI calls. */
    computing: boolean;
    /** Only samples after this region, an MPI call; undefined: all. */
    after?: number;
}

/** A function below its callers, as flame graphs take it. `value`: samples in the function itself. */
export interface Frame {
    name: string;
    about: string;
    value: number;
    all: number;
    children: Frame[];
}

const isInside = (call: number): boolean => call > 0 && call % 2 === 0;

/** The first row of each rank, and the end of all rows. Rows are sorted by rank. */
const beginnings = new WeakMap<Samples, Map<number, [number, number]>>();
function rowsOf(samples: Samples, rank: number): [number, number] {
    const { rows } = samples;
    let of = beginnings.get(samples);
    if (!of) {
        beginnings.set(samples, (of = new Map()));
        for (let i = 0; i < rows.length; i += SAMPLE_NUMBERS)
            of.set(rows[i], [of.get(rows[i])?.[0] ?? i, i + SAMPLE_NUMBERS]);
    }
    // Rows that are added up over all ranks are those of each.
    return rank < 0 ? [0, rows.length] : (of.get(rank) ?? of.get(-1) ?? [0, 0]);
}

/** Calls `add` for each row with samples in the filter. `share`: how many of its samples are in the interval, if they are
 *  evenly distributed over their stretch of the run. */
function forEach(samples: Samples, filter: Filter, add: (path: number, share: number) => void): void {
    const { rows } = samples;
    const [first, end] = rowsOf(samples, filter.rank);
    for (let i = first; i < end; i += SAMPLE_NUMBERS) {
        const [call, from, to] = [rows[i + 2], rows[i + 3], rows[i + 4]];
        const common = Math.min(to, filter.to) - Math.max(from, filter.from);
        if (common <= 0 || (filter.computing && isInside(call))) continue;
        if (filter.after !== undefined && call !== 3 + 2 * filter.after) continue;
        add(rows[i + 1], (rows[i + 5] * common) / (to - from));
    }
}

export interface Counted {
    /** Index of the function, or of the path. */
    index: number;
    samples: number;
}

/** Samples by the function that computes, the most first. */
export function functionsOf(samples: Samples, filter: Filter): Counted[] {
    const sums = new Map<number, number>();
    forEach(samples, filter, (path, share) => {
        const of = samples.paths[PATH_NUMBERS * path + (filter.computing ? 2 : 1)];
        sums.set(of, (sums.get(of) ?? 0) + share);
    });
    return [...sums].map(([index, n]) => ({ index, samples: n })).sort((a, b) => b.samples - a.samples);
}

export const totalOf = (counted: Counted[]): number => counted.reduce((sum, { samples }) => sum + samples, 0);

export function nameFunction(samples: Samples, index: number): string {
    return samples.functions[index].name || "code that is in no file";
}

/** The place of a function's source, or the file with its code, which a function without a symbol has in its name. */
export function placeOf(samples: Samples, index: number): string {
    const { name, file, line, object } = samples.functions[index];
    return (
        showPlace(file, line) ||
        (object && !name.startsWith(`${showPlace(object, 0)}+`) ? `in ${showPlace(object, 0)}` : "")
    );
}

/** The call paths of the samples as a tree. */
export function treeOf(samples: Samples, filter: Filter): Frame {
    const root: Frame = { name: "all", about: "", value: 0, all: 0, children: [] };
    const own = new Map<number, number>();
    forEach(samples, filter, (path, share) => own.set(path, (own.get(path) ?? 0) + share));
    const frames = new Map<number, Frame>();
    const frameOf = (path: number): Frame => {
        let frame = frames.get(path);
        if (frame) return frame;
        const [parent, index] = samples.paths.slice(PATH_NUMBERS * path, PATH_NUMBERS * path + 2);
        frame = { name: nameFunction(samples, index), about: placeOf(samples, index), value: 0, all: 0, children: [] };
        frames.set(path, frame);
        (parent ? frameOf(parent - 1) : root).children.push(frame);
        return frame;
    };
    for (const [path, share] of own) frameOf(path).value += share;
    const add = (frame: Frame): number =>
        (frame.all = frame.children.reduce((sum, child) => sum + add(child), frame.value));
    add(root);
    return root;
}

/** A time and its standard deviation, for example "1.20 ± 0.11 s". */
export function showSamples(samples: Samples, n: number): string {
    const each = 1 / samples.per_second;
    return `${(n * each).toFixed(2)} ± ${(Math.sqrt(n) * each).toFixed(2)} s`;
}

/** A colour for each name, on which black text can be read. */
export function colourOf(name: string): string {
    let hash = 0;
    for (const letter of name) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0;
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    return `hsl(${hash % 360} ${55 + ((hash >>> 9) % 25)}% ${66 + ((hash >>> 14) % 12)}%)`;
}

/** Lines for a tip or a panel: the functions that compute most, with their shares of all samples in the interval. */
export function computingLines(
    state: State,
    ranks: number[],
    from: number,
    to: number,
    most: number,
): [string, string][] {
    const { samples } = state.about;
    if (!samples) return [];
    const sums = new Map<number, number>();
    let all = 0;
    for (const rank of new Set(ranks)) {
        all += totalOf(functionsOf(samples, { from, to, rank, computing: false }));
        for (const { index, samples: n } of functionsOf(samples, { from, to, rank, computing: true }))
            sums.set(index, (sums.get(index) ?? 0) + n);
    }
    // With less than a sample, nothing is known.
    if (all < 1) return [];
    return [...sums]
        .sort((a, b) => b[1] - a[1])
        .slice(0, most)
        .map(([index, n]) => [
            `${Math.round((100 * n) / all)} % of ${all.toFixed(0)} samples`,
            nameFunction(samples, index),
        ]);
}
