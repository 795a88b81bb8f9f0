// memory.ts: draws the resident memory of each rank as a line over its bars. The top of a row is the most of all ranks.
import type { Rows } from "./rows.js";
import type { State } from "./state.js";

/** In pixels: lower rows show no line. */
const LEAST_HEIGHT = 12;
const TOP_GAP = 3;

/** Where a line is drawn: the timeline. */
interface Sheet {
    width: number;
    height: number;
    xOf(time: number): number;
}

/** Memory of a rank: moments in ns with bytes, each until the next one. */
type Points = [number, number][];

/** The points of each rank, and the most of all of them. */
function memoryOf(state: State): { of: Map<number, Points>; most: number } {
    const ranks = state.about.memory?.ranks ?? [];
    const most = Math.max(0, ...ranks.map((rank) => rank.high_bytes));
    return { of: new Map(ranks.map((rank) => [rank.rank, rank.points])), most };
}

/** The most that a rank needs, which is the scale of the lines; 0: the trace does not know it. */
export function mostMemory(state: State): number {
    return memoryOf(state).most;
}

/** Draws a line in each row that begins with the first thread of a rank. */
export function drawMemory(
    context: CanvasRenderingContext2D,
    state: State,
    rows: Rows,
    sheet: Sheet,
    [ink, around]: [string, string],
): void {
    const { of, most } = memoryOf(state);
    if (most === 0 || rows.height < LEAST_HEIGHT) return;
    rows.rows.forEach((row, r) => {
        const location = state.locations[row.locations[0]];
        const points = location.thread === 0 ? of.get(location.rank) : undefined;
        const top = rows.top(r);
        if (!points?.length || top > sheet.height || top + rows.height < 0) return;
        const yOf = (bytes: number): number =>
            top + rows.height - TOP_GAP - (bytes / most) * (rows.height - 2 * TOP_GAP);
        context.beginPath();
        context.moveTo(sheet.xOf(points[0][0]), yOf(points[0][1]));
        points.forEach(([, bytes], i) => {
            const until = i + 1 < points.length ? points[i + 1][0] : location.end;
            context.lineTo(sheet.xOf(points[i][0]), yOf(bytes));
            context.lineTo(sheet.xOf(until), yOf(bytes));
        });
        for (const [style, width] of [
            [around, 3.5],
            [ink, 1.5],
        ] as const) {
            context.strokeStyle = style;
            context.lineWidth = width;
            context.stroke();
        }
    });
}
