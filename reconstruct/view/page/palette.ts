// palette.ts: groups regions of one name and kind, which are shown as one. The engine has their colours (picture_colours.h).
// Waiting is hatched, so it needs no colour of its own.

import type { Region } from "./protocol.js";

export interface Group {
    index: number;
    name: string;
    kind: Region["kind"];
    red: number;
    green: number;
    blue: number;
    css: string;
    /** True if text on this colour has to be white. */
    dark: boolean;
    shown: boolean;
    regions: number[];
}

export class Palette {
    readonly groups: Group[] = [];
    /** The group of each region. */
    readonly groupOf: Group[] = [];

    constructor(regions: Region[]) {
        const byKey = new Map<string, Group>();
        regions.forEach((region, index) => {
            const key = `${region.kind} ${region.name}`;
            let group = byKey.get(key);
            if (!group) {
                group = newGroup(this.groups.length, region);
                byKey.set(key, group);
                this.groups.push(group);
            }
            group.regions.push(index);
            this.groupOf[index] = group;
        });
    }
}

function newGroup(index: number, { name, kind, colour }: Region): Group {
    const [red, green, blue] = [colour >> 16, (colour >> 8) & 255, colour & 255];
    const css = `#${colour.toString(16).padStart(6, "0")}`;
    const dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140;
    return { index, name, kind, red, green, blue, css, dark, shown: true, regions: [] };
}
