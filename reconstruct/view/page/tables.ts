// tables.ts: tables that are sorted by a click on a header, and whose rows may lead to a place in the picture.

import { element } from "./elements.js";

export interface Column<Row> {
    title: string;
    /** Explanation for the pointer; "": the title suffices. */
    about: string;
    /** Sort key: numbers are sorted from the largest first, texts from the first; NaN is always last. */
    key(row: Row): number | string;
    cell(row: Row): string | HTMLElement;
    /** True for text; numbers are aligned on the right. */
    left?: boolean;
}

/** The table keeps its element, so that its order stays when the rows change. */
export class Table<Row> {
    readonly element = element("table");
    private readonly heads: HTMLElement[];
    private readonly body = element("tbody");
    private rows: Row[] = [];
    private sorted: { by: number; up: boolean };

    /** `by`: the column by which it is sorted at first. `dress` is called with each row's element. */
    constructor(
        private readonly columns: Column<Row>[],
        by: number,
        private readonly dress: (row: Row, line: HTMLTableRowElement) => void = () => {},
    ) {
        this.sorted = { by, up: false };
        this.heads = columns.map((column, i) => {
            const head = element("th");
            const button = element("button", column.title, "link");
            head.scope = "col";
            if (column.left) head.className = "left";
            button.title = [column.about, "click: sort by it"].filter(Boolean).join("; ");
            button.addEventListener("click", () => this.sort(i));
            head.append(button);
            return head;
        });
        const head = element("thead");
        const line = element("tr");
        line.append(...this.heads);
        head.append(line);
        this.element.append(head, this.body);
    }

    fill(rows: Row[]): void {
        this.rows = rows;
        this.show();
    }

    private sort(by: number): void {
        const isText = this.rows.length > 0 && typeof this.columns[by].key(this.rows[0]) === "string";
        this.sorted = { by, up: by === this.sorted.by ? !this.sorted.up : isText };
        this.show();
    }

    private compare(a: Row, b: Row): number {
        const { by, up } = this.sorted;
        const [x, y] = [this.columns[by].key(a), this.columns[by].key(b)];
        if (typeof x === "string") return (up ? 1 : -1) * x.localeCompare(String(y));
        if (isNaN(x) || isNaN(y as number)) return Number(isNaN(x)) - Number(isNaN(y as number));
        return (up ? 1 : -1) * (x - (y as number));
    }

    private show(): void {
        const { by, up } = this.sorted;
        this.heads.forEach((head, i) => {
            if (i === by) head.setAttribute("aria-sort", up ? "ascending" : "descending");
            else head.removeAttribute("aria-sort");
        });
        // Keep the focus on a button of the table when the rows change.
        const buttons = (): HTMLElement[] => [...this.body.querySelectorAll<HTMLElement>("button")];
        const at = buttons().indexOf(document.activeElement as HTMLElement);
        this.body.replaceChildren(...[...this.rows].sort((a, b) => this.compare(a, b)).map((row) => this.line(row)));
        if (at >= 0) buttons()[at]?.focus();
    }

    private line(row: Row): HTMLElement {
        const line = element("tr");
        for (const { cell, left } of this.columns) {
            const made = cell(row);
            const holder = element("td", typeof made === "string" ? made : "", left ? "left" : "");
            if (typeof made !== "string") holder.append(made);
            line.append(holder);
        }
        this.dress(row, line);
        return line;
    }
}

/** Makes a row lead to a place: by a click anywhere in it, or by the button that `link` made. */
export function leads(line: HTMLElement, go: () => void): void {
    line.classList.add("leads");
    line.addEventListener("click", go);
}

/** The button in a row that leads to a place. Keys reach it, too. */
export const link = (text: string): HTMLElement => element("button", text, "link");
