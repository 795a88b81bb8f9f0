// bars.ts: paints the bars as pixels, for a few milliseconds in each frame. Until the bars of a window are done, older ones are
// shown in their place, stretched.

import { laneBox, lanesOf } from "./lanes.js";
import { Line, type Paper } from "./raster.js";
import { SPAN_DOUBLES, SPAN_WORDS, type Records } from "./records.js";
import type { Rows } from "./rows.js";
import type { Tile } from "./protocol.js";
import { regionOf, shareOf, waits } from "./shares.js";
import type { State } from "./state.js";

/** From this many segments per pixel on, bars are drawn from shares of intervals. */
const DENSE = 1.5;
/** Painting pauses after this time and continues with the next frame. */
const BUDGET_MS = 4;
/** While the window moves, the bars are painted anew if the painted ones would be stretched or shrunk by more than MOST_STRETCH,
 *  or miss more than MOST_MISSING of the window; and when the window has rested for REST_MS. */
const MOST_STRETCH = 2;
const MOST_MISSING = 0.15;
const REST_MS = 100;
/** Bars between two checks of the clock. */
const BETWEEN = 10_000;

/** The part of the run that bars are painted from. */
interface View {
    from: number;
    to: number;
    scroll: number;
    height: number;
    /** A tile, or the overview. */
    source: unknown;
}

interface Painted {
    view: View;
    canvas: HTMLCanvasElement;
}

const same = (a: View, b: View): boolean =>
    a.from === b.from && a.to === b.to && a.scroll === b.scroll && a.height === b.height && a.source === b.source;

export class Bars {
    private line = new Line(1);
    private image = new ImageData(1, 1);
    private ratio = 1;
    private job: { view: View; work: Generator<void> } | null = null;
    /** What was painted last, and the last painting of the whole run. */
    private last: Painted | null = null;
    private whole: Painted | null = null;
    /** The view that the canvas shows exactly; null: a stretched one. */
    private shown: View | null = null;
    private movedAt = -Infinity;

    constructor(
        private readonly state: State,
        private readonly rows: Rows,
        private readonly canvas: HTMLCanvasElement,
        private readonly colours: () => { paper: Paper; paperCss: string },
    ) {
        state.on(["legend", "rows", "theme"], () => this.forget());
        state.on(["window"], () => (this.movedAt = performance.now()));
    }

    /** Called when the size of the canvas has changed. */
    resize(ratio: number): void {
        this.ratio = ratio;
        this.line = new Line(this.canvas.width);
        this.image = new ImageData(this.canvas.width, this.canvas.height);
        this.forget();
    }

    private forget(): void {
        this.job = this.last = this.whole = this.shown = null;
    }

    /** Shows the window as well as possible in a part of a frame's time. False: it gets better when drawn again. */
    draw(tile: Tile | null, records: Records | null): boolean {
        const { from, to, overview } = this.state;
        const { scroll, height } = this.rows;
        const view: View = { from, to, scroll, height, source: tile ?? overview };
        if (this.shown && same(this.shown, view)) return true;
        const until = this.last?.view.source ? performance.now() + BUDGET_MS : Infinity;
        while (!this.last || !same(this.last.view, view)) {
            if (!this.job && !this.needsPainting(view)) break;
            this.job ??= { view, work: this.paint(view, tile, records) };
            if (!this.continuePainting(until)) break;
        }
        const context = this.canvas.getContext("2d")!;
        const done = this.last !== null && same(this.last.view, view);
        if (done) context.drawImage(this.last!.canvas, 0, 0);
        else this.stretch(context, view);
        this.shown = done ? view : null;
        return done;
    }

    /** True if the last painting differs too much from this view to be shown for it, or the window has rested. */
    private needsPainting(view: View): boolean {
        const { last } = this;
        if (!last || performance.now() - this.movedAt > REST_MS) return true;
        const { from, to, source } = last.view;
        const width = view.to - view.from;
        const stretch = (to - from) / width;
        const missing = width - (Math.min(to, view.to) - Math.max(from, view.from));
        return (
            source !== view.source ||
            stretch > MOST_STRETCH ||
            stretch < 1 / MOST_STRETCH ||
            missing > width * MOST_MISSING ||
            last.view.scroll !== view.scroll ||
            last.view.height !== view.height
        );
    }

    /** Continues painting. True: the job is done and has become `last`. */
    private continuePainting(until: number): boolean {
        const { view, work } = this.job!;
        while (!work.next().done) if (performance.now() > until) return false;
        this.job = null;
        const isWhole = view.to - view.from > this.state.end * 0.999;
        const old = this.last?.canvas;
        const canvas = old && !isWhole && old !== this.whole?.canvas ? old : document.createElement("canvas");
        if (canvas.width !== this.canvas.width || canvas.height !== this.canvas.height) {
            canvas.width = this.canvas.width;
            canvas.height = this.canvas.height;
        }
        canvas.getContext("2d")!.putImageData(this.image, 0, 0);
        this.last = { view, canvas };
        if (isWhole) this.whole = this.last;
        return true;
    }

    /** Draws an older painting at its new place. */
    private stretch(context: CanvasRenderingContext2D, view: View): void {
        const { width, height } = this.canvas;
        context.fillStyle = this.colours().paperCss;
        context.fillRect(0, 0, width, height);
        const { last, whole } = this;
        const covers = last && last.view.from <= view.from && last.view.to >= view.to;
        for (const painted of covers ? [last] : [whole, last]) {
            if (!painted) continue;
            const { from, to, scroll, height: rowHeight } = painted.view;
            // The visible part, in pixels of the painting and of the window.
            const [start, stop] = [Math.max(from, view.from), Math.min(to, view.to)];
            const at = ((start - from) / (to - from)) * width;
            const length = ((stop - start) / (to - from)) * width;
            const x = ((start - view.from) / (view.to - view.from)) * width;
            const stretched = ((stop - start) / (view.to - view.from)) * width;
            const scale = view.height / rowHeight;
            const top = (scroll * scale - view.scroll) * this.ratio;
            if (length > 0) context.drawImage(painted.canvas, at, 0, length, height, x, top, stretched, height * scale);
        }
    }

    // ---- painting, with a stop now and then

    private *paint(view: View, tile: Tile | null, records: Records | null): Generator<void> {
        const { line, rows, ratio } = this;
        const pixels = new Uint32Array(this.image.data.buffer);
        const { paper } = this.colours();
        pixels.fill(((255 << 24) | (paper.blue << 16) | (paper.green << 8) | paper.red) >>> 0);
        const { width: stride, height: deviceHeight } = this.image;
        const rowHeight = view.height * ratio;
        const groups = this.state.palette.groups;
        if (rowHeight < 2) {
            // Several rows share a line of pixels: each gets a part of it.
            for (let y = 0; y < deviceHeight; y++) {
                const from = Math.floor((y + view.scroll * ratio) / rowHeight);
                const to = Math.max(from + 1, Math.floor((y + 1 + view.scroll * ratio) / rowHeight));
                if (from >= rows.rows.length) break;
                const members = rows.rows.slice(from, to).flatMap((row) => row.locations);
                line.clear();
                for (const location of members) yield* this.addTime(view, tile, records, location, 1 / members.length);
                line.draw(pixels, stride, y, y + 1, groups, paper);
                yield;
            }
            return;
        }
        const first = Math.max(0, Math.floor(view.scroll / view.height));
        const last = Math.min(rows.rows.length, Math.ceil((view.scroll + deviceHeight / ratio) / view.height));
        for (let r = first; r < last; r++) {
            const rowTop = r * view.height - view.scroll;
            const { locations } = rows.rows[r];
            const lanes = lanesOf(locations, view.height, records);
            if (!lanes) {
                const gap = rowHeight >= 24 ? 3 : rowHeight >= 5 ? 1 : 0;
                const top = Math.max(0, Math.round(rowTop * ratio));
                const bottom = Math.min(deviceHeight, Math.round((rowTop + view.height) * ratio) - gap);
                line.clear();
                for (const location of locations)
                    yield* this.addTime(view, tile, records, location, 1 / locations.length);
                line.draw(pixels, stride, top, bottom, groups, paper);
                yield;
                continue;
            }
            for (let depth = 0; depth < lanes; depth++) {
                const box = laneBox(rowTop, view.height, lanes, depth);
                const top = Math.max(0, Math.round(box.top * ratio));
                const bottom = Math.min(deviceHeight, Math.round(box.bottom * ratio) - 1);
                line.clear();
                yield* this.addLane(view, records!, locations[0], depth);
                line.draw(pixels, stride, top, bottom, groups, paper);
                yield;
            }
        }
    }

    /** Adds a location's own time: from its segments if they are known, else from shares of intervals. */
    private *addTime(
        view: View,
        tile: Tile | null,
        records: Records | null,
        location: number,
        weight: number,
    ): Generator<void> {
        const { line } = this;
        const { palette } = this.state;
        const { from, to } = view;
        const scale = line.width / (to - from);
        const { at, end } = records ? records.firstSegment(location, from) : { at: 0, end: 0 };
        // If there are more segments than pixels, shares of intervals give the same picture in less time.
        if (records && !(tile && records.firstSegment(location, to).at - at > line.width * DENSE)) {
            const { segmentOrder } = records.exact;
            for (let i = at; i < end; i++) {
                const segment = segmentOrder[i];
                const start = records.segmentTimes[segment * 4];
                if (start >= to) break;
                const stop = records.segmentTimes[segment * 4 + 1];
                const group = palette.groupOf[records.segmentWords[segment * 8 + 4]].index;
                const waiting = (records.segmentWords[segment * 8 + 6] & 4) !== 0;
                line.add((start - from) * scale, (stop - from) * scale, group, waiting, weight);
                if (i % BETWEEN === 0) yield;
            }
            return;
        }
        const wanted = (to - from) / line.width;
        const shares = tile ? tile.shares : this.state.overview?.level(wanted);
        if (!shares) return;
        const width = (shares.to - shares.from) / shares.bins;
        const first = Math.max(0, Math.floor((from - shares.from) / width));
        const last = Math.min(shares.bins, Math.ceil((to - shares.from) / width));
        const row = location * (shares.bins + 1);
        for (let b = first; b < last; b++) {
            const x0 = (shares.from + b * width - from) * scale;
            const x1 = x0 + width * scale;
            for (let i = shares.index[row + b]; i < shares.index[row + b + 1]; i++) {
                const word = shares.words[i];
                const group = (palette.groupOf[regionOf(word)] ?? palette.groups[0]).index;
                line.add(x0, x1, group, waits(word), shareOf(word) * weight);
            }
        }
    }

    private *addLane(view: View, records: Records, location: number, depth: number): Generator<void> {
        const { line } = this;
        const { palette } = this.state;
        const { from, to } = view;
        const scale = line.width / (to - from);
        const { order } = records.exact;
        const { at, end } = records.firstInLane(location, depth, from);
        for (let i = at; i < end; i++) {
            const span = order[i];
            const start = records.spanTimes[span * SPAN_DOUBLES];
            if (start >= to) break;
            const stop = records.spanTimes[span * SPAN_DOUBLES + 1];
            const until = records.spanTimes[span * SPAN_DOUBLES + 2];
            const group = palette.groupOf[records.spanWords[span * SPAN_WORDS + 6]].index;
            if (until > start) line.add((start - from) * scale, (Math.min(until, stop) - from) * scale, group, true, 1);
            line.add((Math.max(start, until) - from) * scale, (stop - from) * scale, group, false, 1);
            if (i % BETWEEN === 0) yield;
        }
    }
}
