// raster.ts: draws bars as pixels. Each row's time is summed per pixel and group. So a bar that is shorter than a pixel counts
// with its share, and the result does not depend on chance.
//
// A pixel of several groups is divided from top to bottom if its row is high enough, else their colours are mixed. Waiting is
// hatched: strokes of the group's colour on paper.

import type { Group } from "./palette.js";

export interface Paper {
    red: number;
    green: number;
    blue: number;
}

/** A group with a smaller share of a pixel is not drawn. */
const LITTLE = 0.004;
const HATCH_PERIOD = 6;
const HATCH_STROKE = 2;
/** From this height in pixels on, a row shows the shares of a pixel one above the other. */
const STACK_FROM = 9;

function pack(red: number, green: number, blue: number): number {
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** The colour of each group, followed by the colour between its strokes where it waits. */
function inksOf(groups: Group[], paper: Paper): Uint32Array {
    const inks = new Uint32Array(2 * groups.length);
    groups.forEach((group, i) => {
        inks[2 * i] = pack(group.red, group.green, group.blue);
        inks[2 * i + 1] = pack(
            paper.red * 0.85 + group.red * 0.15,
            paper.green * 0.85 + group.green * 0.15,
            paper.blue * 0.85 + group.blue * 0.15,
        );
    });
    return inks;
}

function column(
    pixels: Uint32Array,
    stride: number,
    x: number,
    y0: number,
    y1: number,
    inks: Uint32Array,
    key: number,
): void {
    const ink = inks[key & ~1];
    if (!(key & 1)) {
        for (let y = y0; y < y1; y++) pixels[y * stride + x] = ink;
        return;
    }
    const light = inks[key];
    for (let y = y0; y < y1; y++) pixels[y * stride + x] = (x + y) % HATCH_PERIOD < HATCH_STROKE ? ink : light;
}

/** Sums the time of one row, pixel by pixel. Used for one row after the other. */
export class Line {
    /** For each pixel: entries of (group * 2 + waits, share). */
    private readonly keys: Uint16Array;
    private readonly shares: Float32Array;
    private readonly used: Uint8Array;
    private static readonly MOST = 16;
    /** Order of the entries of the pixel being drawn. */
    private readonly order = new Uint32Array(Line.MOST);

    constructor(readonly width: number) {
        this.keys = new Uint16Array(width * Line.MOST);
        this.shares = new Float32Array(width * Line.MOST);
        this.used = new Uint8Array(width);
    }

    clear(): void {
        this.used.fill(0);
    }

    private put(x: number, key: number, share: number): void {
        const base = x * Line.MOST;
        const n = this.used[x];
        for (let i = 0; i < n; i++)
            if (this.keys[base + i] === key) {
                this.shares[base + i] += share;
                return;
            }
        if (n < Line.MOST) {
            this.keys[base + n] = key;
            this.shares[base + n] = share;
            this.used[x] = n + 1;
            return;
        }
        // A pixel with too many groups: the group with the least share loses its entry.
        let least = 0;
        for (let i = 1; i < n; i++) if (this.shares[base + i] < this.shares[base + least]) least = i;
        if (this.shares[base + least] < share) this.keys[base + least] = key;
        this.shares[base + least] += share;
    }

    /** Adds time of a group from x0 to x1, in pixels, with a weight. */
    add(x0: number, x1: number, group: number, waiting: boolean, weight: number): void {
        if (x0 < 0) x0 = 0;
        if (x1 > this.width) x1 = this.width;
        if (x1 <= x0) return;
        const key = group * 2 + (waiting ? 1 : 0);
        const first = Math.floor(x0);
        const last = Math.min(Math.ceil(x1) - 1, this.width - 1);
        if (first === last) {
            this.put(first, key, (x1 - x0) * weight);
            return;
        }
        this.put(first, key, (first + 1 - x0) * weight);
        for (let x = first + 1; x < last; x++) this.put(x, key, weight);
        this.put(last, key, (x1 - last) * weight);
    }

    /** Draws the row over the pixel rows y0 to y1 (excluded). */
    draw(pixels: Uint32Array, stride: number, y0: number, y1: number, groups: Group[], paper: Paper): void {
        const { keys, shares, used } = this;
        const stacks = y1 - y0 >= STACK_FROM;
        const inks = inksOf(groups, paper);
        for (let x = 0; x < this.width; x++) {
            const base = x * Line.MOST;
            const n = used[x];
            if (n === 0) continue;
            if (n === 1 && shares[base] > 0.99) {
                if (groups[keys[base] >> 1].shown) column(pixels, stride, x, y0, y1, inks, keys[base]);
            } else if (stacks) this.stack(pixels, stride, x, y0, y1, groups, inks);
            else this.mix(pixels, stride, x, y0, y1, groups, paper);
        }
    }

    /** Draws a pixel's groups one above the other, in the order of the groups. */
    private stack(
        pixels: Uint32Array,
        stride: number,
        x: number,
        y0: number,
        y1: number,
        groups: Group[],
        inks: Uint32Array,
    ): void {
        // prettier-ignore
        const { keys, shares, order } = this;
        const base = x * Line.MOST;
        let n = 0;
        for (let i = base; i < base + this.used[x]; i++) {
            if (shares[i] < LITTLE || !groups[keys[i] >> 1].shown) continue;
            let at = n++;
            for (; at > 0 && keys[order[at - 1]] > keys[i]; at--) order[at] = order[at - 1];
            order[at] = i;
        }
        let y = y0;
        let sum = 0;
        for (let k = 0; k < n; k++) {
            sum += shares[order[k]];
            const end = Math.min(y1, y0 + Math.round(Math.min(1, sum) * (y1 - y0)));
            column(pixels, stride, x, y, end, inks, keys[order[k]]);
            y = end;
        }
    }

    /** Draws a pixel in the mixed colour of its groups. */
    private mix(
        pixels: Uint32Array,
        stride: number,
        x: number,
        y0: number,
        y1: number,
        groups: Group[],
        paper: Paper,
    ): void {
        // prettier-ignore
        const base = x * Line.MOST;
        let red = 0;
        let green = 0;
        let blue = 0;
        let all = 0;
        for (let i = base; i < base + this.used[x]; i++) {
            const group = groups[this.keys[i] >> 1];
            if (!group.shown) continue;
            // In a mixture, waiting is lighter, as hatching looks from a distance.
            const ink = this.keys[i] & 1 ? HATCH_STROKE / HATCH_PERIOD : 1;
            const share = this.shares[i];
            red += share * (group.red * ink + paper.red * (1 - ink));
            green += share * (group.green * ink + paper.green * (1 - ink));
            blue += share * (group.blue * ink + paper.blue * (1 - ink));
            all += share;
        }
        if (all === 0) return;
        const most = all > 1 ? 1 / all : 1;
        const rest = all > 1 ? 0 : 1 - all;
        const colour = pack(
            red * most + paper.red * rest,
            green * most + paper.green * rest,
            blue * most + paper.blue * rest,
        );
        for (let y = y0; y < y1; y++) pixels[y * stride + x] = colour;
    }
}
