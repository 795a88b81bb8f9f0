// critical.ts: draws the critical path as a lane below the overview: the rank that it is on, over time, and what the rank does.

import { element } from "./elements.js";
import { showMoment, showSite } from "./format.js";
import type { Navigate } from "./navigate.js";
import type { PathPiece, Place } from "./protocol.js";
import type { State } from "./state.js";

/** Pixels for the number of a rank, and for a name behind it. */
const NUMBER_WIDTH = 22;
const NAME_WIDTH = 90;

const showCall = ({ name, file, line, in_function }: Place): string =>
    `${name} ${showSite({ file, line, function: in_function ?? "" })}`.trim();

function showPiece({ doing, function: inside, call }: PathPiece): string {
    if (doing === null) return "not known what";
    if (doing !== "computing") return `${doing} in ${call ? showCall(call) : "MPI"}`;
    if (inside) return `computing in ${showCall(inside)}`;
    return call ? `computing before ${showCall(call)}` : "computing";
}

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / Math.max(1, whole))} %`;

export class CriticalPath {
    constructor(
        private readonly state: State,
        private readonly navigate: Navigate,
        private readonly lane: HTMLElement,
    ) {
        const pieces = state.about.report?.path ?? [];
        lane.hidden = pieces.length === 0 || state.about.size < 2;
        if (lane.hidden) return;
        const label = element("span", "critical path", "label");
        label.title = "What the length of the run depends on: refrain stats --by critical-path";
        const draw = (): void => lane.replaceChildren(label, ...pieces.map((piece) => this.bar(piece)));
        state.on(["data", "theme"], draw);
        new ResizeObserver(draw).observe(lane);
    }

    private bar(piece: PathPiece): HTMLElement {
        const { state } = this;
        const bar = element("button");
        const width = ((piece.to_ns - piece.from_ns) / state.end) * this.lane.clientWidth;
        const place = piece.doing === "computing" ? piece.function : piece.call;
        const group = place ? state.palette.groupOf[this.navigate.regionAt(place)] : undefined;
        if (width > NUMBER_WIDTH)
            bar.textContent = width > NAME_WIDTH && place ? `${piece.rank} ${place.name}` : String(piece.rank);
        bar.style.left = `${(100 * piece.from_ns) / state.end}%`;
        bar.style.width = `${(100 * (piece.to_ns - piece.from_ns)) / state.end}%`;
        if (group) {
            bar.style.background = group.css;
            bar.style.color = group.dark ? "#fff" : "#000";
        }
        bar.title =
            `${showMoment(piece.from_ns)}: the critical path is on rank ${piece.rank} (${percent(piece.rank_ns, piece.path_ns)} of it), ` +
            `mostly ${showPiece(piece)} (${percent(piece.place_ns, piece.rank_ns)} of that)`;
        bar.addEventListener("click", () => this.navigate.toFinding({ ...piece, waits_in: null }));
        return bar;
    }
}
