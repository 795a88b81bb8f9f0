// navigate.ts: moves from one event to the next: along a rank, along a message, to the longest waits, to search results.

import { nameLocation, ofMessage, ofSpan, regionOfSpan } from "./details.js";
import { showNs } from "./format.js";
import { MESSAGE_DOUBLES, Records, SPAN_DOUBLES, SPAN_WORDS, type Span } from "./records.js";
import type { Group } from "./palette.js";
import { FLAG_OPEN, type Finding, type Place, type Wait } from "./protocol.js";
import { regionOf } from "./shares.js";
import type { Choice, State } from "./state.js";

/** The fields of a finding that lead to its place. */
type Where = Pick<Finding, "from_ns" | "to_ns" | "rank" | "function" | "call" | "waits_in">;

export class Navigate {
    private wait = -1;
    private waitsOf: Wait[] = [];
    /** Chooses something when the data of the window around it has arrived. False: not yet. */
    private pending: (() => boolean) | null = null;

    constructor(
        private readonly state: State,
        private readonly speak: (text: string) => void,
    ) {
        state.on(["data"], () => {
            if (this.pending?.()) this.pending = null;
        });
    }

    private records(): Records | null {
        const tile = this.state.tile();
        return tile?.exact ? Records.of(tile.exact) : null;
    }

    chooseSpan(records: Records, span: Span): void {
        const { location, depth, from, region } = span;
        const left = (span.flags & FLAG_OPEN) === 0;
        this.state.choose({ kind: "span", location, depth, from, to: span.to, left, region });
        const details = ofSpan(this.state, records, span);
        this.speak(`${details.title}: ${details.lines.map((line) => line.join(" ")).join(", ")}`);
    }

    /** Moves the window so that it contains the time span. Keeps the scale unless the span does not fit. */
    bringIntoView(from: number, to: number): void {
        const width = this.state.to - this.state.from;
        if (from >= this.state.from && to <= this.state.to) return;
        const length = to - from;
        if (length > width) this.state.show(from - length * 0.1, to + length * 0.1);
        else {
            const middle = (from + to) / 2;
            this.state.show(middle - width / 2, middle + width / 2);
        }
    }

    /** Chooses the open region at a moment, when the window's data has arrived. */
    private chooseLater(location: number, time: number, depth: number | null): void {
        this.pending = () => {
            const records = this.records();
            const span = records?.spanAt(location, time, depth);
            if (!records || !span) return false;
            this.chooseSpan(records, span);
            return true;
        };
        if (this.pending()) this.pending = null;
    }

    /** Moves to the next (1) or previous (-1) event: of the chosen message's kind, of the chosen region, or in the chosen
     *  lane. */
    step(direction: 1 | -1): void {
        const { choice } = this.state;
        if (choice?.kind === "message") this.stepMessage(direction, choice);
        else if (choice?.kind === "region") this.stepGroup(this.state.palette.groupOf[choice.region], direction);
        else if (choice?.kind === "span") this.stepLane(direction, choice);
        else this.chooseLater(0, (this.state.from + this.state.to) / 2, null);
    }

    private stepLane(direction: 1 | -1, choice: Choice & { kind: "span" }): void {
        const records = this.records();
        if (!records) return;
        const { at, end } = records.firstInLane(choice.location, choice.depth, choice.from);
        const { order, lanes, depths } = records.exact;
        const first = lanes[choice.location * depths + choice.depth];
        const next = direction > 0 ? at + 1 : at - 1;
        if (next >= first && next < end) {
            const span = records.span(order[next]);
            this.chooseSpan(records, span);
            this.bringIntoView(span.from, Math.min(span.to, this.state.end));
            return;
        }
        // The known data ends here: continue in the next window.
        const time = direction > 0 ? choice.to : choice.from;
        const width = this.state.to - this.state.from;
        if (direction > 0 ? time >= this.state.end : time <= 0) return;
        this.state.show(time - width / 2, time + width / 2);
    }

    private stepMessage(direction: 1 | -1, choice: Choice & { kind: "message" }): void {
        const records = this.records();
        if (!records) return;
        let best = -1;
        for (let i = 0; i < records.exact.nMessages; i++) {
            const sent = records.messageNumbers[i * MESSAGE_DOUBLES];
            if (direction > 0 ? sent <= choice.sent : sent >= choice.sent) continue;
            if (best < 0 || direction * (sent - records.messageNumbers[best * MESSAGE_DOUBLES]) < 0) best = i;
        }
        if (best >= 0) this.chooseMessage(best);
    }

    chooseMessage(index: number): void {
        const records = this.records();
        if (!records) return;
        const message = records.message(index);
        this.state.choose({ kind: "message", ...message });
        this.bringIntoView(message.sent, isFinite(message.received) ? message.received : message.sent);
        const details = ofMessage(this.state, message);
        this.speak(`${details.title}: ${details.lines.map((line) => line.join(" ")).join(", ")}`);
    }

    /** Moves from a call to its message, or from a message to the call at its other end. */
    follow(): void {
        const records = this.records();
        const { choice } = this.state;
        if (!records || !choice) return;
        if (choice.kind === "message") {
            if (isFinite(choice.received)) this.chooseLater(choice.to, choice.received - 1, null);
            return;
        }
        if (choice.kind !== "span") return;
        let best = -1;
        for (let i = 0; i < records.exact.nMessages; i++) {
            const message = records.message(i);
            const sends = message.from === choice.location && message.sent >= choice.from && message.sent <= choice.to;
            const receives =
                message.to === choice.location && message.received >= choice.from && message.received <= choice.to;
            if ((sends || receives) && (best < 0 || message.sent < records.message(best).sent)) best = i;
        }
        if (best < 0) {
            this.speak("no message here");
            return;
        }
        const message = records.message(best);
        if (message.to === choice.location && message.from !== choice.location)
            this.chooseLater(message.from, message.sent, null);
        else this.chooseMessage(best);
    }

    /** The longest waits of the marked interval, or of the run. */
    get waits(): Wait[] {
        const waits = (this.state.range ? this.state.sums : this.state.whole)?.waits ?? [];
        if (waits !== this.waitsOf) this.wait = -1;
        return (this.waitsOf = waits);
    }

    /** Moves to the next (1) or previous (-1) of the longest waits. */
    longest(direction: 1 | -1): void {
        const n = this.waits.length;
        if (n === 0) this.speak(this.state.scanned.done ? "nobody waits" : "the run is being read");
        else this.toWait(this.wait < 0 && direction < 0 ? n - 1 : (this.wait + direction + n) % n);
    }

    isChosen({ location, depth, from }: Wait): boolean {
        const { choice } = this.state;
        return (
            choice?.kind === "span" && choice.location === location && choice.depth === depth && choice.from === from
        );
    }

    /** Chooses one of the longest waits. Details of its call follow with the window's data. */
    toWait(index: number): void {
        const { state } = this;
        const wait = this.waits[index];
        const { location, depth, from, to, region } = wait;
        this.wait = index;
        state.show(from - (to - from), to + (to - from));
        state.choose({ kind: "span", location, depth, from, to, left: true, region });
        const { name } = regionOfSpan(state, region);
        this.speak(
            `wait ${index + 1} of ${this.waits.length}: ${nameLocation(state, location)} waits ${showNs(to - from)} in ${name}`,
        );
        this.chooseLater(location, from + (to - from) / 2, depth);
    }

    /** The index of the region with this name and place; -1: the trace has none. */
    regionAt(place: Place | null): number {
        if (!place) return -1;
        const { name, file, line, in_function } = place;
        return this.state.names.regions.findIndex(
            (region) =>
                region.name === name &&
                region.file === file &&
                region.line === line &&
                ((region.kind !== "mpi" && region.kind !== "io") || region.function === in_function),
        );
    }

    /** Moves to the worst moment of a finding, marks it, and chooses the call or function that the finding is about. */
    toFinding({ from_ns: from, to_ns: to, rank, function: inside, call, waits_in }: Where): void {
        const { state } = this;
        const regions = [inside, call, waits_in].map((place) => this.regionAt(place)).filter((region) => region >= 0);
        this.pending = null;
        state.choose(regions.length ? { kind: "region", region: regions[0] } : null);
        state.mark(null);
        if (from === undefined || to === undefined) {
            if (regions.length) this.step(1);
            return;
        }
        state.show(from - (to - from) / 2, to + (to - from) / 2);
        state.mark({ from, to });
        const location = rank === null ? -1 : state.locations.findIndex((other) => other.rank === rank);
        if (location < 0) return;
        const window = state.from;
        this.pending = () => {
            const records = this.records();
            if (!records) return state.from !== window; // the user has moved the window meanwhile
            const span = regions.map((region) => records.longest(location, region, from, to)).find((found) => found);
            const other = span ?? records.spanAt(location, (from + to) / 2, null);
            if (other) this.chooseSpan(records, other);
            return true;
        };
        if (this.pending()) this.pending = null;
    }

    /** Moves to the parent (-1), or to the region that is open inside at the beginning (1). */
    nest(direction: 1 | -1): void {
        const records = this.records();
        const { choice } = this.state;
        if (!records || choice?.kind !== "span") return;
        const depth = choice.depth + direction;
        if (depth < 0 || depth >= records.exact.depths) return;
        if (direction < 0) {
            const span = records.spanAt(choice.location, choice.from, depth);
            if (span) this.chooseSpan(records, span);
            return;
        }
        const { at, end } = records.firstInLane(choice.location, depth, choice.from);
        if (at < end && records.spanTimes[records.exact.order[at] * SPAN_DOUBLES] <= choice.to)
            this.chooseSpan(records, records.span(records.exact.order[at]));
    }

    /** Moves to the same moment on another location. */
    across(location: number): void {
        const { choice } = this.state;
        const time =
            choice?.kind === "span"
                ? (Math.max(choice.from, this.state.from) + Math.min(choice.to, this.state.to)) / 2
                : (this.state.from + this.state.to) / 2;
        this.chooseLater(location, time, null);
    }

    /** Moves to the next or previous span of a group on any location, from the choice or the middle of the window. */
    stepGroup(group: Group, direction: 1 | -1): void {
        const { choice } = this.state;
        const chosen = choice?.kind === "span" && this.state.palette.groupOf[choice.region] === group ? choice : null;
        const after = chosen ? chosen.from : direction > 0 ? this.state.from : this.state.to;
        const records = this.records();
        const tile = this.state.tile();
        let best = -1;
        if (records)
            for (let i = 0; i < records.exact.nSpans; i++) {
                if (this.state.palette.groupOf[records.spanWords[i * SPAN_WORDS + 6]] !== group) continue;
                const from = records.spanTimes[i * SPAN_DOUBLES];
                const location = records.spanWords[i * SPAN_WORDS + 7];
                const later = chosen && from === after ? location - chosen.location : from - after;
                if (later * direction <= 0 && !(later === 0 && !chosen)) continue;
                if (best < 0 || (from - records.spanTimes[best * SPAN_DOUBLES]) * direction < 0) best = i;
            }
        if (best >= 0) {
            const span = records!.span(best);
            this.chooseSpan(records!, span);
            this.bringIntoView(span.from, Math.min(span.to, this.state.end));
            return;
        }
        this.searchOverview(
            group,
            direction,
            direction > 0 ? (tile?.exact ? tile.to : after) : tile?.exact ? tile.from : after,
        );
    }

    /** Searches the group in the intervals of the overview, where single events are not known. */
    private searchOverview(group: Group, direction: 1 | -1, after: number): void {
        const shares = this.state.overview?.finest;
        if (!shares) return;
        const width = (shares.to - shares.from) / shares.bins;
        const start = Math.floor((after - shares.from) / width) + (direction > 0 ? 0 : -1);
        for (let b = start; b >= 0 && b < shares.bins; b += direction)
            for (let l = 0; l < this.state.locations.length; l++) {
                const row = l * (shares.bins + 1) + b;
                for (let i = shares.index[row]; i < shares.index[row + 1]; i++) {
                    if (this.state.palette.groupOf[regionOf(shares.words[i])] !== group) continue;
                    const from = shares.from + b * width;
                    if (from < after && direction > 0 && from + width <= after) continue;
                    this.state.show(from - width, from + 2 * width);
                    this.pending = () => {
                        const records = this.records();
                        if (!records) return false;
                        this.stepGroup(group, direction);
                        return true;
                    };
                    return;
                }
            }
        this.speak(`no further ${group.name}`);
    }
}
