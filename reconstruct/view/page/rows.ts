// rows.ts: which locations are shown, in which order and where. A row is one location, or several that are folded.

import type { State } from "./state.js";
import { PART_NUMBERS, partsIn } from "./shares.js";

export interface Row {
    locations: number[];
    label: string;
    /** A second line of text; "": none. */
    more: string;
}

export type Order = "rank" | "waiting" | "alike";

const MOST_FOLDS = 12;
/** Shares come from a level with at least this many intervals between MPI_Init and MPI_Finalize, if the overview is that fine. */
const BEHAVIOUR_INTERVALS = 1024;
const MOST_HEIGHT = 220;
/** Number of letters that fit beside a row. */
const SHORT = 9;

/** Each location's share of time by group, then its share of waiting, between MPI_Init and MPI_Finalize: locations with equal
 *  shares are alike. The time before and after differs by chance. */
function vectors(state: State): Float64Array[] {
    const groups = state.palette.groups.length;
    const { from, to } = state.work;
    const all = state.locations.map(() => new Float64Array(groups + 1));
    const { overview } = state;
    if (!overview) return all;
    const parts = partsIn(overview.level((to - from) / BEHAVIOUR_INTERVALS), all.length, from, to);
    for (let i = 0; i < parts.length; i += PART_NUMBERS) {
        const vector = all[parts[i]];
        vector[state.palette.groupOf[parts[i + 1]]?.index ?? 0] += parts[i + 2] / (to - from);
        vector[groups] += parts[i + 3] / (to - from);
    }
    return all;
}

function distance(a: Float64Array, b: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
    return Math.sqrt(sum);
}

/** Folds locations that are alike. The first location of each fold is the one that differs most from all folds before. */
function fold(all: Float64Array[], most: number): number[][] {
    const leaders = [0];
    const nearest = all.map((vector) => distance(vector, all[0]));
    const owner = all.map(() => 0);
    while (leaders.length < most) {
        let far = 0;
        nearest.forEach((d, i) => (far = d > nearest[far] ? i : far));
        if (nearest[far] < 0.02) break;
        leaders.push(far);
        all.forEach((vector, i) => {
            const d = distance(vector, all[far]);
            if (d < nearest[i]) {
                nearest[i] = d;
                owner[i] = leaders.length - 1;
            }
        });
    }
    const folds: number[][] = leaders.map(() => []);
    owner.forEach((f, i) => folds[f].push(i));
    return folds.sort((a, b) => a[0] - b[0]);
}

/** Ranks as ranges, for example "0-3, 7". */
export function showRanks(ranks: number[]): string {
    const sorted = [...new Set(ranks)].sort((a, b) => a - b);
    const parts: string[] = [];
    for (let i = 0; i < sorted.length;) {
        let j = i;
        while (j + 1 < sorted.length && sorted[j + 1] === sorted[j] + 1) j++;
        parts.push(i === j ? `${sorted[i]}` : `${sorted[i]}–${sorted[j]}`);
        i = j + 1;
    }
    return parts.length > 3 ? `${parts.slice(0, 3).join(", ")}, … (${sorted.length})` : parts.join(", ");
}

export class Rows {
    rows: Row[] = [];
    order: Order = "rank";
    folded = false;
    /** In CSS pixels; less than 1 if rows share pixels. */
    height = 20;
    /** The first pixel shown. */
    scroll = 0;
    private fitted = true;

    constructor(private readonly state: State) {
        state.on(["rows"], () => this.arrange());
    }

    arrange(): void {
        const { locations } = this.state;
        const threads = locations.some((location) => location.thread > 0);
        const label = (l: number): string =>
            threads ? `${locations[l].rank}.${locations[l].thread}` : `${locations[l].rank}`;
        const all = locations.map((_, i) => i);
        if (this.folded && all.length > 1) {
            this.rows = fold(vectors(this.state), MOST_FOLDS).map((members) => {
                const ranks = showRanks(members.map((l) => locations[l].rank));
                if (members.length === 1) return { locations: members, label: label(members[0]), more: "" };
                if (ranks.length <= SHORT) return { locations: members, label: ranks, more: "" };
                return {
                    locations: members,
                    label: `${members.length} ${threads ? "threads" : "ranks"}`,
                    more: ranks.replace(/ \(\d+\)$/, ""),
                };
            });
            return;
        }
        if (this.order === "waiting") {
            const waiting = vectors(this.state).map((vector) => vector[vector.length - 1]);
            all.sort((a, b) => waiting[b] - waiting[a] || a - b);
        } else if (this.order === "alike") {
            const folds = fold(vectors(this.state), MOST_FOLDS);
            all.splice(0, all.length, ...folds.flat());
        }
        this.rows = all.map((l) => ({ locations: [l], label: label(l), more: "" }));
    }

    set(order: Order, folded: boolean): void {
        this.order = order;
        this.folded = folded;
        this.fitted = true;
        this.arrange();
        this.state.notify("rows");
    }

    /** Fits all rows into so many pixels, unless the user has set a height. */
    fit(pixels: number): void {
        if (this.fitted) this.height = Math.min(MOST_HEIGHT, pixels / Math.max(1, this.rows.length));
        this.scroll = Math.max(0, Math.min(this.scroll, this.rows.length * this.height - pixels));
    }

    /** Changes the height of rows and keeps the row at the pixel `around`. */
    stretch(factor: number, around: number, pixels: number): void {
        const least = Math.min(MOST_HEIGHT, pixels / Math.max(1, this.rows.length));
        const height = Math.max(least, Math.min(2 * MOST_HEIGHT, this.height * factor));
        this.scroll = ((this.scroll + around) * height) / this.height - around;
        this.height = height;
        this.fitted = height === least;
        this.fit(pixels);
    }

    at(y: number): number {
        const row = Math.floor((y + this.scroll) / this.height);
        return row >= 0 && row < this.rows.length ? row : -1;
    }

    /** Scrolls until a row is visible in so many pixels; -1: no row. */
    reveal(row: number, pixels: number): void {
        if (row < 0) return;
        const top = this.top(row);
        if (top < 0) this.scroll += top;
        else if (top + this.height > pixels) this.scroll += top + this.height - pixels;
    }

    top(row: number): number {
        return row * this.height - this.scroll;
    }

    rowOf(location: number): number {
        return this.rows.findIndex((row) => row.locations.includes(location));
    }
}
