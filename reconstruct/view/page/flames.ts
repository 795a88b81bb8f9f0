// flames.ts: the panel of samples: a flame graph and a table of functions, over the window or the marked interval.

import flamegraph from "d3-flame-graph";
import { select } from "d3-selection";
import { element } from "./elements.js";
import { showNs, showShare } from "./format.js";
import type { Samples } from "./protocol.js";
import {
    colourOf,
    functionsOf,
    nameFunction,
    placeOf,
    showSamples,
    totalOf,
    treeOf,
    type Filter,
    type Frame,
} from "./samples.js";
import type { State } from "./state.js";
import { Table, type Column } from "./tables.js";

const CELL_HEIGHT = 18;
const MOST_FUNCTIONS = 30;

interface Row {
    index: number;
    samples: number;
    share: number;
}

export class Flames {
    private readonly title = element("h2");
    private readonly remark = element("p", "", "key");
    private readonly who = element("select");
    private readonly what = element("select");
    private readonly picture = element("div", "", "d3-flame-graph");
    private readonly table: Table<Row>;

    constructor(
        private readonly state: State,
        private readonly samples: Samples,
        private readonly panel: HTMLElement,
    ) {
        this.table = new Table(this.columns(), 1, (_, line) => (line.cells[0].className = "name"));
        this.addOption(this.what, "computing", "outside of MPI calls");
        this.addOption(this.what, "all", "all samples");
        this.addOption(this.who, "-1", "all ranks");
        for (const rank of new Set(state.about.processes.map((process) => process.rank)))
            this.addOption(this.who, String(rank), `rank ${rank}`);
        this.who.setAttribute("aria-label", "Which ranks");
        this.what.setAttribute("aria-label", "Which samples");
        const tools = element("p");
        tools.append(this.what, " ", this.who);
        panel.replaceChildren(this.title, tools, this.remark, this.picture, this.table.element);
        for (const choice of [this.who, this.what]) choice.addEventListener("change", () => this.fill());
        new ResizeObserver(() => !panel.hidden && this.fill()).observe(panel);
    }

    private addOption(choice: HTMLSelectElement, value: string, text: string): void {
        const option = element("option", text);
        option.value = value;
        choice.append(option);
    }

    private columns(): Column<Row>[] {
        return [
            {
                title: "function",
                about: "its own samples; those in the C library count for the caller, if samples in MPI calls are left out",
                key: ({ index }) => nameFunction(this.samples, index),
                cell: ({ index }) => this.name(index),
            },
            {
                title: "share",
                about: "of these samples",
                key: ({ share }) => share,
                cell: ({ share }) => showShare(share, 1),
            },
            {
                title: "time",
                about: "of the processor, with its standard deviation",
                key: ({ samples }) => samples,
                cell: ({ samples }) => showSamples(this.samples, samples),
            },
        ];
    }

    private name(index: number): HTMLElement {
        const name = element("span");
        const swatch = element("span", "", "swatch");
        swatch.style.background = colourOf(nameFunction(this.samples, index));
        name.append(
            swatch,
            nameFunction(this.samples, index),
            " ",
            element("span", placeOf(this.samples, index), "place"),
        );
        return name;
    }

    private filter(): Filter {
        const { from, to } = this.state.range ?? this.state;
        return { from, to, rank: Number(this.who.value), computing: this.what.value === "computing" };
    }

    fill(): void {
        const { state, samples } = this;
        const filter = this.filter();
        const functions = functionsOf(samples, filter);
        const all = totalOf(functions);
        const length = showNs(filter.to - filter.from);
        this.title.textContent = `${state.range ? "Marked" : "Window of"} ${length}: ${showSamples(samples, all)} of the processor`;
        this.remark.textContent =
            all < 1
                ? "No samples here: mark or show a longer part of the run."
                : `${Math.round(all)} samples. Click a function to enlarge it, "all" to go back.`;
        this.table.fill(
            functions
                .slice(0, MOST_FUNCTIONS)
                .map(({ index, samples: n }) => ({ index, samples: n, share: all > 0 ? n / all : 0 })),
        );
        this.table.element.hidden = all < 1;
        this.draw(treeOf(samples, filter));
    }

    private draw(tree: Frame): void {
        this.picture.replaceChildren();
        if (tree.all < 1 || !this.panel.clientWidth) return;
        const chart = flamegraph<Frame>()
            .width(this.picture.clientWidth)
            .cellHeight(CELL_HEIGHT)
            .minFrameSize(1)
            .transitionDuration(0)
            .inverted(true)
            .sort((a, b) => b.value - a.value)
            .selfValue(true)
            .resetHeightOnZoom(true)
            .setColorMapper(({ data }) => (data === tree ? "var(--line)" : colourOf(data.name)))
            .setLabelHandler(
                ({ data }) =>
                    `${data.name} ${data.about}\n${showShare(data.all, tree.all)}: ${showSamples(this.samples, data.all)}, itself ${showSamples(this.samples, data.value)}`,
            );
        select(this.picture).datum(tree).call(chart);
    }
}
