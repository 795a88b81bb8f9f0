// findings.ts: the panel with the findings of refrain report and the longest waits. A click on a row leads to its place.

import { nameCall, nameLocation } from "./details.js";
import { element } from "./elements.js";
import { showBytes, showMoment, showNs, showSite } from "./format.js";
import type { Navigate } from "./navigate.js";
import type { Finding, Wait } from "./protocol.js";
import type { State } from "./state.js";
import { leads, link, Table } from "./tables.js";

/** Ranks, and calls, in the list of memory. */
const MOST_LINES = 3;

const showPercent = (percent: number): string => `${percent.toFixed(percent < 9.95 ? 1 : 0)} %`;

/** Turns "late_sender" into "late sender". */
const showKind = (kind: string): string => kind.replaceAll("_", " ");

export class Findings {
    private chosen: Finding | null = null;
    private readonly findings: Table<Finding>;
    private readonly waits: Table<Wait>;
    private readonly waitsTitle = element("h2");
    private readonly waitsText = element("p");

    constructor(
        private readonly state: State,
        private readonly navigate: Navigate,
        panel: HTMLElement,
    ) {
        this.findings = this.findingsTable();
        this.waits = this.waitsTable();
        panel.replaceChildren(...this.ofReport(), this.waitsTitle, this.waitsText, this.waits.element);
        state.on(["sums", "choice", "range", "rows"], () => this.fillWaits());
        this.fillWaits();
    }

    // ---- findings

    private findingsTable(): Table<Finding> {
        const columns = [
            {
                title: "cost",
                about: "the time that ranks lost by it, as a share of the time of all ranks",
                key: (finding: Finding) => finding.cost_percent,
                cell: (finding: Finding) => (finding.at_most ? "≤ " : "") + showPercent(finding.cost_percent),
            },
            {
                title: "finding",
                left: true,
                about: "its kind and what it is",
                key: (finding: Finding) => showKind(finding.kind),
                cell: (finding: Finding) => this.sentence(finding),
            },
            {
                title: "rank",
                about: "the rank that it begins on",
                key: (finding: Finding) => finding.rank ?? NaN,
                cell: (finding: Finding) => (finding.rank === null ? "several" : String(finding.rank)),
            },
        ];
        return new Table(columns, 0, (finding, line) => {
            line.classList.toggle("chosen", finding === this.chosen);
            line.title = "go to where it is at its worst";
            leads(line, () => {
                this.chosen = finding;
                this.findings.fill(this.state.about.report!.findings);
                this.navigate.toFinding(finding);
            });
        });
    }

    private sentence(finding: Finding): HTMLElement {
        const cell = element("div", "", "sentence");
        cell.append(element("span", `${showKind(finding.kind)}: `, "place"), link(`${finding.sentence}.`));
        if (finding.detail) cell.append(element("div", finding.detail, "place"));
        return cell;
    }

    private ofReport(): HTMLElement[] {
        const { report } = this.state.about;
        const title = element("h2", "Findings");
        if (!report) return [title, element("p", "What happened cannot be read: refrain report says why.")];
        const parts: HTMLElement[] = [title];
        if (report.remark) parts.push(element("p", `${report.remark}.`));
        if (report.efficiency) {
            const { parallel, load_balance, serialisation, transfer } = report.efficiency;
            const text =
                `Parallel efficiency ${showPercent(100 * parallel)} = load balance ${showPercent(100 * load_balance)} × ` +
                `serialisation ${showPercent(100 * serialisation)} × transfer ${showPercent(100 * transfer)} (both estimates)`;
            parts.push(element("p", text, "key"));
        }
        if (report.findings.length) {
            this.findings.fill(report.findings);
            parts.push(this.findings.element);
        } else
            parts.push(
                element("p", `Nothing that costs ${showPercent(report.least_percent)} of the run or more was found.`),
            );
        return [
            ...parts,
            ...list("Files", report.files),
            ...list("Memory", this.memory()),
            ...list("What is well", report.well),
            ...list("What the trace cannot tell", report.unknown),
        ];
    }

    /** The ranks that need most memory, and the calls before which it grew most. */
    private memory(): string[] {
        const { memory } = this.state.about;
        if (!memory) return [];
        const ranks = [...memory.ranks].sort((a, b) => b.high_bytes - a.high_bytes).slice(0, MOST_LINES);
        return [
            ...ranks.map(({ rank, high_bytes }) => `rank ${rank}: ${showBytes(high_bytes)}`),
            ...memory.growth
                .slice(0, MOST_LINES)
                .map(
                    (of) =>
                        `${showBytes(of.bytes)} more ${of.before.startsWith("MPI_Init") ? "in" : "before"} ${of.before} ${showSite(of)}`,
                ),
        ];
    }

    // ---- waits

    private waitsTable(): Table<Wait> {
        const { state } = this;
        const place = (wait: Wait): string => nameCall(state, wait.region);
        const columns = [
            {
                title: "waits",
                about: "how long",
                key: (wait: Wait) => wait.to - wait.from,
                cell: (wait: Wait) => showNs(wait.to - wait.from),
            },
            {
                title: "who",
                about: "the rank that waits",
                key: (wait: Wait) => wait.location,
                cell: (wait: Wait) => nameLocation(state, wait.location),
            },
            {
                title: "in",
                left: true,
                about: "the call that waits",
                key: place,
                cell: (wait: Wait) => link(place(wait)),
            },
            {
                title: "for",
                about: "the rank that it waits for",
                key: (wait: Wait) => (wait.cause < 0 ? NaN : wait.cause),
                cell: (wait: Wait) => (wait.cause < 0 ? "unknown" : `rank ${wait.cause}`),
            },
            {
                title: "at",
                about: "when it begins",
                key: (wait: Wait) => wait.from,
                cell: (wait: Wait) => showMoment(wait.from),
            },
        ];
        return new Table(columns, 0, (wait, line) => {
            line.cells[2].classList.add("name");
            line.title = "go to it";
            line.classList.toggle("chosen", this.navigate.isChosen(wait));
            leads(line, () => this.navigate.toWait(this.navigate.waits.indexOf(wait)));
        });
    }

    private fillWaits(): void {
        const { state } = this;
        const { waits } = this.navigate;
        const isThere = state.scanned.done;
        this.waitsTitle.textContent = state.range
            ? "The longest waits of what is marked"
            : "The longest waits of the run";
        this.waitsText.textContent = isThere ? "Nobody waits." : "The run is being read.";
        this.waitsText.hidden = isThere && waits.length > 0;
        this.waits.element.hidden = waits.length === 0;
        this.waits.fill(waits);
    }
}

function list(title: string, texts: string[]): HTMLElement[] {
    if (!texts.length) return [];
    const items = element("ul");
    items.append(...texts.map((text) => element("li", text)));
    return [element("h3", title), items];
}
