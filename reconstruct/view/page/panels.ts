// panels.ts: the side panel: its tabs, the choice, and the program with its formulas. findings.ts, profile.ts and matrix.ts make
// the other tabs.

import { element } from "./elements.js";
import { formulasOf, nameLocation, ofMessage, ofSpan, regionOfSpan, withEnd, type Details } from "./details.js";
import { showCount, showKnownNs, showNs, showShare, showSite } from "./format.js";
import { Flames } from "./flames.js";
import { Findings } from "./findings.js";
import { Matrix } from "./matrix.js";
import type { Navigate } from "./navigate.js";
import { Profile } from "./profile.js";
import { Records } from "./records.js";
import type { Counter, Formula, Region, TreeNode } from "./protocol.js";
import { functionsOf, nameFunction, showSamples } from "./samples.js";
import type { State } from "./state.js";
import { Table, type Column } from "./tables.js";
import type { Timeline } from "./timeline.js";

export function detailsElement(details: Details): HTMLElement[] {
    const list = element("dl");
    for (const [name, value] of details.lines) list.append(element("dt", name), element("dd", value));
    return [element("h2", details.title), list];
}

/** True if the region is entered from this node of the program. */
const isOf = (node: TreeNode, region: Region): boolean =>
    node.name === region.name &&
    node.file === region.file &&
    node.line === region.line &&
    node.function === region.function;

/** Sorts nodes by their time including callees, the longest first; unknown times come last. */
const byTime = (nodes: TreeNode[]): TreeNode[] => [...nodes].sort((a, b) => (b.time_ns ?? 0) - (a.time_ns ?? 0));

const MOST_FORMULAS = 24;
const MOST_FUNCTIONS = 6;

export class Panels {
    private readonly tabs: HTMLButtonElement[];
    private readonly matrix: Matrix;
    private readonly flames: Flames | null = null;
    private readonly treeElements: { node: TreeNode; line: HTMLElement }[] = [];

    constructor(
        private readonly state: State,
        timeline: Timeline,
        navigate: Navigate,
    ) {
        const { samples } = state.about;
        document.getElementById("tab-samples")!.hidden = !samples;
        if (samples) this.flames = new Flames(state, samples, document.getElementById("samples")!);
        this.tabs = [...document.querySelectorAll<HTMLButtonElement>("[role=tab]:not([hidden])")];
        this.tabs.forEach((tab, i) => {
            tab.addEventListener("click", () => this.open(tab.getAttribute("aria-controls")!));
            tab.addEventListener("keydown", (event) => {
                const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
                if (!step) return;
                const next = this.tabs[(i + step + this.tabs.length) % this.tabs.length];
                this.open(next.getAttribute("aria-controls")!);
                next.focus();
                event.stopPropagation();
            });
        });
        new Findings(state, navigate, document.getElementById("findings")!);
        new Profile(state, timeline, document.getElementById("profile")!, (group) => {
            state.choose({ kind: "region", region: group.regions[0] });
            this.open("chosen");
        });
        this.matrix = new Matrix(state, document.getElementById("matrix")!);
        this.buildTree();
        state.on(["sums"], () => this.isOpen("matrix") && this.matrix.fill());
        state.on(["window", "range", "rows"], () => this.isOpen("samples") && this.flames?.fill());
        state.on(["choice", "data"], () => this.fillChosen());
        state.on(["choice"], () => this.followTree());
        this.fillChosen();
        this.open(state.about.report?.findings.length ? "findings" : "profile");
    }

    open(panel: string): void {
        for (const tab of this.tabs) {
            const chosen = tab.getAttribute("aria-controls") === panel;
            tab.setAttribute("aria-selected", String(chosen));
            tab.tabIndex = chosen ? 0 : -1;
            document.getElementById(tab.getAttribute("aria-controls")!)!.hidden = !chosen;
        }
        if (panel === "matrix") this.matrix.fill();
        if (panel === "samples") this.flames?.fill();
    }

    private isOpen(panel: string): boolean {
        return !document.getElementById(panel)!.hidden;
    }

    // ---- what is chosen

    private fillChosen(): void {
        const panel = document.getElementById("chosen")!;
        const { choice } = this.state;
        const tile = this.state.tile();
        const records = tile?.exact ? Records.of(tile.exact) : null;
        if (!choice) {
            panel.replaceChildren(element("p", "Click a bar or a message line, or a name in a table."));
            return;
        }
        const parts: HTMLElement[] = [];
        let region: number | null = null;
        if (choice.kind === "message") {
            parts.push(...detailsElement(ofMessage(this.state, { index: -1, flags: 0, ...choice })));
        } else if (choice.kind === "region") {
            region = choice.region;
            const group = this.state.palette.groupOf[region];
            parts.push(element("h2", group.name));
        } else {
            region = choice.region;
            const span = records?.spanAt(choice.location, choice.from, choice.depth);
            if (span && span.from === choice.from)
                parts.push(...detailsElement(ofSpan(this.state, records!, withEnd(span, choice))));
            else
                parts.push(
                    ...detailsElement({
                        title: regionOfSpan(this.state, region).name,
                        lines: [
                            ["where", nameLocation(this.state, choice.location)],
                            ["duration", showNs(choice.to - choice.from)],
                        ],
                    }),
                );
        }
        if (region !== null) parts.push(...this.aboutRegion(region, choice.kind === "region"));
        panel.replaceChildren(...parts);
    }

    /** Times of the region in the window, and the formulas of its construct. */
    private aboutRegion(region: number, allSites: boolean): HTMLElement[] {
        const parts: HTMLElement[] = [];
        const group = this.state.palette.groupOf[region];
        const regions = allSites ? group.regions : [region];
        for (const one of regions) {
            const info = regionOfSpan(this.state, one);
            const total = this.state.whole?.totals[one];
            parts.push(element("h3", `${showSite(info) || "place unknown"}: the whole run`));
            const list = element("dl");
            if (total) {
                const add = (name: string, value: string): void =>
                    list.append(element("dt", name), element("dd", value));
                add("count", showCount(total.count));
                add("time", `${showNs(total.inclusive)}, own ${showNs(total.own)}`);
                if (total.waiting > 0)
                    add("waiting", `${showNs(total.waiting)} (${showShare(total.waiting, total.own)})`);
            }
            parts.push(list, ...this.functionsAfter(one), ...this.formulaElements(formulasOf(this.state, info)));
        }
        return parts;
    }

    /** The functions that computed between this MPI call and the next one, by samples of the whole run. */
    private functionsAfter(region: number): HTMLElement[] {
        const { samples } = this.state.about;
        if (!samples) return [];
        const functions = functionsOf(samples, {
            from: 0,
            to: this.state.end,
            rank: -1,
            computing: true,
            after: region,
        });
        if (!functions.length) return [];
        const list = element("dl");
        for (const { index, samples: n } of functions.slice(0, MOST_FUNCTIONS))
            list.append(element("dt", showSamples(samples, n)), element("dd", nameFunction(samples, index)));
        return [element("div", "after it, up to the next MPI call, ran by samples", "place"), list];
    }

    private formulaElements(formulas: Formula[]): HTMLElement[] {
        const parts: HTMLElement[] = [];
        for (const formula of formulas.slice(0, MOST_FORMULAS)) {
            const who = formula.ranks && formula.ranks > 1 ? `${formula.ranks} ranks` : `rank ${formula.rank}`;
            const title = element(
                "div",
                `${formula.label} · ${who} · ${formula.throttled ? "at least " : ""}${showCount(formula.values)} values, ` +
                    `${formula.type}${formula.throttled ? ", throttled" : ""}`,
                "place",
            );
            parts.push(title, element("div", formula.text, "formula"));
        }
        if (formulas.length > MOST_FORMULAS)
            parts.push(element("p", `${formulas.length - MOST_FORMULAS} more: refrain formulas shows them`));
        return parts;
    }

    // ---- the program

    private buildTree(): void {
        const panel = document.getElementById("program")!;
        const tree = element("div", "", "tree");
        tree.setAttribute("role", "tree");
        const { about } = this.state;
        for (const node of byTime(about.tree)) tree.append(this.treeElement(node, 0));
        panel.replaceChildren(element("h2", "Functions, loops and MPI calls by time, all ranks"), tree);
        if (about.tree.length === 0)
            panel.append(element("p", "The trace holds no program tree: the program was not instrumented."));
        if (about.counters.length) panel.append(element("h2", "Counters and markers, all ranks"), this.counterTable());
    }

    private counterTable(): HTMLElement {
        const show = (value: number | null): string =>
            value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 2 });
        const value = (title: string, of: (counter: Counter) => number | null): Column<Counter> => ({
            title,
            about: "",
            key: (counter) => of(counter) ?? NaN,
            cell: (counter) => show(of(counter)),
        });
        const table = new Table<Counter>(
            [
                { title: "name", about: "", key: (counter) => counter.name, cell: (counter) => counter.name },
                {
                    title: "times",
                    about: "how often the program set it",
                    key: (counter) => counter.times,
                    cell: (counter) => showCount(counter.times),
                },
                value("least", (counter) => counter.least),
                value("mean", (counter) => counter.mean),
                value("most", (counter) => counter.most),
            ],
            1,
            (counter, line) => (line.title = `${counter.kind}, set on ${counter.ranks} ranks`),
        );
        table.element.className = "counters";
        table.fill(this.state.about.counters);
        return table.element;
    }

    private treeElement(node: TreeNode, depth: number): HTMLElement {
        const children = node.children ?? [];
        const holder = element(children.length ? "details" : "div");
        const line = element(children.length ? "summary" : "div", "", children.length ? "" : "leaf");
        const what = element("span", "", "what");
        what.append(
            node.kind === "function" ? `${node.name}()` : node.name,
            " ",
            element("span", `${showSite(node)} ×${showCount(node.count)}`, "place"),
        );
        line.append(what, element("span", showKnownNs(node.time_ns), "time"));
        const counted = (node.metrics ?? []).map(([name, total]) => `, ${name} ${total}`).join("");
        const inFiles = node.files_ns > 0 ? `, in files ${showNs(node.files_ns)}` : "";
        line.title = `own ${showKnownNs(node.own_ns)}, in MPI ${showNs(node.mpi_ns)}${inFiles}${counted}`;
        line.addEventListener("click", () => {
            const region = this.state.names.regions.findIndex((info) => isOf(node, info));
            if (region >= 0) this.state.choose({ kind: "region", region });
        });
        if (!children.length) line.tabIndex = 0;
        line.setAttribute("role", "treeitem");
        holder.append(line);
        if (holder instanceof HTMLDetailsElement) {
            holder.open = depth < 1;
            for (const child of byTime(children)) holder.append(this.treeElement(child, depth + 1));
        }
        this.treeElements.push({ node, line });
        return holder;
    }

    private followTree(): void {
        const { choice } = this.state;
        const info = choice && choice.kind !== "message" ? regionOfSpan(this.state, choice.region) : null;
        let first: HTMLElement | null = null;
        for (const { node, line } of this.treeElements) {
            const same = info !== null && isOf(node, info);
            line.classList.toggle("chosen", same);
            if (same && !first) first = line;
        }
        if (!first || !this.isOpen("program")) return;
        for (let up = first.parentElement; up; up = up.parentElement)
            if (up instanceof HTMLDetailsElement) up.open = true;
        first.scrollIntoView({ block: "nearest" });
    }
}
