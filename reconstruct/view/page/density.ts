// density.ts: how strongly lines are drawn, so that many of them in one place do not hide the bars below them.

export interface Line {
    x0: number;
    y0: number;
    x1: number;
    y1: number;
}

/** Pixels of a cell, across and down, in which lines are counted together. */
const CELL = 16;
/** Lines are drawn in full where they cover no more of a cell than this; where they cover n times as much, by a part of n. */
const COVERED = 0.2;
/** They do not become weaker than this. */
const LEAST = 1 / 32;

/** Calls `at` with the cells of a line that are on the screen, and its length in each. */
function walk(line: Line, across: number, down: number, at: (cell: number, length: number) => void): void {
    const [dx, dy] = [line.x1 - line.x0, line.y1 - line.y0];
    const whole = Math.hypot(dx, dy);
    // Of a line that is much longer than the screen, only what is on it is walked along.
    const begin = dx > 0 ? Math.max(0, -line.x0 / dx) : 0;
    const end = dx > 0 ? Math.min(1, (across * CELL - line.x0) / dx) : 1;
    const length = whole * Math.max(0, end - begin);
    const steps = Math.ceil(length / CELL);
    for (let i = 0; i < steps; i++) {
        const part = begin + ((i + 0.5) / steps) * (end - begin);
        const x = Math.floor((line.x0 + part * dx) / CELL);
        const y = Math.floor((line.y0 + part * dy) / CELL);
        if (x >= 0 && x < across && y >= 0 && y < down) at(y * across + x, length / steps);
    }
}

/** The strength of each line, from 1 down: by the densest cell that it passes. */
export function strengths(lines: Line[], width: number, height: number): Float32Array {
    const across = Math.ceil(width / CELL);
    const down = Math.ceil(height / CELL);
    const covered = new Float64Array(across * down);
    for (const line of lines) walk(line, across, down, (cell, length) => (covered[cell] += length / (CELL * CELL)));
    return Float32Array.from(lines, (line) => {
        let most = COVERED;
        walk(line, across, down, (cell) => (most = Math.max(most, covered[cell])));
        return Math.max(LEAST, COVERED / most);
    });
}
