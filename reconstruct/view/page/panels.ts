// panels.ts: the side panel: profile with legend, what is chosen, the program with its formulas, who sent to whom.

import { element } from "./elements.js";
import { formulasOf, nameLocation, ofMessage, ofSpan, regionOfSpan, withEnd, type Details } from "./details.js";
import { showBytes, showCount, showKnownNs, showNs, showShare, showSite } from "./format.js";
import type { Group } from "./palette.js";
import { Records } from "./records.js";
import type { Formula, Pair, Region, TreeNode } from "./protocol.js";
import type { State } from "./state.js";
import type { Timeline } from "./timeline.js";

export function detailsElement(details: Details): HTMLElement[] {
    const list = element("dl");
    for (const [name, value] of details.lines) list.append(element("dt", name), element("dd", value));
    return [element("h2", details.title), list];
}

/** Is the region entered from this node of the program? */
const isOf = (node: TreeNode, region: Region): boolean =>
    node.name === region.name &&
    node.file === region.file &&
    node.line === region.line &&
    node.function === region.function;

const MOST_FORMULAS = 24;
const MATRIX_PIXELS = 360;

export class Panels {
    private readonly tabs: HTMLButtonElement[];
    private matrixOf: "bytes" | "count" | "waiting" = "bytes";
    private readonly treeElements: { node: TreeNode; line: HTMLElement }[] = [];

    constructor(
        private readonly state: State,
        private readonly timeline: Timeline,
    ) {
        this.tabs = [...document.querySelectorAll<HTMLButtonElement>("[role=tab]")];
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
        this.buildTree();
        state.on(["sums", "legend", "rows", "choice"], () => this.fillProfile());
        state.on(["sums"], () => this.fillMatrix());
        state.on(["choice", "data"], () => this.fillChosen());
        state.on(["choice"], () => this.followTree());
        this.fillChosen();
    }

    open(panel: string): void {
        for (const tab of this.tabs) {
            const chosen = tab.getAttribute("aria-controls") === panel;
            tab.setAttribute("aria-selected", String(chosen));
            tab.tabIndex = chosen ? 0 : -1;
            document.getElementById(tab.getAttribute("aria-controls")!)!.hidden = !chosen;
        }
        if (panel === "matrix") this.fillMatrix();
    }

    private isOpen(panel: string): boolean {
        return !document.getElementById(panel)!.hidden;
    }

    // ---- profile and legend

    private fillProfile(): void {
        const panel = document.getElementById("profile")!;
        const { sums, palette, range } = this.state;
        const totals = palette.groups.map((group) => {
            const total = { group, count: 0, own: 0, waiting: 0 };
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
        const shown = totals.filter((total) => total.own > 0 || total.count > 0).sort((a, b) => b.own - a.own);
        const table = element("table");
        const head = element("tr");
        for (const title of ["region", "own time", "share", "waiting", "count"]) head.append(element("th", title));
        const body = element("tbody");
        for (const total of shown)
            body.append(this.profileRow(total.group, total.own, all, total.waiting, total.count));
        const tableHead = element("thead");
        tableHead.append(head);
        table.append(tableHead, body);
        const title = range
            ? `Marked ${showNs(range.to - range.from)}, all ranks`
            : !this.state.scanned.done
              ? "As far as the run has been read"
              : sums && sums.to - sums.from < this.state.end
                ? `Window of ${showNs(sums.to - sums.from)}, all ranks`
                : "Whole run, all ranks";
        const key = element("p", "", "key");
        key.append(element("span", "", "hatch"), " waits for another rank");
        panel.replaceChildren(
            element("h2", title),
            ...(sums?.rough ? [element("p", "Times are those of the overview; events are being counted.", "key")] : []),
            table,
            key,
            this.switchOf("Message lines", this.timeline.showMessages, (on) => (this.timeline.showMessages = on)),
            this.switchOf("Collectives", this.timeline.showCollectives, (on) => (this.timeline.showCollectives = on)),
        );
    }

    private profileRow(group: Group, own: number, all: number, waiting: number, count: number): HTMLElement {
        const row = element("tr");
        const { choice } = this.state;
        if (choice && choice.kind !== "message" && this.state.palette.groupOf[choice.region] === group)
            row.className = "chosen";
        const name = element("td", "", "name");
        const toggle = element("button", "", "link");
        const swatch = element("span", "", group.shown ? "swatch" : "swatch off");
        swatch.style.background = group.css;
        toggle.append(swatch);
        toggle.setAttribute("role", "switch");
        toggle.setAttribute("aria-checked", String(group.shown));
        toggle.setAttribute("aria-label", `Show ${group.name}`);
        toggle.addEventListener("click", () => {
            group.shown = !group.shown;
            this.state.tell("legend");
        });
        const text = element("button", group.name, "link");
        text.title = `${group.name}: choose it`;
        text.addEventListener("click", () => {
            this.state.choose({ kind: "region", region: group.regions[0] });
            this.open("chosen");
        });
        name.append(toggle, text);
        row.append(
            name,
            element("td", showNs(own)),
            element("td", showShare(own, all)),
            element("td", waiting > 0 ? showNs(waiting) : ""),
            element("td", isNaN(count) ? "…" : showCount(count)),
        );
        return row;
    }

    private switchOf(name: string, on: boolean, set: (on: boolean) => void): HTMLElement {
        const label = element("label");
        const box = element("input");
        box.type = "checkbox";
        box.checked = on;
        box.addEventListener("change", () => {
            set(box.checked);
            this.state.tell("data");
        });
        label.append(box, ` ${name}  `);
        return label;
    }

    // ---- what is chosen

    private fillChosen(): void {
        const panel = document.getElementById("chosen")!;
        const { choice } = this.state;
        const tile = this.state.tile();
        const records = tile?.exact ? Records.of(tile.exact) : null;
        if (!choice) {
            panel.replaceChildren(element("p", "Click a bar or a message line, or a name in the profile."));
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

    /** Times of the region over the window, and what its construct did, as formulas. */
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
            parts.push(list, ...this.formulaElements(formulasOf(this.state, info)));
        }
        return parts;
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
        for (const node of about.tree) tree.append(this.treeElement(node, 0));
        panel.replaceChildren(element("h2", "Functions, loops and MPI calls, all ranks"), tree);
        if (about.tree.length === 0)
            panel.append(element("p", "The trace holds no program tree: the program was not instrumented."));
        if (about.counters.length) panel.append(element("h2", "Counters and markers, all ranks"), this.counterTable());
    }

    private counterTable(): HTMLElement {
        const table = element("table", "", "counters");
        const head = element("tr");
        for (const title of ["name", "times", "least", "mean", "most"]) head.append(element("th", title));
        table.append(head);
        const show = (value: number | null): string =>
            value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 2 });
        for (const counter of this.state.about.counters) {
            const row = element("tr");
            row.append(element("td", counter.name), element("td", showCount(counter.times)));
            for (const value of [counter.least, counter.mean, counter.most]) row.append(element("td", show(value)));
            row.title = `${counter.kind}, told by ${counter.ranks} ranks`;
            table.append(row);
        }
        return table;
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
        line.title = `own ${showKnownNs(node.own_ns)}, in MPI ${showNs(node.mpi_ns)}${counted}`;
        line.addEventListener("click", () => {
            const region = this.state.names.regions.findIndex((info) => isOf(node, info));
            if (region >= 0) this.state.choose({ kind: "region", region });
        });
        if (!children.length) line.tabIndex = 0;
        line.setAttribute("role", "treeitem");
        holder.append(line);
        if (holder instanceof HTMLDetailsElement) {
            holder.open = depth < 1;
            for (const child of children) holder.append(this.treeElement(child, depth + 1));
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

    // ---- who sent to whom

    private fillMatrix(): void {
        if (!this.isOpen("matrix")) return;
        const panel = document.getElementById("matrix")!;
        const sums = this.state.sums;
        const pairs = sums?.pairs ?? [];
        const pick = element("select");
        pick.setAttribute("aria-label", "What the matrix shows");
        for (const [value, name] of [
            ["bytes", "bytes"],
            ["count", "messages"],
            ["waiting", "waiting of either"],
        ]) {
            const option = element("option", name);
            option.value = value;
            option.selected = value === this.matrixOf;
            pick.append(option);
        }
        pick.addEventListener("change", () => {
            this.matrixOf = pick.value as typeof this.matrixOf;
            this.fillMatrix();
        });
        const title = element("h2", "From (down) to (across) ");
        title.append(pick);
        if (pairs.length === 0) {
            panel.replaceChildren(
                title,
                element("p", sums?.rough ? "Messages are being counted." : "No messages in this window."),
            );
            return;
        }
        const value = (pair: Pair): number => pair[this.matrixOf];
        const show = (n: number): string =>
            this.matrixOf === "bytes" ? showBytes(n) : this.matrixOf === "waiting" ? showNs(n) : showCount(n);
        const canvas = element("canvas", "", "matrix");
        const reading = element("p", "", "key");
        this.drawMatrix(canvas, reading, pairs, value, show);
        const table = element("table");
        const head = element("tr");
        for (const name of ["from → to", "messages", "bytes", "waiting"]) head.append(element("th", name));
        table.append(head);
        for (const pair of [...pairs].sort((a, b) => value(b) - value(a)).slice(0, 20)) {
            const row = element("tr");
            row.append(
                element("td", `${pair.from} → ${pair.to}`),
                element("td", showCount(pair.count)),
                element("td", showBytes(pair.bytes)),
                element("td", showNs(pair.waiting)),
            );
            table.append(row);
        }
        panel.replaceChildren(title, canvas, reading, element("h3", "The most"), table);
    }

    private drawMatrix(
        canvas: HTMLCanvasElement,
        reading: HTMLElement,
        pairs: Pair[],
        value: (pair: Pair) => number,
        show: (n: number) => string,
    ): void {
        // prettier-ignore
        const ranks = Math.max(1, ...this.state.locations.map((location) => location.rank + 1), ...pairs.map((pair) => Math.max(pair.from, pair.to) + 1));
        const perCell = Math.ceil(ranks / MATRIX_PIXELS);
        const cells = Math.ceil(ranks / perCell);
        const size = Math.max(1, Math.floor(MATRIX_PIXELS / cells));
        const sums = new Float64Array(cells * cells);
        for (const pair of pairs)
            sums[Math.floor(pair.from / perCell) * cells + Math.floor(pair.to / perCell)] += value(pair);
        const most = sums.reduce((a, b) => Math.max(a, b), 0);
        canvas.width = canvas.height = cells * size;
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `Matrix of ${ranks} ranks; the table below lists the most`);
        const context = canvas.getContext("2d")!;
        const dark = document.documentElement.classList.contains("dark");
        for (let i = 0; i < sums.length; i++) {
            if (sums[i] <= 0) continue;
            const strength = 0.15 + 0.85 * Math.sqrt(sums[i] / most);
            context.fillStyle = dark ? `rgb(109 179 248 / ${strength})` : `rgb(11 92 173 / ${strength})`;
            context.fillRect(
                (i % cells) * size,
                Math.floor(i / cells) * size,
                Math.max(1, size - (size > 6 ? 1 : 0)),
                Math.max(1, size - (size > 6 ? 1 : 0)),
            );
        }
        reading.textContent = `The darkest: ${show(most)}`;
        canvas.addEventListener("pointermove", (event) => {
            const box = canvas.getBoundingClientRect();
            const to = Math.floor(((event.clientX - box.left) / box.width) * cells);
            const from = Math.floor(((event.clientY - box.top) / box.height) * cells);
            const name = (cell: number): string =>
                perCell === 1 ? `${cell}` : `${cell * perCell}–${Math.min(ranks, (cell + 1) * perCell) - 1}`;
            reading.textContent = `${name(from)} → ${name(to)}: ${show(sums[from * cells + to] ?? 0)}`;
        });
    }
}
