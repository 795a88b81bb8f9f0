// lanes.ts: where in a row each depth of nesting is drawn: one lane below the other, the outermost first.

import type { Records } from "./records.js";

/** Least height of a lane. If lanes would be lower, a row shows own time only. */
const LEAST_LANE = 8;
/** Height of the outermost lane, relative to the others. It is low, since its region is open all the time. */
const OUTER_LANE = 0.5;
const GAP = 3;

/** The number of lanes in a row of this height, one for each depth; 0: it shows own time. */
export function lanesOf(locations: number[], height: number, records: Records | null): number {
    if (!records || locations.length > 1) return 0;
    const depths = records.depthsOf(locations[0]);
    return depths > 0 && (height - GAP) / depths >= LEAST_LANE ? depths : 0;
}

function begin(lanes: number, depth: number): number {
    if (lanes === 1) return depth;
    return depth === 0 ? 0 : (OUTER_LANE + depth - 1) / (OUTER_LANE + lanes - 1);
}

/** Top and bottom of a lane in a row, in CSS pixels. */
export function laneBox(
    rowTop: number,
    rowHeight: number,
    lanes: number,
    depth: number,
): { top: number; bottom: number } {
    const height = rowHeight - GAP;
    return { top: rowTop + height * begin(lanes, depth), bottom: rowTop + height * begin(lanes, depth + 1) };
}

/** The lane at a pixel of a row. */
export function laneAt(rowTop: number, rowHeight: number, lanes: number, y: number): number {
    const part = (y - rowTop) / (rowHeight - GAP);
    let depth = 0;
    while (depth + 1 < lanes && part >= begin(lanes, depth + 1)) depth++;
    return depth;
}
