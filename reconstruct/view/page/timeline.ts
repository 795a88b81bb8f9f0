// timeline.ts: draws the picture: bars as pixels on one canvas; names, messages and marks on another one above it; the axis
// beside it.

import { axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { nameLocation } from "./details.js";
import { showNs } from "./format.js";
import { laneAt, laneBox, lanesOf } from "./lanes.js";
import { drawMemory } from "./memory.js";
import { Strip } from "./strip.js";
import { Bars } from "./bars.js";
import { Chosen } from "./chosen.js";
import { drawCollectives } from "./collectives.js";
import { strengths } from "./density.js";
import { Bundles, NEVER, type Level } from "./bundles.js";
import type { Paper } from "./raster.js";
import { MESSAGE_DOUBLES, Records, SPAN_DOUBLES, SPAN_WORDS, type Message } from "./records.js";
import type { Rows } from "./rows.js";
import type { State } from "./state.js";

const MOST_LINES = 4000;
/** If there are many messages, those within this many pixels, or rows, become one line. */
const BUNDLE_PIXELS = 4;
const BUNDLE_HEIGHT = 3;
const BUNDLE_STRENGTHS = 4;
/** Making bundles pauses after this time and continues with the next frame. */
const BUNDLE_MS = 3;
const NAME_FROM = 30;
/** Pixels of a letter of the moment that ticks count from, and from its end to the middle of the first tick's label. */
const BASE_LETTER = 8;
const BASE_GAP = 24;

export interface Colours {
    paper: Paper;
    paperCss: string;
    ink: string;
    faint: string;
    message: string;
    chosen: string;
}

/** A message line as drawn, to find it under the pointer. */
interface DrawnMessage {
    x0: number;
    y0: number;
    x1: number;
    y1: number;
    message: Message;
    /** Number of messages that the line stands for. */
    count: number;
}

/** Draws a dot where the message is sent, and an arrow where it is received. */
function drawEnds(context: CanvasRenderingContext2D, { x0, y0, x1, y1 }: DrawnMessage): void {
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

export class Timeline {
    width = 100;
    height = 100;
    slowest = 0;
    showMessages = true;
    showCollectives = true;
    showMemory = true;
    showFunctions = true;
    private strip: Strip | null = null;
    /** Number of messages that are drawn in bundles; 0: each has a line. */
    bundled = 0;
    pointer: { x: number; y: number } | null = null;
    drag: { from: number; to: number } | null = null;
    private drawn: DrawnMessage[] = [];
    private scheduled = false;
    private ratio = 1;
    private readonly bars: Bars;
    private readonly chosen: Chosen;

    constructor(
        private readonly state: State,
        private readonly rows: Rows,
        private readonly paper: HTMLCanvasElement,
        readonly marks: HTMLCanvasElement,
        private readonly labels: HTMLCanvasElement,
        private readonly axis: SVGSVGElement,
        private readonly colours: () => Colours,
    ) {
        this.bars = new Bars(state, rows, paper, colours);
        this.chosen = new Chosen(state, this, colours);
        state.on(["window", "data", "choice", "legend", "rows", "theme", "range"], () => this.draw());
        new ResizeObserver(() => this.resize()).observe(marks);
    }

    private resize(): void {
        const box = this.marks.getBoundingClientRect();
        this.ratio = window.devicePixelRatio || 1;
        this.width = Math.max(10, Math.round(box.width));
        this.height = Math.max(10, Math.round(box.height));
        for (const canvas of [this.paper, this.marks]) {
            canvas.width = Math.round(this.width * this.ratio);
            canvas.height = Math.round(this.height * this.ratio);
        }
        this.labels.width = Math.round(this.labels.clientWidth * this.ratio);
        this.labels.height = this.paper.height;
        this.bars.resize(this.ratio);
        this.state.notify("window");
    }

    xOf(time: number): number {
        return ((time - this.state.from) / (this.state.to - this.state.from)) * this.width;
    }
    timeAt(x: number): number {
        return this.state.from + (x / this.width) * (this.state.to - this.state.from);
    }

    /** Draws in the next frame. */
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
        this.rows.fit(this.height);
        const tile = this.state.tile();
        const records = tile?.exact ? Records.of(tile.exact) : null;
        if (!this.bars.draw(tile, records)) this.draw();
        const context = this.marks.getContext("2d")!;
        context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        if (records) {
            this.drawNames(context, records);
            if (this.showCollectives) drawCollectives(context, records, this.state, this, this.colours().ink);
            if (this.showMessages) this.drawMessages(context, records);
            else this.drawn = [];
        } else this.drawn = [];
        if (this.showFunctions && this.state.scanned.done) {
            this.strip ??= new Strip(this.state);
            this.strip.draw(context, this.rows, this, this.colours().paperCss);
        }
        if (this.showMemory)
            drawMemory(context, this.state, this.rows, this, [this.colours().ink, this.colours().paperCss]);
        this.chosen.draw(context);
        if (!this.state.overview) this.drawReading(context);
        this.drawLabels();
        this.drawAxis();
    }

    /** Draws before there is any data. */
    private drawReading(context: CanvasRenderingContext2D): void {
        context.font = "14px system-ui, sans-serif";
        context.textBaseline = "middle";
        context.fillStyle = this.colours().faint;
        context.fillText(
            this.state.locations.length ? "The run is being read …" : "The trace is being opened …",
            16,
            24,
        );
    }

    // ---- above the bars

    /** Number of lanes of a row; 0: it shows own time. */
    private lanes(row: number, records: Records | null): number {
        return lanesOf(this.rows.rows[row].locations, this.rows.height, records);
    }

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
                const box = laneBox(this.rows.top(r), this.rows.height, lanes, depth);
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

    /** The vertical range of a location's lane for a depth; null: it has no row. */
    boxOf(location: number, depth: number): { top: number; bottom: number } | null {
        const row = this.rowIndex(location);
        if (row < 0) return null;
        const tile = this.state.tile();
        const lanes = this.lanes(row, tile?.exact ? Records.of(tile.exact) : null);
        const top = this.rows.top(row);
        if (!lanes) return { top, bottom: top + this.rows.height };
        return laneBox(top, this.rows.height, lanes, Math.min(depth, lanes - 1));
    }

    /** The middle of a location's row, or of its lowest lane. */
    yOf(location: number, records: Records | null): number {
        const row = this.rowIndex(location);
        const lanes = row < 0 ? 0 : this.lanes(row, records);
        const top = this.rows.top(Math.max(0, row));
        if (!lanes) return top + this.rows.height / 2;
        const box = laneBox(top, this.rows.height, lanes, lanes - 1);
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
        let n = 0;
        for (let i = 0; i < records.exact.nMessages; i++) {
            const sent = records.messageNumbers[i * MESSAGE_DOUBLES];
            const received = records.messageNumbers[i * MESSAGE_DOUBLES + 1];
            if (sent <= to && received >= from && n++ < MOST_LINES) visible.push(i);
        }
        this.drawn = [];
        this.bundled = n > MOST_LINES ? n : 0;
        if (this.bundled) return this.drawBundles(context, records);
        this.drawn = visible.map((i) => {
            const message = records.message(i);
            const x0 = this.xOf(message.sent);
            const y0 = this.yOf(message.from, records);
            const open = !isFinite(message.received);
            const x1 = open ? x0 + 14 : this.xOf(message.received);
            const y1 = open ? y0 + (this.yOf(message.to, records) > y0 ? 10 : -10) : this.yOf(message.to, records);
            return { x0, y0, x1, y1, message, count: 1 };
        });
        this.strokeMessages(context, visible.length * 14 < this.width);
    }

    /** Draws the lines of `drawn`: thicker if they stand for more messages, fainter if many are in one place. */
    private strokeMessages(context: CanvasRenderingContext2D, pointed: boolean): void {
        const { drawn } = this;
        const fade = strengths(drawn, this.width, this.height);
        const most = Math.log(1 + drawn.reduce((greatest, { count }) => Math.max(greatest, count), 1));
        // Lines of similar strength share a path.
        const paths = new Map<number, DrawnMessage[]>();
        drawn.forEach((line, i) => {
            const faint = Math.round(-2 * Math.log2(fade[i]));
            const thick = this.bundled ? Math.floor((Math.log(line.count) / most) * BUNDLE_STRENGTHS) : 0;
            const key = faint * BUNDLE_STRENGTHS + thick;
            const path = paths.get(key);
            if (path) path.push(line);
            else paths.set(key, [line]);
        });
        context.strokeStyle = context.fillStyle = this.colours().message;
        for (const [key, lines] of paths) {
            const thick = (key % BUNDLE_STRENGTHS) / BUNDLE_STRENGTHS;
            context.globalAlpha = 0.9 * Math.pow(2, -Math.floor(key / BUNDLE_STRENGTHS) / 2);
            context.lineWidth = this.bundled ? 0.6 + 1.4 * thick : 1;
            context.beginPath();
            for (const { x0, y0, x1, y1 } of lines) {
                context.moveTo(x0, y0);
                context.lineTo(x1, y1);
            }
            context.stroke();
            if (pointed) for (const line of lines) drawEnds(context, line);
        }
        context.globalAlpha = 1;
        context.lineWidth = 1;
    }

    private bundles: { of: Bundles; rows: unknown; height: number } | null = null;

    private bundlesOf(records: Records): Bundles {
        const { bundles, rows } = this;
        if (bundles?.of.records === records && bundles.rows === rows.rows && bundles.height === rows.height)
            return bundles.of;
        const rowOf = Int32Array.from(this.state.locations, (_, location) => this.rowIndex(location));
        const of = new Bundles(records, rowOf, Math.max(1, BUNDLE_HEIGHT / rows.height), this.state.tile()!.from);
        this.bundles = { of, rows: rows.rows, height: rows.height };
        return of;
    }

    /** Draws a line for each bundle of messages. If there are still too many lines, uses longer intervals. */
    private drawBundles(context: CanvasRenderingContext2D, records: Records): void {
        const { from, to } = this.state;
        const bundles = this.bundlesOf(records);
        const until = performance.now() + BUNDLE_MS;
        let exponent = Math.ceil(Math.log2((BUNDLE_PIXELS / this.width) * (to - from)));
        let level: Level | null;
        let visible: Int32Array;
        do {
            level = bundles.level(exponent++, until);
            if (!level) return this.draw(); // no lines for some frames
            visible = bundles.visible(level, from, to);
        } while (visible.length > MOST_LINES && level.interval < to - from);
        const y = Float64Array.from(this.state.locations, (_, location) => this.yOf(location, records));
        for (const i of visible) {
            if (level.received[i] === NEVER) continue;
            const message = records.message(level.first[i]);
            this.drawn.push({
                x0: this.xOf(message.sent),
                y0: y[message.from],
                x1: this.xOf(message.received),
                y1: y[message.to],
                message,
                count: level.count[i],
            });
        }
        this.strokeMessages(context, false);
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
            const y = Math.max(size / 2, this.rows.top(r) + this.rows.height / 2);
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
        this.axis.style.visibility = this.state.locations.length ? "" : "hidden";
        const width = to - from;
        const unit = width < 2e3 ? 1 : width < 2e6 ? 1e3 : width < 2e9 ? 1e6 : 1e9;
        const name = { 1: "ns", 1e3: "µs", 1e6: "ms", 1e9: "s" }[unit];
        // Far from the start, ticks count from a round moment before the window. This moment is written beside them.
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
        const since = base ? `${base / 1e9} s` : "";
        svg.select("text.base").text(since);
        // Hide tick labels in the place of this moment.
        svg.selectAll<SVGTextElement, number>(".tick text").attr("visibility", (value) =>
            since && scale(value) < BASE_LETTER * since.length + BASE_GAP ? "hidden" : null,
        );
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

    /** The depth of the lane at a pixel of a row; null if the row has no lanes. */
    depthAt(row: number, y: number): number | null {
        const tile = this.state.tile();
        const lanes = this.lanes(row, tile?.exact ? Records.of(tile.exact) : null);
        return lanes ? laneAt(this.rows.top(row), this.rows.height, lanes, y) : null;
    }

    describe(): string {
        const { from, to, locations } = this.state;
        const who = locations.length === 1 ? nameLocation(this.state, 0) : `${locations.length} locations`;
        return `Space-time diagram of ${who}, ${showNs(to - from)} from ${showNs(from)}`;
    }
}
