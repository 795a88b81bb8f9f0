// strip.ts: draws below the bars of each rank which functions computed, from samples: their shares of each piece of the
// run, as high as the share of computing.
import type { Rows } from "./rows.js";
import { colourOf, functionsOf, nameFunction, totalOf } from "./samples.js";
import type { State } from "./state.js";

/** Rows that are lower show no strip. */
const LEAST_HEIGHT = 20;
const STRIP_HEIGHT = 10;
/** A piece has as many samples, if the rank computes all the time, so that its shares mean something. */
const SAMPLES_OF_PIECE = 10;
const MOST_PIECES = 64;

/** Where it is drawn: the timeline. */
interface Sheet {
    height: number;
    xOf(time: number): number;
}

/** The functions that compute in a piece. */
interface Piece {
    /** Share of the samples outside of MPI calls in the samples that a thread without sleep has, from 0 to 1. */
    computing: number;
    /** Begin and end of each function within the piece, from 0 to 1. */
    parts: { colour: string; from: number; to: number }[];
}

export class Strip {
    private readonly of = new Map<number, Piece[]>();
    private readonly pieces: number;

    constructor(private readonly state: State) {
        const most = (state.end / 1e9) * ((state.about.samples?.per_second ?? 0) / SAMPLES_OF_PIECE);
        this.pieces = Math.max(1, Math.min(MOST_PIECES, Math.floor(most)));
    }

    private piecesOf(rank: number): Piece[] {
        let pieces = this.of.get(rank);
        if (pieces) return pieces;
        const samples = this.state.about.samples!;
        const width = this.state.end / this.pieces;
        pieces = Array.from({ length: this.pieces }, (_, piece) => {
            const interval = { from: piece * width, to: (piece + 1) * width, rank };
            // Always in one order, so that a function stays in its place from piece to piece.
            const functions = functionsOf(samples, { ...interval, computing: true }).sort((a, b) => a.index - b.index);
            const computing = totalOf(functions);
            const all = Math.max(
                totalOf(functionsOf(samples, { ...interval, computing: false })),
                (width / 1e9) * samples.per_second,
            );
            let at = 0;
            const parts = functions.map(({ index, samples: n }) => {
                const part = {
                    colour: colourOf(nameFunction(samples, index)),
                    from: at / computing,
                    to: (at + n) / computing,
                };
                at += n;
                return part;
            });
            return { computing: all > 0 ? computing / all : 0, parts };
        });
        this.of.set(rank, pieces);
        return pieces;
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
            this.piecesOf(location.rank).forEach(({ computing, parts }, piece) => {
                const height = computing > 0 ? Math.max(2, computing * STRIP_HEIGHT) : 0;
                for (const { colour, from, to } of parts) {
                    const x = sheet.xOf((piece + from) * width);
                    context.fillStyle = colour;
                    context.fillRect(x, top + STRIP_HEIGHT - height, sheet.xOf((piece + to) * width) - x, height);
                }
            });
        });
    }
}
