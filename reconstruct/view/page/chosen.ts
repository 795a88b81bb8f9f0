// chosen.ts: draws the choice and the marked interval above the bars, so that both are found at a glance.

import { nameLocation, regionOfSpan } from "./details.js";
import { showNs } from "./format.js";
import { Records } from "./records.js";
import type { Choice, Interval, State } from "./state.js";
import type { Colours, Timeline } from "./timeline.js";

/** Least height of the outline of the choice, and height of its text. */
const LEAST_OUTLINE = 6;
const PLATE = 17;

export class Chosen {
    constructor(
        private readonly state: State,
        private readonly timeline: Timeline,
        private readonly colours: () => Colours,
    ) {}

    draw(context: CanvasRenderingContext2D): void {
        const { range, choice } = this.state;
        for (const marked of [range, this.timeline.drag]) if (marked) this.drawRange(context, marked);
        if (choice?.kind === "span") this.drawChosenSpan(context, choice);
        else if (choice?.kind === "message") this.drawChosenMessage(context, choice);
        if (!this.timeline.pointer) return;
        context.strokeStyle = this.colours().faint;
        context.beginPath();
        context.moveTo(this.timeline.pointer.x + 0.5, 0);
        context.lineTo(this.timeline.pointer.x + 0.5, this.timeline.height);
        context.stroke();
    }

    private drawRange(context: CanvasRenderingContext2D, { from, to }: Interval): void {
        const colours = this.colours();
        const x0 = this.timeline.xOf(Math.min(from, to));
        const x1 = this.timeline.xOf(Math.max(from, to));
        context.fillStyle = colours.chosen;
        context.globalAlpha = 0.15;
        context.fillRect(x0, 0, x1 - x0, this.timeline.height);
        context.globalAlpha = 1;
        context.strokeStyle = colours.chosen;
        context.strokeRect(x0 + 0.5, -1, x1 - x0, this.timeline.height + 2);
        this.drawPlate(context, `marked: ${showNs(Math.abs(to - from))}`, x0, 0);
    }

    /** Draws the outline of a chosen span, a band over its time on all rows, so that it is found among many, and its name. */
    private drawChosenSpan(context: CanvasRenderingContext2D, choice: Choice & { kind: "span" }): void {
        const box = this.timeline.boxOf(choice.location, choice.depth);
        if (!box) return;
        const colours = this.colours();
        const x0 = Math.max(-2, this.timeline.xOf(choice.from));
        const x1 = Math.min(this.timeline.width + 2, this.timeline.xOf(choice.to));
        const width = Math.max(2, x1 - x0);
        const height = Math.max(LEAST_OUTLINE, box.bottom - box.top);
        const y = (box.top + box.bottom - height) / 2;
        context.fillStyle = colours.chosen;
        context.globalAlpha = 0.1;
        context.fillRect(x0, 0, width, this.timeline.height);
        context.globalAlpha = 1;
        context.strokeStyle = colours.paperCss;
        context.lineWidth = 4;
        context.strokeRect(x0, y, width, height);
        context.strokeStyle = colours.chosen;
        context.lineWidth = 2;
        context.strokeRect(x0, y, width, height);
        context.lineWidth = 1;
        const length = isFinite(choice.to) ? `: ${showNs(choice.to - choice.from)}` : "";
        const text = `${regionOfSpan(this.state, choice.region).name}, ${nameLocation(this.state, choice.location)}${length}`;
        this.drawPlate(context, text, x0, y >= PLATE + 2 ? y - PLATE - 2 : y + height + 2);
    }

    private drawChosenMessage(context: CanvasRenderingContext2D, choice: Choice & { kind: "message" }): void {
        const tile = this.state.tile();
        const records = tile?.exact ? Records.of(tile.exact) : null;
        context.strokeStyle = this.colours().chosen;
        context.lineWidth = 3;
        context.beginPath();
        context.moveTo(this.timeline.xOf(choice.sent), this.timeline.yOf(choice.from, records));
        context.lineTo(this.timeline.xOf(choice.received), this.timeline.yOf(choice.to, records));
        context.stroke();
        context.lineWidth = 1;
    }

    /** Draws text on a background inside the picture, so that it can be read on any colour. */
    private drawPlate(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
        const colours = this.colours();
        context.font = "12px system-ui, sans-serif";
        context.textBaseline = "middle";
        const width = context.measureText(text).width + 8;
        const left = Math.max(0, Math.min(x, this.timeline.width - width));
        context.fillStyle = colours.chosen;
        context.fillRect(left, y, width, PLATE);
        context.fillStyle = colours.paperCss;
        context.fillText(text, left + 4, y + PLATE / 2 + 0.5);
    }
}
