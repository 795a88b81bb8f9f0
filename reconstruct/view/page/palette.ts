// palette.ts: which regions are shown as one (by name), and in which colour.
//
// MPI is warm, the program's own functions are cool, so that the two are told apart at a glance; waiting is hatched, so that
// it needs no colour. The hues are those of Okabe and Ito and of Tol, which people with any colour vision can tell apart.

import { UNKNOWN, type Region } from "./protocol.js";

/** All regions of one name and kind. */
export interface Group {
    index: number;
    name: string;
    kind: Region["kind"];
    /** Of MPI functions: what they are for. */
    category: "" | "send" | "receive" | "wait" | "collective" | "other";
    red: number;
    green: number;
    blue: number;
    css: string;
    /** Whether text on it has to be white. */
    dark: boolean;
    shown: boolean;
    regions: number[];
}

const FUNCTIONS = [
    "#56b4e9", "#009e73", "#0072b2", "#88ccee", "#44aa99", "#6f8fd6", "#117733", "#7fb8a4",
    "#332288", "#9ecae1", "#5b8c5a", "#4a6fa5", "#a6d3c8", "#7396b8", "#2f7f86", "#b7c9e2",
]; // prettier-ignore

const MPI: Record<Exclude<Group["category"], "">, string[]> = {
    send: ["#d55e00", "#e8813a", "#b34a00"],
    receive: ["#cc79a7", "#b0558a", "#e0a3c4"],
    wait: ["#f0e442", "#d9c92f", "#fff08a"],
    collective: ["#e69f00", "#f6c04d", "#c47f00", "#ffd98a", "#a86a00"],
    other: ["#9a8f86", "#b8aea5", "#7d736b"],
};

function categoryOf(region: Region): Group["category"] {
    if (region.kind !== "mpi") return "";
    const name = region.name.toLowerCase();
    if (/^mpi_(wait|test|request)/.test(name)) return "wait";
    if (/barrier|reduce|bcast|gather|scatter|alltoall|scan/.test(name)) return "collective";
    if (/recv|probe/.test(name) && !/sendrecv/.test(name)) return "receive";
    if (/send/.test(name)) return "send";
    return "other";
}

function channels(css: string): [number, number, number] {
    return [1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16)) as [number, number, number];
}

export class Palette {
    readonly groups: Group[] = [];
    /** The group of each region; of n regions, the one of what is unknown is at n. */
    readonly groupOf: Group[] = [];

    constructor(regions: Region[]) {
        const byKey = new Map<string, Group>();
        const used: Record<string, number> = {};
        const add = (region: Region, index: number): void => {
            const key = `${region.kind} ${region.name}`;
            let group = byKey.get(key);
            if (!group) {
                const category = categoryOf(region);
                const colours = category ? MPI[category] : FUNCTIONS;
                const at = (used[category] = (used[category] ?? -1) + 1);
                group = { index: this.groups.length, name: region.name, kind: region.kind, category,
                          red: 0, green: 0, blue: 0, css: "", dark: false, shown: true, regions: [] }; // prettier-ignore
                Palette.paint(group, colours[at % colours.length]);
                byKey.set(key, group);
                this.groups.push(group);
            }
            group.regions.push(index);
            this.groupOf[index] = group;
        };
        regions.forEach(add);
        add(UNKNOWN, regions.length);
    }

    /** The functions with the most time of their own get the colours that differ most. */
    rank(own: number[]): void {
        const functions = this.groups.filter((group) => group.category === "");
        const timeOf = (group: Group): number => group.regions.reduce((sum, region) => sum + (own[region] ?? 0), 0);
        functions
            .sort((a, b) => timeOf(b) - timeOf(a))
            .forEach((group, i) => Palette.paint(group, FUNCTIONS[i % FUNCTIONS.length]));
    }

    private static paint(group: Group, css: string): void {
        [group.red, group.green, group.blue] = channels(css);
        group.css = css;
        group.dark = 0.299 * group.red + 0.587 * group.green + 0.114 * group.blue < 140;
    }
}
