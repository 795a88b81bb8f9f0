// matrix.ts: messages between ranks in the window, as a matrix with axes and as a table.

import { axisLeft, axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { element } from "./elements.js";
import { showBytes, showCount, showNs } from "./format.js";
import type { Pair } from "./protocol.js";
import type { State } from "./state.js";
import { Table } from "./tables.js";

/** Sizes of the matrix, and of the space to its left and above it, in CSS pixels. */
const PIXELS = 360;
const LEFT = 56;
const TOP = 40;
const TICKS = 8;
const MOST_PAIRS = 20;

type What = "bytes" | "count" | "waiting";

export class Matrix {
    private of: What = "bytes";
    private readonly table: Table<Pair>;
    private readonly title = element("h2", "From (down) to (across) ");
    private readonly reading = element("p", "", "key");

    constructor(
        private readonly state: State,
        private readonly panel: HTMLElement,
    ) {
        this.table = new Table(
            [
                {
                    title: "from → to",
                    about: "ranks",
                    key: (pair: Pair) => pair.from,
                    cell: (pair) => `${pair.from} → ${pair.to}`,
                },
                { title: "messages", about: "", key: (pair) => pair.count, cell: (pair) => showCount(pair.count) },
                { title: "bytes", about: "", key: (pair) => pair.bytes, cell: (pair) => showBytes(pair.bytes) },
                {
                    title: "waiting",
                    about: "of the receiver or the sender",
                    key: (pair) => pair.waiting,
                    cell: (pair) => showNs(pair.waiting),
                },
            ],
            2,
        );
        this.title.append(this.pick());
    }

    private pick(): HTMLElement {
        const pick = element("select");
        pick.setAttribute("aria-label", "What the matrix shows");
        for (const [value, name] of [
            ["bytes", "bytes"],
            ["count", "messages"],
            ["waiting", "waiting of either"],
        ]) {
            const option = element("option", name);
            option.value = value;
            pick.append(option);
        }
        pick.addEventListener("change", () => {
            this.of = pick.value as What;
            this.fill();
        });
        return pick;
    }

    fill(): void {
        const { sums, scanned } = this.state;
        const pairs = sums?.pairs ?? [];
        if (pairs.length === 0) {
            const counting = sums?.rough ? "Messages are being counted." : "No messages in this window.";
            this.panel.replaceChildren(this.title, element("p", scanned.done ? counting : "The run is being read."));
            return;
        }
        const most = [...pairs].sort((a, b) => b[this.of] - a[this.of]).slice(0, MOST_PAIRS);
        this.table.fill(most);
        this.panel.replaceChildren(
            this.title,
            this.draw(pairs),
            this.reading,
            element("h3", "The most"),
            this.table.element,
        );
    }

    private show(n: number): string {
        return this.of === "bytes" ? showBytes(n) : this.of === "waiting" ? showNs(n) : showCount(n);
    }

    /** Each cell stands for one rank, or for several if there are too many. */
    private draw(pairs: Pair[]): HTMLElement {
        const locations = this.state.locations.map((location) => location.rank);
        const ranks = 1 + Math.max(0, ...locations, ...pairs.map((pair) => Math.max(pair.from, pair.to)));
        const perCell = Math.ceil(ranks / PIXELS);
        const cells = Math.ceil(ranks / perCell);
        const sums = new Float64Array(cells * cells);
        for (const pair of pairs)
            sums[Math.floor(pair.from / perCell) * cells + Math.floor(pair.to / perCell)] += pair[this.of];
        const canvas = this.cells(sums, cells);
        canvas.setAttribute("aria-label", `Matrix of ${ranks} ranks; the table below lists the most`);
        this.read(canvas, sums, cells, (cell) =>
            perCell === 1 ? `${cell}` : `${cell * perCell}–${Math.min(ranks, (cell + 1) * perCell) - 1}`,
        );
        const holder = element("div", "", "matrix");
        holder.append(canvas, axes(ranks, cells * perCell));
        return holder;
    }

    private cells(sums: Float64Array, cells: number): HTMLCanvasElement {
        const size = Math.max(1, Math.floor(PIXELS / cells));
        const filled = Math.max(1, size - (size > 6 ? 1 : 0));
        const most = sums.reduce((a, b) => Math.max(a, b), 0);
        const canvas = element("canvas");
        canvas.width = canvas.height = cells * size;
        canvas.setAttribute("role", "img");
        const context = canvas.getContext("2d")!;
        const dark = document.documentElement.classList.contains("dark");
        for (let i = 0; i < sums.length; i++) {
            if (sums[i] <= 0) continue;
            const strength = 0.15 + 0.85 * Math.sqrt(sums[i] / most);
            context.fillStyle = dark ? `rgb(109 179 248 / ${strength})` : `rgb(11 92 173 / ${strength})`;
            context.fillRect((i % cells) * size, Math.floor(i / cells) * size, filled, filled);
        }
        this.reading.textContent = `The darkest: ${this.show(most)}`;
        return canvas;
    }

    /** Describes the cell under the pointer. */
    private read(canvas: HTMLElement, sums: Float64Array, cells: number, name: (cell: number) => string): void {
        canvas.addEventListener("pointermove", (event) => {
            const box = canvas.getBoundingClientRect();
            const to = Math.floor(((event.clientX - box.left) / box.width) * cells);
            const from = Math.floor(((event.clientY - box.top) / box.height) * cells);
            this.reading.textContent = `${name(from)} → ${name(to)}: ${this.show(sums[from * cells + to] ?? 0)}`;
        });
    }
}

/** Labels of ranks at the middles of their cells, and of the sending side. `length`: number of ranks along a side. */
function axes(ranks: number, length: number): SVGSVGElement {
    const svg = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    svg.attr("aria-hidden", "true").attr("viewBox", `0 0 ${LEFT + PIXELS} ${TOP + PIXELS}`);
    const scale = scaleLinear()
        .domain([-0.5, length - 0.5])
        .range([0, PIXELS]);
    const step = Math.max(1, Math.ceil(ranks / TICKS));
    const ticks = Array.from({ length: Math.ceil(ranks / step) }, (_, i) => i * step);
    const group = (x: number, y: number) => svg.append("g").attr("transform", `translate(${x},${y})`);
    group(LEFT, TOP - 1).call(axisTop(scale).tickValues(ticks).tickFormat(String));
    group(LEFT - 1, TOP).call(axisLeft(scale).tickValues(ticks).tickFormat(String));
    const middle = PIXELS / 2;
    svg.append("text").attr("class", "side").attr("x", LEFT + middle).attr("y", 12).text("to rank"); // prettier-ignore
    svg.append("text")
        .attr("class", "side")
        .attr("transform", `translate(12,${TOP + middle}) rotate(-90)`)
        .text("from rank");
    return svg.node()!;
}
