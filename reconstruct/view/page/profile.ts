// profile.ts: times by region in the window, their differences between ranks, and the legend.

import { element } from "./elements.js";
import { showBytes, showCount, showNs, showShare } from "./format.js";
import { mostMemory } from "./memory.js";
import type { Group } from "./palette.js";
import { PART_NUMBERS } from "./shares.js";
import type { State } from "./state.js";
import { Table, type Column } from "./tables.js";
import type { Timeline } from "./timeline.js";

interface Total {
    group: Group;
    count: number;
    own: number;
    waiting: number;
    /** Share of all regions' time. */
    share: number;
    balance: Balance;
}

/** Own time of a rank, summed over its threads: the least, the mean, the most, and the rank that has the most. */
export interface Balance {
    least: number;
    mean: number;
    most: number;
    rank: number;
}

/** The balance of each group over the ranks of the trace. */
export function balances(state: State): Map<Group, Balance> {
    const { sums, locations, palette } = state;
    const ranks = [...new Set(locations.map((location) => location.rank))];
    const at = new Map(ranks.map((rank, i) => [rank, i]));
    const own = new Map<Group, Float64Array>();
    const parts = sums?.parts ?? new Float64Array(0);
    const exact = scaleOf(parts, sums?.totals ?? []);
    for (let i = 0; i < parts.length; i += PART_NUMBERS) {
        const group = palette.groupOf[parts[i + 1]];
        if (!group) continue;
        let times = own.get(group);
        if (!times) own.set(group, (times = new Float64Array(ranks.length)));
        times[at.get(locations[parts[i]].rank)!] += parts[i + 2] * exact[parts[i + 1]];
    }
    return new Map([...own].map(([group, times]) => [group, balanceOf(times, ranks)]));
}

/** Factors by which the parts of each region add up to its total. Parts come from shares, which are rounded. */
function scaleOf(parts: Float64Array, totals: { own: number }[]): Float64Array {
    const sums = new Float64Array(totals.length);
    for (let i = 0; i < parts.length; i += PART_NUMBERS) sums[parts[i + 1]] += parts[i + 2];
    return sums.map((sum, region) => (sum > 0 ? totals[region].own / sum : 0));
}

function balanceOf(times: Float64Array, ranks: number[]): Balance {
    let [least, most, sum] = [0, 0, 0];
    times.forEach((time, i) => {
        sum += time;
        if (time < times[least]) least = i;
        if (time > times[most]) most = i;
    });
    return { least: times[least], mean: sum / times.length, most: times[most], rank: ranks[most] };
}

const NONE: Balance = { least: 0, mean: 0, most: 0, rank: -1 };

export class Profile {
    private readonly table: Table<Total>;
    private readonly title = element("h2");
    private readonly reading = element("progress");
    private readonly remark = element("p", "", "key");

    constructor(
        private readonly state: State,
        private readonly timeline: Timeline,
        panel: HTMLElement,
        private readonly choose: (group: Group) => void,
    ) {
        this.table = new Table(this.columns(), 1, ({ group }, line) => {
            const { choice } = this.state;
            line.cells[0].className = "name";
            const isChosen = choice && choice.kind !== "message" && this.state.palette.groupOf[choice.region] === group;
            line.classList.toggle("chosen", Boolean(isChosen));
        });
        const key = element("p", "", "key");
        key.append(element("span", "", "hatch"), " waits for another rank");
        this.reading.setAttribute("aria-label", "How much of the run has been read");
        panel.replaceChildren(
            this.title,
            this.reading,
            this.remark,
            this.table.element,
            key,
            this.switchOf("Message lines", this.timeline.showMessages, (on) => (this.timeline.showMessages = on)),
            this.switchOf("Collectives", this.timeline.showCollectives, (on) => (this.timeline.showCollectives = on)),
        );
        const most = mostMemory(state);
        if (most > 0) {
            const name = `Memory of each rank, up to ${showBytes(most)}`;
            panel.append(this.switchOf(name, this.timeline.showMemory, (on) => (this.timeline.showMemory = on)));
        }
        if (state.about.samples) {
            const name = "Functions by samples, below the bars";
            panel.append(this.switchOf(name, this.timeline.showFunctions, (on) => (this.timeline.showFunctions = on)));
        }
        state.on(["sums", "legend", "rows", "choice", "data", "window"], () => this.fill());
        this.fill();
    }

    private columns(): Column<Total>[] {
        const time = (title: string, about: string, of: (total: Total) => number): Column<Total> => ({
            title,
            about,
            key: of,
            cell: (total) => (of(total) > 0 ? showNs(of(total)) : ""),
        });
        return [
            { title: "region", about: "", key: ({ group }) => group.name, cell: ({ group }) => this.name(group) },
            time("own", "time in which nothing that it calls is open, all ranks", (total) => total.own),
            {
                title: "share",
                about: "of the time of all regions",
                key: (total) => total.share,
                cell: (total) => showShare(total.share, 1),
            },
            time("waiting", "for other ranks, of its own time", (total) => total.waiting),
            time("least", "own time of the rank that has least", (total) => total.balance.least),
            time("mean", "own time of a rank", (total) => total.balance.mean),
            time("most", "own time of the rank that has most", (total) => total.balance.most),
            {
                title: "on",
                about: "the rank that has most",
                key: (total) => (total.balance.rank < 0 ? NaN : total.balance.rank),
                cell: (total) => (total.balance.rank < 0 ? "" : String(total.balance.rank)),
            },
            {
                title: "count",
                about: "times that it was left",
                key: (total) => total.count,
                cell: (total) => (isNaN(total.count) ? "…" : showCount(total.count)),
            },
        ];
    }

    private name(group: Group): HTMLElement {
        const name = element("span");
        const toggle = element("button", "", "link");
        const swatch = element("span", "", group.shown ? "swatch" : "swatch off");
        swatch.style.background = group.css;
        toggle.append(swatch);
        toggle.setAttribute("role", "switch");
        toggle.setAttribute("aria-checked", String(group.shown));
        toggle.setAttribute("aria-label", `Show ${group.name}`);
        toggle.addEventListener("click", () => {
            group.shown = !group.shown;
            this.state.notify("legend");
        });
        const text = element("button", group.name, "link");
        text.title = `${group.name}: choose it`;
        text.addEventListener("click", () => this.choose(group));
        name.append(toggle, text);
        return name;
    }

    private totals(): Total[] {
        const { sums, palette } = this.state;
        const balance = balances(this.state);
        const totals = palette.groups.map((group) => {
            const total = { group, count: 0, own: 0, waiting: 0, share: 0, balance: balance.get(group) ?? NONE };
            for (const region of group.regions) {
                const of = sums?.totals[region];
                if (!of) continue;
                total.count += of.count;
                total.own += of.own;
                total.waiting += of.waiting;
            }
            return total;
        });
        const all = totals.reduce((sum, total) => sum + total.own, 0);
        for (const total of totals) total.share = all > 0 ? total.own / all : 0;
        return totals.filter((total) => total.own > 0 || total.count > 0);
    }

    private filled: unknown[] = [];

    private fill(): void {
        const { state } = this;
        this.title.textContent = this.titleOf();
        this.reading.hidden = state.scanned.done;
        this.reading.max = state.end;
        if (state.scanned.upTo > 0) this.reading.value = Math.min(state.scanned.upTo, state.end);
        this.remark.textContent = state.sums?.rough
            ? "Times are those of the overview; events are being counted."
            : state.sums && state.sums.totals.every((total) => !total.own && !total.count)
              ? "Nothing happens here."
              : "";
        this.table.element.hidden = !state.sums;
        const wanted = [state.sums, state.choice, ...state.palette.groups.map((group) => group.shown)];
        if (wanted.length === this.filled.length && wanted.every((one, i) => one === this.filled[i])) return;
        this.filled = wanted;
        this.table.fill(this.totals());
    }

    private titleOf(): string {
        const { range, scanned, sums, end, work, about } = this.state;
        const ended = (about.report?.first_finalize_ns ?? null) !== null;
        if (range) return `Marked ${showNs(range.to - range.from)}, all ranks`;
        if (!scanned.done) return sums ? "As far as the run has been read" : "The run is being read";
        if (!sums || (sums.from <= 0 && sums.to >= end)) return "Whole run, all ranks";
        if (ended && sums.from === work.from && sums.to === work.to)
            return `From MPI_Init to MPI_Finalize, ${showNs(sums.to - sums.from)}, all ranks`;
        return `Window of ${showNs(sums.to - sums.from)}, all ranks`;
    }

    private switchOf(name: string, on: boolean, set: (on: boolean) => void): HTMLElement {
        const label = element("label");
        const box = element("input");
        box.type = "checkbox";
        box.checked = on;
        box.addEventListener("change", () => {
            set(box.checked);
            this.state.notify("data");
        });
        label.append(box, ` ${name}  `);
        return label;
    }
}
