// details.ts: describes a span, message or share of time as a title and lines of (label, value), for tips, the side panel and
// screen readers.

import { showBytes, showCount, showMoment, showNs, showShare, showSite } from "./format.js";
import { FLAG_APPROXIMATE, FLAG_OPEN, type End, type Formula, type Region, type Tile } from "./protocol.js";
import { Records, type Message, type Operation, type Span } from "./records.js";
import { regionOf, shareOf, waits } from "./shares.js";
import { computingLines } from "./samples.js";
import type { State } from "./state.js";

export type Details = { title: string; lines: [string, string][] };

enum Kind {
    Send = 2,
    SendComplete,
    RecvPost,
    Recv,
    Cancel,
    Collective,
    CollectiveComplete,
    Rma,
    Io,
}

export function nameLocation(state: State, location: number): string {
    const { rank, thread } = state.locations[location] ?? { rank: -1, thread: 0 };
    return thread ? `rank ${rank}, thread ${thread}` : `rank ${rank}`;
}

export function regionOfSpan(state: State, region: number): Region {
    return state.names.regions[region] ?? state.names.regions.at(-1)!;
}

/** For example "MPI_Send step.c:21". */
export function nameCall(state: State, region: number): string {
    const info = regionOfSpan(state, region);
    return `${info.name} ${showSite(info)}`.trimEnd();
}

function nameComm(state: State, comm: number): string {
    if (comm < 0) return "unknown";
    return state.names.comms[comm] || `communicator ${comm}`;
}

function ofOperation(state: State, operation: Operation): [string, string][] {
    const message = (peer: string, other: string): [string, string][] => {
        const lines: [string, string][] = [
            [peer, operation.peer < 0 ? "unknown" : `rank ${operation.peer}`],
            ["tag", String(operation.tag)],
            [
                "bytes",
                operation.bytes < 0 ? "unknown" : `${showCount(operation.bytes)} (${showBytes(operation.bytes)})`,
            ],
            ["comm", nameComm(state, operation.comm)],
        ];
        if (operation.other >= 0) lines.push([other, showMoment(operation.other)]);
        return lines;
    };
    switch (operation.kind as Kind) {
        case Kind.Send:
            return message("sends to", "");
        case Kind.Recv:
            return message("receives from", "sent at");
        case Kind.Collective:
            return [
                ...(operation.peer >= 0 ? [["root", `rank ${operation.peer}`] as [string, string]] : []),
                ["sent", showBytes(operation.bytes)],
                ["received", showBytes(operation.received)],
                ["comm", nameComm(state, operation.comm)],
            ];
        case Kind.Rma:
            return [
                ["target", operation.peer < 0 ? "unknown" : `rank ${operation.peer}`],
                ["bytes", showBytes(operation.bytes)],
            ];
        case Kind.Io:
            return [["bytes", showBytes(operation.bytes)]];
        case Kind.RecvPost:
            return [["posts a receive on", nameComm(state, operation.comm)]];
        case Kind.SendComplete:
            return [["completes", "a send"]];
        case Kind.CollectiveComplete:
            return [["completes", "a collective"]];
        case Kind.Cancel:
            return [["completes", "a request without a message"]];
        default:
            return [];
    }
}

/** By enum refrain_wait_kind. */
const WAITS = [
    "late sender",
    "late receiver",
    "barrier",
    "n-to-n",
    "early reduce",
    "late broadcast",
    "late receiver, at completion",
    "late sender, at completion",
    "collective, at completion",
];

const MOST_OPERATIONS = 6;
/** A tip shows the samples of so much time around it, since a moment has hardly any. */
const SAMPLES_AROUND_NS = 50e6;

/** The span with its end, if the window does not contain the end and the engine has found it. */
export function withEnd(span: Span, end: End): Span {
    return { ...span, to: end.to, flags: end.left ? span.flags & ~FLAG_OPEN : span.flags };
}

export function ofSpan(state: State, records: Records, span: Span): Details {
    const region = regionOfSpan(state, span.region);
    const lines: [string, string][] = [["where", nameLocation(state, span.location)]];
    if (showSite(region)) lines.push(["source", showSite(region)]);
    lines.push(["from", showMoment(span.from)]);
    if (span.flags & FLAG_OPEN) lines.push(["to", isFinite(span.to) ? "never left" : "goes on behind this window"]);
    else lines.push(["to", showMoment(span.to)]);
    if (isFinite(span.to)) lines.push(["duration", showNs(span.to - span.from)]);
    if (span.waitsUntil > span.from) {
        lines.push([
            "waiting",
            `${showNs(span.waitsUntil - span.from)} (${showShare(span.waitsUntil - span.from, span.to - span.from)})`,
        ]);
        lines.push([
            "waits for",
            `${span.cause < 0 ? "unknown" : `rank ${span.cause}`}: ${WAITS[span.waitKind] ?? ""}`,
        ]);
    }
    for (let i = 0; i < Math.min(span.nOperations, MOST_OPERATIONS); i++)
        lines.push(...ofOperation(state, records.operation(span.firstOperation + i)));
    if (span.nOperations > MOST_OPERATIONS)
        lines.push(["and", `${span.nOperations - MOST_OPERATIONS} more operations`]);
    if (span.flags & FLAG_APPROXIMATE) lines.push(["approximate", "not known exactly: the trace's memory was spent"]);
    return { title: region.name, lines };
}

export function ofMessage(state: State, message: Message): Details {
    const lines: [string, string][] = [
        ["from", nameLocation(state, message.from)],
        ["sent in", nameCall(state, message.sentIn)],
        ["to", nameLocation(state, message.to)],
    ];
    if (isFinite(message.received)) lines.push(["received in", nameCall(state, message.receivedIn)]);
    lines.push(["sent", showMoment(message.sent)]);
    if (isFinite(message.received)) {
        lines.push(["received", showMoment(message.received)]);
        lines.push(["under way", showNs(message.received - message.sent)]);
    } else lines.push(["received", "not in this window"]);
    lines.push(["bytes", `${showCount(message.bytes)} (${showBytes(message.bytes)})`]);
    lines.push(["tag", String(message.tag)]);
    lines.push(["comm", nameComm(state, message.comm)]);
    if (message.flags & FLAG_APPROXIMATE) lines.push(["approximate", "not known exactly"]);
    return { title: "message", lines };
}

/** The shares of time between two moments, if there are too many events to show each. */
export function ofShares(
    state: State,
    tile: Tile | null,
    locations: number[],
    from: number,
    to: number,
): Details | null {
    const shares = tile?.shares ?? state.overview?.level((to - from) / 2);
    if (!shares) return null;
    const width = (shares.to - shares.from) / shares.bins;
    const first = Math.max(0, Math.floor((from - shares.from) / width));
    const last = Math.min(shares.bins - 1, Math.max(first, Math.ceil((to - shares.from) / width) - 1));
    if (first >= shares.bins || last < first) return null;
    // Sums by name and location, for the mean and the spread.
    const sums = new Map<string, Float64Array>();
    locations.forEach((location, member) => {
        const row = location * (shares.bins + 1);
        for (let i = shares.index[row + first]; i < shares.index[row + last + 1]; i++) {
            const word = shares.words[i];
            const name = (state.palette.groupOf[regionOf(word)]?.name ?? "?") + (waits(word) ? ", waiting" : "");
            let of = sums.get(name);
            if (!of) sums.set(name, (of = new Float64Array(locations.length)));
            of[member] += shareOf(word) / (last - first + 1);
        }
    });
    const mean = (of: Float64Array): number => of.reduce((sum, share) => sum + share, 0) / of.length;
    const show = (of: Float64Array): string =>
        of.length === 1
            ? showShare(of[0], 1)
            : `${showShare(mean(of), 1)} (${showShare(Math.min(...of), 1)} to ${showShare(Math.max(...of), 1)})`;
    const lines: [string, string][] = [...sums]
        .sort((a, b) => mean(b[1]) - mean(a[1]))
        .slice(0, 8)
        .map(([name, of]) => [name, show(of)]);
    return {
        title: `${showNs((last - first + 1) * width)} around ${showMoment((from + to) / 2)}`,
        lines: [
            [
                "where",
                locations.length === 1
                    ? nameLocation(state, locations[0])
                    : `${locations.length} ranks: mean, least and most`,
            ],
            ...lines,
            ...computingLines(
                state,
                locations.map((location) => state.locations[location].rank),
                Math.max(0, from - SAMPLES_AROUND_NS),
                to + SAMPLES_AROUND_NS,
                3,
            ),
        ],
    };
}

/** The formulas of the construct that makes a region. */
export function formulasOf(state: State, region: Region): Formula[] {
    return state.about.formulas.filter(
        (formula) =>
            formula.file === region.file &&
            formula.line === region.line &&
            (region.kind === "mpi" || region.kind === "io"
                ? formula.construct === region.name && formula.function === region.function
                : formula.function === region.name),
    );
}
