// timeline.ts: the picture: bars as pixels on one canvas, names, messages and marks on another above it, the axis beside.

import { axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { nameLocation } from "./details.js";
import { showNs } from "./format.js";
import { laneAt, laneBox, lanesOf } from "./lanes.js";
import { Line, type Paper } from "./raster.js";
import { Records, SPAN_DOUBLES, SPAN_WORDS, type Message } from "./records.js";
import type { Rows } from "./rows.js";
import { regionOf, shareOf, waits } from "./shares.js";
import type { State } from "./state.js";
import type { Tile } from "./protocol.js";

/** From so many pieces of time to a pixel on, they are drawn as shares. */
const DENSE = 1.5;
const MOST_LINES = 4000;
/** Messages within so many pixels are one line where there are more, and rows within so many. */
const BUNDLE_PIXELS = 4;
const BUNDLE_HEIGHT = 3;
const BUNDLE_STRENGTHS = 4;
const FEW_LINES = 600;
const MOST_COLLECTIVES = 1500;
const NAME_FROM = 30;

export interface Colours {
    paper: Paper;
    paperCss: string;
    ink: string;
    faint: string;
    message: string;
    chosen: string;
}

/** A message line as drawn, for finding it under the pointer. */
interface DrawnMessage {
    x0: number;
    y0: number;
    x1: number;
    y1: number;
    message: Message;
    /** Messages that it stands for. */
    count: number;
}

/** Messages that are drawn as one line: the first of them, and how many. */
interface Bundle {
    first: number;
    count: number;
}

/** The bars as they were drawn of a window. */
interface Frame {
    canvas: HTMLCanvasElement;
    from: number;
    to: number;
    scroll: number;
    height: number;
}

/** Bars that take longer than this are drawn stretched while the window moves, and anew when it rests. */
const SLOW_MS = 7;
const REST_MS = 120;

export class Timeline {
    width = 100;
    height = 100;
    slowest = 0;
    showMessages = true;
    showCollectives = true;
    /** Messages that were too many for a line each; 0: each has its own. */
    bundled = 0;
    pointer: { x: number; y: number } | null = null;
    drag: { from: number; to: number } | null = null;
    private drawn: DrawnMessage[] = [];
    private line: Line | null = null;
    private image: ImageData | null = null;
    private scheduled = false;
    private ratio = 1;
    /** What the bars were drawn from last, and for the whole run: drawn stretched while the window moves. */
    private last: Frame | null = null;
    private whole: Frame | null = null;
    private barsMs = 0;
    private movedAt = 0;
    private settle: number | undefined;

    constructor(
        private readonly state: State,
        private readonly rows: Rows,
        private readonly bars: HTMLCanvasElement,
        readonly marks: HTMLCanvasElement,
        private readonly labels: HTMLCanvasElement,
        private readonly axis: SVGSVGElement,
        private readonly colours: () => Colours,
    ) {
        state.on(["window"], () => (this.movedAt = performance.now()));
        state.on(["legend", "rows", "theme", "data"], () => (this.last = this.whole = null));
        state.on(["window", "data", "choice", "legend", "rows", "theme", "range"], () => this.draw());
        new ResizeObserver(() => this.resize()).observe(marks);
    }

    private resize(): void {
        const box = this.marks.getBoundingClientRect();
        this.ratio = window.devicePixelRatio || 1;
        this.width = Math.max(10, Math.round(box.width));
        this.height = Math.max(10, Math.round(box.height));
        for (const canvas of [this.bars, this.marks]) {
            canvas.width = Math.round(this.width * this.ratio);
            canvas.height = Math.round(this.height * this.ratio);
        }
        this.labels.width = Math.round(this.labels.clientWidth * this.ratio);
        this.labels.height = this.bars.height;
        this.line = new Line(this.bars.width);
        this.image = new ImageData(this.bars.width, this.bars.height);
        this.state.tell("window");
    }

    xOf(time: number): number {
        return ((time - this.state.from) / (this.state.to - this.state.from)) * this.width;
    }
    timeAt(x: number): number {
        return this.state.from + (x / this.width) * (this.state.to - this.state.from);
    }

    /** Draws with the next frame. */
    draw(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame(() => {
            this.scheduled = false;
            const started = performance.now();
            this.drawNow();
            const took = performance.now() - started;
            this.slowest = Math.max(this.slowest, took);
        });
    }

    private drawNow(): void {
        if (!this.line || !this.image) return;
        this.rows.fit(this.height);
        const tile = this.state.tile();
        const records = tile?.exact ? Records.of(tile.exact) : null;
        if (!this.stretchBars()) this.drawBarsAnew(tile, records);
        const context = this.marks.getContext("2d")!;
        context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        if (records) {
            this.drawNames(context, records);
            if (this.showCollectives) this.drawCollectives(context, records);
            if (this.showMessages) this.drawMessages(context, records);
            else this.drawn = [];
        } else this.drawn = [];
        this.drawMarks(context);
        this.drawLabels();
        this.drawAxis();
    }

    // ---- bars

    /** How many lanes a row is drawn in; 0: it shows own time. */
    private lanes(row: number, records: Records | null): number {
        return lanesOf(this.rows, row, records);
    }

    /** While the window moves: what was drawn before, at its new place. False where that is not needed, or not there. */
    private stretchBars(): boolean {
        const { last, whole } = this;
        if (this.barsMs < SLOW_MS || performance.now() - this.movedAt > REST_MS || !last) return false;
        clearTimeout(this.settle);
        this.settle = window.setTimeout(() => this.draw(), REST_MS);
        const context = this.bars.getContext("2d")!;
        context.fillStyle = this.colours().paperCss;
        context.fillRect(0, 0, this.bars.width, this.bars.height);
        for (const frame of [whole, last]) {
            if (!frame || frame.scroll !== this.rows.scroll || frame.height !== this.rows.height) continue;
            const x0 = this.xOf(frame.from) * this.ratio;
            const x1 = this.xOf(frame.to) * this.ratio;
            context.drawImage(frame.canvas, x0, 0, x1 - x0, this.bars.height);
        }
        return true;
    }

    private drawBarsAnew(tile: Tile | null, records: Records | null): void {
        const started = performance.now();
        this.drawBars(tile, records);
        this.barsMs = performance.now() - started;
        if (this.barsMs < SLOW_MS) return;
        const { from, to, end } = this.state;
        const isWhole = to - from > end * 0.999;
        const old = this.last?.canvas;
        const canvas = old && !isWhole && old !== this.whole?.canvas ? old : document.createElement("canvas");
        canvas.width = this.bars.width;
        canvas.height = this.bars.height;
        canvas.getContext("2d")!.drawImage(this.bars, 0, 0);
        const frame = { canvas, from, to, scroll: this.rows.scroll, height: this.rows.height };
        if (isWhole) this.whole = frame;
        this.last = frame;
    }

    private drawBars(tile: Tile | null, records: Records | null): void {
        const line = this.line!;
        const pixels = new Uint32Array(this.image!.data.buffer);
        const { paper } = this.colours();
        pixels.fill(((255 << 24) | (paper.blue << 16) | (paper.green << 8) | paper.red) >>> 0);
        const stride = this.bars.width;
        const deviceHeight = this.bars.height;
        const rowHeight = this.rows.height * this.ratio;
        const groups = this.state.palette.groups;
        const first = Math.max(0, Math.floor(this.rows.scroll / this.rows.height));
        const last = Math.min(this.rows.rows.length, Math.ceil((this.rows.scroll + this.height) / this.rows.height));
        if (rowHeight < 2) {
            // Several rows share a line of pixels: each has its part of it.
            for (let y = 0; y < deviceHeight; y++) {
                const from = Math.floor((y + this.rows.scroll * this.ratio) / rowHeight);
                const to = Math.max(from + 1, Math.floor((y + 1 + this.rows.scroll * this.ratio) / rowHeight));
                if (from >= this.rows.rows.length) break;
                const members = this.rows.rows.slice(from, to).flatMap((row) => row.locations);
                line.clear();
                for (const location of members) this.addTime(line, tile, records, location, 1 / members.length);
                line.draw(pixels, stride, y, y + 1, groups, paper);
            }
        } else
            for (let r = first; r < last; r++) {
                const top = Math.max(0, Math.round(this.rows.top(r) * this.ratio));
                const gap = rowHeight >= 24 ? 3 : rowHeight >= 5 ? 1 : 0;
                const bottom = Math.min(
                    deviceHeight,
                    Math.round((this.rows.top(r) + this.rows.height) * this.ratio) - gap,
                );
                const lanes = this.lanes(r, records);
                const { locations } = this.rows.rows[r];
                if (!lanes) {
                    line.clear();
                    for (const location of locations) this.addTime(line, tile, records, location, 1 / locations.length);
                    line.draw(pixels, stride, top, bottom, groups, paper);
                    continue;
                }
                for (let depth = 0; depth < lanes; depth++) {
                    const box = laneBox(this.rows, r, lanes, depth);
                    const y0 = Math.round(box.top * this.ratio);
                    const y1 = Math.round(box.bottom * this.ratio) - 1;
                    line.clear();
                    this.addLane(line, records!, locations[0], depth);
                    line.draw(pixels, stride, Math.max(0, y0), Math.min(deviceHeight, y1), groups, paper);
                }
            }
        this.bars.getContext("2d")!.putImageData(this.image!, 0, 0);
    }

    /** Adds a location's own time: exactly where that is known, else as shares of intervals. */
    private addTime(line: Line, tile: Tile | null, records: Records | null, location: number, weight: number): void {
        const { from, to, palette } = this.state;
        const scale = line.width / (to - from);
        const { at, end } = records ? records.firstSegment(location, from) : { at: 0, end: 0 };
        // Where there are more than pixels, the shares of intervals say the same in less time.
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

    private addLane(line: Line, records: Records, location: number, depth: number): void {
        const { from, to, palette } = this.state;
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
        }
    }

    // ---- above the bars

    private visibleRows(): [number, number] {
        return [
            Math.max(0, Math.floor(this.rows.scroll / this.rows.height)),
            Math.min(this.rows.rows.length, Math.ceil((this.rows.scroll + this.height) / this.rows.height)),
        ];
    }

    private drawNames(context: CanvasRenderingContext2D, records: Records): void {
        const { from, to, palette } = this.state;
        const least = (NAME_FROM / this.width) * (to - from);
        const [firstRow, lastRow] = this.visibleRows();
        context.textBaseline = "middle";
        for (let r = firstRow; r < lastRow; r++) {
            const lanes = this.lanes(r, records);
            if (!lanes) continue;
            const location = this.rows.rows[r].locations[0];
            for (let depth = 0; depth < lanes; depth++) {
                const { at, end } = records.firstInLane(location, depth, from);
                const box = laneBox(this.rows, r, lanes, depth);
                const laneHeight = box.bottom - box.top;
                if (laneHeight < 9) continue;
                const y = (box.top + box.bottom) / 2;
                context.font = `${Math.min(12, laneHeight - 1)}px system-ui, "DejaVu Sans", sans-serif`;
                for (let i = at; i < end; i++) {
                    const span = records.exact.order[i];
                    const start = records.spanTimes[span * SPAN_DOUBLES];
                    if (start >= to) break;
                    const stop = records.spanTimes[span * SPAN_DOUBLES + 1];
                    if (Math.min(stop, to) - Math.max(start, from) < least) continue;
                    const group = palette.groupOf[records.spanWords[span * SPAN_WORDS + 6]];
                    if (!group.shown) continue;
                    const x0 = Math.max(0, this.xOf(start)) + 4;
                    const x1 = Math.min(this.width, this.xOf(stop)) - 3;
                    const waiting = records.spanTimes[span * SPAN_DOUBLES + 2] > start;
                    this.nameIn(context, group.name, x0, x1, y, group.dark && !waiting, waiting);
                    if (records.spanWords[span * SPAN_WORDS + 9] & 1)
                        this.markApproximate(context, x0 - 4, x1 + 3, y, laneHeight);
                }
            }
        }
    }

    private nameIn(
        context: CanvasRenderingContext2D,
        name: string,
        x0: number,
        x1: number,
        y: number,
        white: boolean,
        plate: boolean,
    ): void {
        // prettier-ignore
        let text = name;
        let width = context.measureText(text).width;
        if (width > x1 - x0) {
            const fits = Math.floor((text.length * (x1 - x0)) / width) - 1;
            if (fits < 3) return;
            text = text.slice(0, fits) + "…";
            width = context.measureText(text).width;
        }
        if (plate) {
            context.fillStyle = this.colours().paperCss;
            context.globalAlpha = 0.8;
            context.fillRect(x0 - 2, y - 7, width + 4, 14);
            context.globalAlpha = 1;
            context.fillStyle = this.colours().ink;
        } else context.fillStyle = white ? "#fff" : "#111";
        context.fillText(text, x0, y);
    }

    private markApproximate(
        context: CanvasRenderingContext2D,
        x0: number,
        x1: number,
        y: number,
        height: number,
    ): void {
        context.strokeStyle = this.colours().chosen;
        context.setLineDash([3, 3]);
        context.strokeRect(x0 + 0.5, y - height / 2 + 0.5, x1 - x0, height - 2);
        context.setLineDash([]);
    }

    /** The middle of a location's row; of its lowest lane where it has lanes. */
    yOf(location: number, records: Records | null): number {
        const row = this.rowIndex(location);
        const lanes = row < 0 ? 0 : this.lanes(row, records);
        const top = this.rows.top(Math.max(0, row));
        if (!lanes) return top + this.rows.height / 2;
        const box = laneBox(this.rows, row, lanes, lanes - 1);
        return (box.top + box.bottom) / 2;
    }

    private rowCache: { rows: unknown; of: Map<number, number> } = { rows: null, of: new Map() };
    private rowIndex(location: number): number {
        if (this.rowCache.rows !== this.rows.rows) {
            const of = new Map<number, number>();
            this.rows.rows.forEach((row, i) => row.locations.forEach((l) => of.set(l, i)));
            this.rowCache = { rows: this.rows.rows, of };
        }
        return this.rowCache.of.get(location) ?? -1;
    }

    private drawMessages(context: CanvasRenderingContext2D, records: Records): void {
        const { from, to } = this.state;
        const visible: number[] = [];
        for (let i = 0; i < records.exact.nMessages; i++) {
            const sent = records.messageNumbers[i * 6];
            const received = records.messageNumbers[i * 6 + 1];
            if (sent <= to && received >= from) visible.push(i);
        }
        this.drawn = [];
        this.bundled = visible.length > MOST_LINES ? visible.length : 0;
        if (this.bundled) return this.drawBundles(context, records, visible);
        context.lineWidth = 1;
        context.strokeStyle = context.fillStyle = this.colours().message;
        context.globalAlpha = visible.length > 800 ? 0.35 : visible.length > 200 ? 0.6 : 0.9;
        context.beginPath();
        for (const i of visible) {
            const message = records.message(i);
            const x0 = this.xOf(message.sent);
            const y0 = this.yOf(message.from, records);
            const open = !isFinite(message.received);
            const x1 = open ? x0 + 14 : this.xOf(message.received);
            const y1 = open ? y0 + (this.yOf(message.to, records) > y0 ? 10 : -10) : this.yOf(message.to, records);
            context.moveTo(x0, y0);
            context.lineTo(x1, y1);
            this.drawn.push({ x0, y0, x1, y1, message, count: 1 });
        }
        context.stroke();
        if (visible.length * 14 < this.width)
            for (const { x0, y0, x1, y1 } of this.drawn) {
                context.beginPath();
                context.arc(x0, y0, 2, 0, 7);
                context.fill();
                const angle = Math.atan2(y1 - y0, x1 - x0);
                context.beginPath();
                context.moveTo(x1, y1);
                context.lineTo(x1 - 7 * Math.cos(angle - 0.4), y1 - 7 * Math.sin(angle - 0.4));
                context.lineTo(x1 - 7 * Math.cos(angle + 0.4), y1 - 7 * Math.sin(angle + 0.4));
                context.fill();
            }
        context.globalAlpha = 1;
    }

    private bundleCache: { key: string; records: unknown; bundles: Bundle[] } = { key: "", records: null, bundles: [] };

    /** Messages that begin in the same few pixels of one row and end in the same few pixels of another, as one each. Where
     *  these are still too many, more pixels are few. */
    private bundlesOf(records: Records, visible: number[]): Bundle[] {
        const { from, to } = this.state;
        const key = `${from} ${to} ${this.width} ${this.rows.height}`;
        if (this.bundleCache.key === key && this.bundleCache.records === records) return this.bundleCache.bundles;
        const { messageNumbers: numbers, messageWords: words } = records;
        let bundles = new Map<string, Bundle>();
        const across = Math.max(1, BUNDLE_HEIGHT / this.rows.height);
        for (let pixels = BUNDLE_PIXELS; ; pixels *= 2) {
            const interval = (pixels / this.width) * (to - from);
            bundles = new Map();
            for (const i of visible) {
                const sent = numbers[i * 6];
                const received = Math.min(numbers[i * 6 + 1], sent + 1e18);
                const [row, other] = [this.rowIndex(words[i * 12 + 8]), this.rowIndex(words[i * 12 + 9])];
                const place = `${Math.floor(row / across)} ${Math.floor(other / across)} ${Math.floor(sent / interval)} ${Math.floor(received / interval)}`;
                const bundle = bundles.get(place);
                if (bundle) bundle.count++;
                else bundles.set(place, { first: i, count: 1 });
            }
            if (bundles.size <= MOST_LINES || pixels > this.width) break;
        }
        const list = [...bundles.values()].sort((a, b) => a.count - b.count);
        this.bundleCache = { key, records, bundles: list };
        return list;
    }

    /** Too many messages for a line each: a line for each bundle, by the first message of it, the stronger the more there are. */
    private drawBundles(context: CanvasRenderingContext2D, records: Records, visible: number[]): void {
        const bundles = this.bundlesOf(records, visible);
        context.strokeStyle = this.colours().message;
        const most = bundles.at(-1)?.count ?? 1;
        // Lines of about the same strength are drawn together; very many of them must not hide the bars.
        const fade = Math.max(0.35, Math.min(1, FEW_LINES / bundles.length));
        for (let strength = 0; strength < BUNDLE_STRENGTHS; strength++) {
            context.globalAlpha = fade * (0.3 + (0.5 * strength) / BUNDLE_STRENGTHS);
            context.lineWidth = 0.6 + (1.4 * strength) / BUNDLE_STRENGTHS;
            context.beginPath();
            for (const { first, count } of bundles) {
                const part = Math.log(count) / Math.log(most + 1);
                if (Math.floor(part * BUNDLE_STRENGTHS) !== strength) continue;
                const message = records.message(first);
                if (!isFinite(message.received)) continue;
                const [x0, x1] = [this.xOf(message.sent), this.xOf(message.received)];
                const [y0, y1] = [this.yOf(message.from, records), this.yOf(message.to, records)];
                context.moveTo(x0, y0);
                context.lineTo(x1, y1);
                this.drawn.push({ x0, y0, x1, y1, message, count });
            }
            context.stroke();
        }
        context.globalAlpha = 1;
        context.lineWidth = 1;
    }

    private drawCollectives(context: CanvasRenderingContext2D, records: Records): void {
        const { from, to, palette } = this.state;
        const visible: number[] = [];
        for (let i = 0; i < records.exact.nCollectives; i++) {
            const last = records.collectiveNumbers[i * 8 + 1];
            if (last >= from && last <= to) visible.push(i);
        }
        if (visible.length > MOST_COLLECTIVES) return;
        context.lineWidth = 1.5;
        for (const i of visible) {
            const collective = records.collective(i);
            const group = palette.groupOf[collective.region] ?? palette.groups[0];
            if (!group.shown) continue;
            const x = this.xOf(collective.last);
            const ys = [collective.lowest, collective.highest].map((l) => this.yOf(l, records));
            context.strokeStyle = context.fillStyle = this.colours().ink;
            context.globalAlpha = visible.length > 200 ? 0.25 : 0.55;
            context.setLineDash([1, 2]);
            context.beginPath();
            context.moveTo(x, Math.min(...ys));
            context.lineTo(x, Math.max(...ys));
            context.stroke();
            context.setLineDash([]);
            if (visible.length < 300) {
                // The one that all others waited for.
                context.globalAlpha = 1;
                context.beginPath();
                const y = this.yOf(collective.lastLocation, records);
                context.moveTo(x, y - 4);
                context.lineTo(x + 4, y);
                context.lineTo(x, y + 4);
                context.lineTo(x - 4, y);
                context.fill();
            }
        }
        context.globalAlpha = 1;
    }

    private drawMarks(context: CanvasRenderingContext2D): void {
        const colours = this.colours();
        const { range, choice } = this.state;
        for (const marked of [range, this.drag]) {
            if (!marked) continue;
            const x0 = this.xOf(Math.min(marked.from, marked.to));
            const x1 = this.xOf(Math.max(marked.from, marked.to));
            context.fillStyle = colours.chosen;
            context.globalAlpha = 0.15;
            context.fillRect(x0, 0, x1 - x0, this.height);
            context.globalAlpha = 1;
            context.strokeStyle = colours.chosen;
            context.strokeRect(x0 + 0.5, -1, x1 - x0, this.height + 2);
            context.fillStyle = colours.ink;
            context.font = "12px system-ui, sans-serif";
            context.textBaseline = "top";
            context.fillText(showNs(Math.abs(marked.to - marked.from)), Math.max(2, x0 + 4), 3);
        }
        if (choice?.kind === "span") {
            const row = this.rowIndex(choice.location);
            if (row >= 0) {
                const tile = this.state.tile();
                const lanes = this.lanes(row, tile?.exact ? Records.of(tile.exact) : null);
                const box = lanes
                    ? laneBox(this.rows, row, lanes, Math.min(choice.depth, lanes - 1))
                    : { top: this.rows.top(row), bottom: this.rows.top(row) + this.rows.height };
                const y = box.top;
                const height = box.bottom - box.top;
                const x0 = Math.max(-2, this.xOf(choice.from));
                const x1 = Math.min(this.width + 2, this.xOf(choice.to));
                context.strokeStyle = colours.paperCss;
                context.lineWidth = 4;
                context.strokeRect(x0, y, Math.max(2, x1 - x0), height);
                context.strokeStyle = colours.chosen;
                context.lineWidth = 2;
                context.strokeRect(x0, y, Math.max(2, x1 - x0), height);
                context.lineWidth = 1;
            }
        } else if (choice?.kind === "message") {
            const tile = this.state.tile();
            const records = tile?.exact ? Records.of(tile.exact) : null;
            context.strokeStyle = colours.chosen;
            context.lineWidth = 3;
            context.beginPath();
            context.moveTo(this.xOf(choice.sent), this.yOf(choice.from, records));
            context.lineTo(this.xOf(choice.received), this.yOf(choice.to, records));
            context.stroke();
            context.lineWidth = 1;
        }
        if (this.pointer) {
            context.strokeStyle = colours.faint;
            context.beginPath();
            context.moveTo(this.pointer.x + 0.5, 0);
            context.lineTo(this.pointer.x + 0.5, this.height);
            context.stroke();
        }
    }

    // ---- beside the bars

    private drawLabels(): void {
        const context = this.labels.getContext("2d")!;
        const width = this.labels.clientWidth;
        context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        context.clearRect(0, 0, width, this.height);
        context.textAlign = "right";
        context.textBaseline = "middle";
        const size = Math.max(9, Math.min(13, this.rows.height - 1));
        context.font = `${size}px system-ui, sans-serif`;
        const every = Math.max(1, Math.ceil(14 / this.rows.height));
        const step = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500].find((n) => n >= every) ?? every;
        const [first, last] = this.visibleRows();
        const chosen = this.state.choice?.kind === "span" ? this.rowIndex(this.state.choice.location) : -1;
        for (let r = first; r < last; r++) {
            if (r % step && r !== chosen) continue;
            const { label, more } = this.rows.rows[r];
            const both = more !== "" && this.rows.height >= 30;
            const y = this.rows.top(r) + this.rows.height / 2;
            context.fillStyle = r === chosen ? this.colours().chosen : this.colours().ink;
            context.fillText(label, width - 8, both ? y - 7 : y, width - 10);
            if (!both) continue;
            context.font = "10px system-ui, sans-serif";
            context.fillStyle = this.colours().faint;
            context.fillText(more, width - 8, y + 8, width - 10);
            context.font = `${size}px system-ui, sans-serif`;
        }
    }

    private drawAxis(): void {
        const { from, to } = this.state;
        const width = to - from;
        const unit = width < 2e3 ? 1 : width < 2e6 ? 1e3 : width < 2e9 ? 1e6 : 1e9;
        const name = { 1: "ns", 1e3: "µs", 1e6: "ms", 1e9: "s" }[unit];
        // Far from the start, ticks count from a round moment before the window, which is written beside.
        const decimals = Math.pow(10, Math.ceil(Math.log10(width)) + 1);
        const base = from > 50 * width ? Math.floor(from / decimals) * decimals : 0;
        const scale = scaleLinear()
            .domain([(from - base) / unit, (to - base) / unit])
            .range([0, this.width]);
        const count = Math.max(2, Math.floor(this.width / 110));
        const format = scale.tickFormat(count);
        const axis = axisTop(scale)
            .ticks(count)
            .tickFormat((value) => `${base ? "+" : ""}${format(value)} ${name}`);
        const svg = select(this.axis);
        svg.attr("viewBox", `0 0 ${this.width} 26`);
        svg.select<SVGGElement>("g").attr("transform", "translate(0,25)").call(axis);
        svg.select("text.base").text(base ? `${base / 1e9} s` : "");
    }

    /** The message line within a few pixels of a point. */
    messageAt(x: number, y: number): (Message & { count: number }) | null {
        let best: DrawnMessage | null = null;
        let nearest = 5;
        for (const drawn of this.drawn) {
            const dx = drawn.x1 - drawn.x0;
            const dy = drawn.y1 - drawn.y0;
            const along = Math.max(
                0,
                Math.min(1, ((x - drawn.x0) * dx + (y - drawn.y0) * dy) / (dx * dx + dy * dy || 1)),
            );
            const distance = Math.hypot(drawn.x0 + along * dx - x, drawn.y0 + along * dy - y);
            if (distance < nearest) {
                nearest = distance;
                best = drawn;
            }
        }
        return best && { ...best.message, count: best.count };
    }

    /** The depth of the lane at a pixel of a row; null where the row has no lanes. */
    depthAt(row: number, y: number): number | null {
        const tile = this.state.tile();
        const lanes = this.lanes(row, tile?.exact ? Records.of(tile.exact) : null);
        return lanes ? laneAt(this.rows, row, lanes, y) : null;
    }

    describe(): string {
        const { from, to, locations } = this.state;
        const who = locations.length === 1 ? nameLocation(this.state, 0) : `${locations.length} locations`;
        return `Space-time diagram of ${who}, ${showNs(to - from)} from ${showNs(from)}`;
    }
}
