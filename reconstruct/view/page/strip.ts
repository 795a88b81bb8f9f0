// strip.ts: draws below the bars of each rank which functions computed, from samples: their shares of each piece of the run.
import type { Rows } from "./rows.js";
import { colourOf, functionsOf, nameFunction, totalOf } from "./samples.js";
import type { State } from "./state.js";

/** Rows that are lower show no strip. */
const LEAST_HEIGHT = 20;
const STRIP_HEIGHT = 7;
/** A piece has as many samples, if the rank computes all the time, so that its shares mean something. */
const SAMPLES_OF_PIECE = 10;
const MOST_PIECES = 64;

/** Where it is drawn: the timeline. */
interface Sheet {
    height: number;
    xOf(time: number): number;
}

interface Part {
    colour: string;
    /** Begin and end within the piece, from 0 to 1. */
    from: number;
    to: number;
}

export class Strip {
    private readonly of = new Map<number, Part[][]>();
    private readonly pieces: number;

    constructor(private readonly state: State) {
        const most = (state.end / 1e9) * ((state.about.samples?.per_second ?? 0) / SAMPLES_OF_PIECE);
        this.pieces = Math.max(1, Math.min(MOST_PIECES, Math.floor(most)));
    }

    private partsOf(rank: number): Part[][] {
        let parts = this.of.get(rank);
        if (parts) return parts;
        const samples = this.state.about.samples!;
        const width = this.state.end / this.pieces;
        parts = Array.from({ length: this.pieces }, (_, piece) => {
            const interval = { from: piece * width, to: (piece + 1) * width, rank };
            // Time without samples, asleep or in MPI calls, is left blank.
            const all = Math.max(
                totalOf(functionsOf(samples, { ...interval, computing: false })),
                (width / 1e9) * samples.per_second,
            );
            let at = 0;
            // Always in one order, so that a function stays in its place from piece to piece.
            return functionsOf(samples, { ...interval, computing: true })
                .sort((a, b) => a.index - b.index)
                .map(({ index, samples: n }) => {
                    const part = { colour: colourOf(nameFunction(samples, index)), from: at / all, to: (at + n) / all };
                    at += n;
                    return part;
                });
        });
        this.of.set(rank, parts);
        return parts;
    }

    draw(context: CanvasRenderingContext2D, rows: Rows, sheet: Sheet, paper: string): void {
        if (!this.state.about.samples || rows.height < LEAST_HEIGHT) return;
        const width = this.state.end / this.pieces;
        rows.rows.forEach((row, r) => {
            const location = this.state.locations[row.locations[0]];
            const top = rows.top(r) + rows.height - STRIP_HEIGHT - 1;
            if (location.thread !== 0 || top > sheet.height || top + STRIP_HEIGHT < 0) return;
            context.fillStyle = paper;
            context.fillRect(sheet.xOf(0), top - 1, sheet.xOf(this.state.end) - sheet.xOf(0), STRIP_HEIGHT + 1);
            this.partsOf(location.rank).forEach((parts, piece) => {
                for (const { colour, from, to } of parts) {
                    const x = sheet.xOf((piece + from) * width);
                    context.fillStyle = colour;
                    context.fillRect(x, top, sheet.xOf((piece + to) * width) - x, STRIP_HEIGHT);
                }
            });
        });
    }
}
