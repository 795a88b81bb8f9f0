// collectives.ts: draws collective calls as dotted lines between the ranks that take part, with a diamond at the one that came
// last.

import { strengths } from "./density.js";
import type { Records } from "./records.js";
import type { State } from "./state.js";
import type { Timeline } from "./timeline.js";

const MOST_COLLECTIVES = 1500;
/** With more collectives than this, the diamonds are left out. */
const MOST_DIAMONDS = 300;

export function drawCollectives(
    context: CanvasRenderingContext2D,
    records: Records,
    { from, to, palette }: State,
    timeline: Timeline,
    ink: string,
): void {
    const visible: number[] = [];
    for (let i = 0; i < records.exact.nCollectives; i++) {
        const last = records.collectiveNumbers[i * 8 + 1];
        if (last >= from && last <= to) visible.push(i);
    }
    if (visible.length > MOST_COLLECTIVES) return;
    const lines = visible.map((i) => {
        const collective = records.collective(i);
        const x = timeline.xOf(collective.last);
        const [y0, y1] = [collective.lowest, collective.highest].map((l) => timeline.yOf(l, records));
        const group = palette.groupOf[collective.region] ?? palette.groups[0];
        return { x0: x, y0, x1: x, y1, shown: group.shown, last: collective.lastLocation };
    });
    const fade = strengths(lines, timeline.width, timeline.height);
    context.lineWidth = 1.5;
    context.strokeStyle = context.fillStyle = ink;
    lines.forEach(({ x0: x, y0, y1, shown, last }, i) => {
        if (!shown) return;
        context.globalAlpha = 0.55 * fade[i];
        context.setLineDash([1, 2]);
        context.beginPath();
        context.moveTo(x, y0);
        context.lineTo(x, y1);
        context.stroke();
        context.setLineDash([]);
        if (visible.length >= MOST_DIAMONDS) return;
        // The rank that all others waited for.
        context.globalAlpha = fade[i];
        const y = timeline.yOf(last, records);
        context.beginPath();
        context.moveTo(x, y - 4);
        context.lineTo(x + 4, y);
        context.lineTo(x, y + 4);
        context.lineTo(x - 4, y);
        context.fill();
    });
    context.globalAlpha = 1;
    context.lineWidth = 1;
}
