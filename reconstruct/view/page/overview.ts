// overview.ts: the whole run as a strip: how much of all ranks' time each region had; drag to move or set the window.

import { Line } from "./raster.js";
import { regionOf, shareOf, waits } from "./shares.js";
import type { State } from "./state.js";
import type { Colours } from "./timeline.js";

export class Overview {
    private scheduled = false;
    private barsOf: unknown = null;

    constructor(
        private readonly state: State,
        private readonly canvas: HTMLCanvasElement,
        private readonly frame: HTMLElement,
        private readonly colours: () => Colours,
    ) {
        state.on(["legend", "theme", "rows"], () => {
            this.barsOf = null;
            this.draw();
        });
        state.on(["window", "data"], () => this.draw());
        new ResizeObserver(() => {
            this.barsOf = null;
            this.draw();
        }).observe(canvas);
        this.listen();
    }

    private timeAt(clientX: number): number {
        const box = this.canvas.getBoundingClientRect();
        return ((clientX - box.left) / box.width) * this.state.end;
    }

    private listen(): void {
        let grabbed: number | null = null;
        let start = 0;
        this.canvas.addEventListener("pointerdown", (event) => {
            const time = this.timeAt(event.clientX);
            const { from, to, end } = this.state;
            this.canvas.setPointerCapture(event.pointerId);
            start = time;
            grabbed = time >= from && time <= to && to - from < end * 0.98 ? time - from : null;
            if (grabbed === null && to - from < end * 0.98) {
                grabbed = (to - from) / 2;
                this.state.show(time - grabbed, time + grabbed);
            }
        });
        this.canvas.addEventListener("pointermove", (event) => {
            if (!this.canvas.hasPointerCapture(event.pointerId)) return;
            const time = this.timeAt(event.clientX);
            const width = this.state.to - this.state.from;
            if (grabbed !== null) this.state.show(time - grabbed, time - grabbed + width);
        });
        this.canvas.addEventListener("pointerup", (event) => {
            if (grabbed !== null || !this.canvas.hasPointerCapture(event.pointerId)) return;
            const time = this.timeAt(event.clientX);
            if (Math.abs(time - start) > this.state.end / 300)
                this.state.show(Math.min(start, time), Math.max(start, time));
        });
    }

    private draw(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame(() => {
            this.scheduled = false;
            if (this.barsOf !== this.state.overview) this.drawBars();
            const { from, to, end } = this.state;
            this.frame.hidden = to - from > end * 0.999;
            this.frame.style.left = `${(100 * from) / end}%`;
            this.frame.style.width = `${(100 * (to - from)) / end}%`;
        });
    }

    private drawBars(): void {
        const { overview, end, palette, locations } = this.state;
        this.barsOf = overview;
        const ratio = window.devicePixelRatio || 1;
        const width = (this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)));
        const height = (this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio)));
        const image = new ImageData(width, height);
        const { paper } = this.colours();
        const pixels = new Uint32Array(image.data.buffer);
        pixels.fill(((255 << 24) | (paper.blue << 16) | (paper.green << 8) | paper.red) >>> 0);
        const shares = overview?.level(end / width);
        if (shares) {
            const line = new Line(width);
            const interval = (shares.to - shares.from) / shares.bins;
            for (let l = 0; l < locations.length; l++)
                for (let b = 0; b < shares.bins; b++) {
                    const row = l * (shares.bins + 1) + b;
                    const x0 = ((shares.from + b * interval) / end) * width;
                    const x1 = x0 + (interval / end) * width;
                    for (let i = shares.index[row]; i < shares.index[row + 1]; i++) {
                        const word = shares.words[i];
                        const group = (palette.groupOf[regionOf(word)] ?? palette.groups[0]).index;
                        line.add(x0, x1, group, waits(word), shareOf(word) / locations.length);
                    }
                }
            line.draw(pixels, width, 0, height, palette.groups, paper);
        }
        this.canvas.getContext("2d")!.putImageData(image, 0, 0);
    }
}
