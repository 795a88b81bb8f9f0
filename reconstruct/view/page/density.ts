// density.ts: how strong lines are drawn, so that many lines in one place do not hide the bars below them.

export interface Line {
    x0: number;
    y0: number;
    x1: number;
    y1: number;
}

/** Width and height in pixels of the cells in which lines are counted. */
const CELL = 16;
/** Lines that cover less of a cell than this are drawn in full. Lines that cover n times as much get 1/n of the strength. */
const COVERED = 0.2;
/** The least strength of a line. */
const LEAST = 1 / 32;

/** Calls `at` with each cell on the screen that a line passes, and the line's length in it. */
function walk(line: Line, across: number, down: number, at: (cell: number, length: number) => void): void {
    const [dx, dy] = [line.x1 - line.x0, line.y1 - line.y0];
    const whole = Math.hypot(dx, dy);
    // Skip the part outside of the screen: the line may be much longer.
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

/** The strength of each line, 1 or less, by the fullest cell that it passes. */
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
