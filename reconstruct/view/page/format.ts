// format.ts: turns times, counts, bytes and places into text.

/** A duration or a time in nanoseconds, with as many digits as make sense. */
export function showNs(ns: number): string {
    const size = Math.abs(ns);
    if (!isFinite(ns)) return "unknown";
    if (size < 1000) return `${Math.round(ns)} ns`;
    if (size < 1e6) return `${digits(ns / 1e3)} µs`;
    if (size < 1e9) return `${digits(ns / 1e6)} ms`;
    return `${digits(ns / 1e9)} s`;
}

/** As showNs(), for a time that may be unknown (null). */
export function showKnownNs(ns: number | null): string {
    return ns === null ? "–" : showNs(ns);
}

function digits(value: number): string {
    const size = Math.abs(value);
    return value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1);
}

/** A moment of the run in seconds, to the nanosecond, as the text format has it. */
export function showMoment(ns: number): string {
    const whole = Math.max(0, Math.round(ns));
    const seconds = Math.floor(whole / 1e9);
    return `${seconds}.${String(whole - seconds * 1e9).padStart(9, "0")} s`;
}

export function showCount(n: number): string {
    return Math.round(n).toLocaleString("en-US");
}

export function showBytes(bytes: number): string {
    if (bytes < 0) return "unknown";
    const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (bytes >= 1024 && unit < units.length - 1) {
        bytes /= 1024;
        unit++;
    }
    return unit ? `${bytes.toFixed(1)} ${units[unit]}` : `${bytes} bytes`;
}

export function showShare(part: number, whole: number): string {
    const percent = whole > 0 ? (100 * part) / whole : 0;
    return `${percent.toFixed(percent < 10 ? 2 : 1)} %`;
}

/** The name of the file without its folders, and the line if it is known; "" if the file is unknown. */
export function showPlace(file: string, line: number): string {
    if (!file) return "";
    const name = file.slice(file.lastIndexOf("/") + 1);
    return line ? `${name}:${line}` : name;
}

/** The place of a region. For a call without a known line: the function that makes it, which distinguishes its calls. */
export function showSite(site: { file: string; line: number; function: string }): string {
    return showPlace(site.file, site.line) || (site.function ? `in ${site.function}` : "");
}
