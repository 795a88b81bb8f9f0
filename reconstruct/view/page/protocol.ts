// protocol.ts: what the page and its worker say to each other, and what refrain view wrote into the page.

/** A function, an MPI function at a call site, or a user region: one per construct. The index is the one in spans. */
export interface Region {
    kind: "function" | "mpi" | "user" | "value";
    name: string;
    file: string;
    line: number;
    /** Of MPI functions: what calls them. */
    function: string;
    /** 0xrrggbb, by the name. */
    colour: number;
}

/** What the page calls things, by their index in records: the engine's own names. */
export interface Names {
    /** The last one stands for all that the trace does not name. */
    regions: Region[];
    comms: string[];
}

/** One sequence of values that a construct took, as refrain formulas shows it. */
export interface Formula {
    rank: number;
    thread: number;
    subject: string;
    label: string;
    construct: string;
    function: string;
    file: string;
    line: number;
    values: number;
    type: string;
    text: string;
    /** Ranks that have the same formula: their number, when they are more than this one. */
    ranks?: number;
    /** The probe was switched off at times: these are a part of the values. */
    throttled: boolean;
}

/** A node of the program: a function with its loops and call sites, the times over all ranks. */
export interface TreeNode {
    kind: "function" | "loop" | "call";
    name: string;
    file: string;
    line: number;
    /** Of calls: what calls them, as Region has it. */
    function: string;
    count: number;
    /** Of a loop: null where no clock read tells. */
    time_ns: number | null;
    own_ns: number | null;
    mpi_ns: number;
    /** What was counted beside the time (REFRAIN_METRICS): names, and totals as they are to be read. */
    metrics?: [string, string][];
    children?: TreeNode[];
}

/** What refrain view says of the trace. */
export interface About {
    version: string;
    program: string;
    path: string;
    started: string;
    size: number;
    missing: number[];
    notes: string[];
    tree: TreeNode[];
    formulas: Formula[];
    processes: { rank: number; bytes: number }[];
    counters: Counter[];
    /** Null: the events cannot be read. */
    report: Report | null;
}

/** Where a finding lies: a region, by which the engine's is found. */
export interface Place {
    name: string;
    file: string;
    line: number;
    /** Of MPI functions: what calls them. */
    in_function?: string;
}

export interface Finding {
    kind: string;
    cost_percent: number;
    at_most: boolean;
    sentence: string;
    detail: string;
    rank: number | null;
    function: Place | null;
    call: Place | null;
    waits_in: Place | null;
    /** Its worst moment, where there is one. */
    from_ns?: number;
    to_ns?: number;
}

/** A piece of the run, and where most of the critical path is in it. */
export interface PathPiece {
    from_ns: number;
    to_ns: number;
    rank: number;
    /** Of the path: in the piece, of that on the rank, of that at the place. */
    path_ns: number;
    rank_ns: number;
    place_ns: number;
    doing: string | null;
    function: Place | null;
    /** That computing leads to, or that the rank is in. */
    call: Place | null;
}

/** What refrain report --json prints (docs/report.md), as far as the page shows it. */
export interface Report {
    from_ns: number;
    to_ns: number;
    first_finalize_ns: number | null;
    least_percent: number;
    efficiency: { parallel: number; load_balance: number; serialisation: number; transfer: number } | null;
    path: PathPiece[];
    remark: string | null;
    findings: Finding[];
    well: string[];
    unknown: string[];
}

/** A counter or marker that the program tells, over all ranks; null: not known, as of markers. */
export interface Counter {
    name: string;
    kind: "counter" | "marker";
    times: number;
    ranks: number;
    values: number;
    least: number | null;
    mean: number | null;
    most: number | null;
}

/** A thread of a rank. */
export interface Location {
    rank: number;
    thread: number;
    begin: number;
    end: number;
}

export const FLAG_APPROXIMATE = 1;
export const FLAG_OPEN = 2;
export const FLAG_WAITING = 4;

/** Bytes of the records that the engine hands out (picture.h). */
export const SPAN_BYTES = 56;
export const SEGMENT_BYTES = 32;
export const OPERATION_BYTES = 64;
export const MESSAGE_BYTES = 56;
export const COLLECTIVE_BYTES = 64;
export const SHARE_BYTES = 12;
export const TOTAL_BYTES = 32;
export const PAIR_BYTES = 32;
export const WAIT_BYTES = 32;
export const END_BYTES = 32;

/** Shares of time of all locations over equal intervals. Location l, interval b: words[index[l * (bins + 1) + b]] to the next. */
export interface Shares {
    from: number;
    to: number;
    bins: number;
    index: Uint32Array;
    /** As in picture.h: region << 17 | waits << 16 | share of the interval, of 65535. */
    words: Uint32Array;
}

/** What is known of a window exactly; records as in picture.h. */
export interface Exact {
    spans: ArrayBuffer;
    nSpans: number;
    /** Spans of location l and depth d, by time: order[lanes[l * depths + d]] to the next. */
    depths: number;
    lanes: Uint32Array;
    order: Uint32Array;
    segments: ArrayBuffer;
    nSegments: number;
    /** Segments of location l: segmentOrder[segmentIndex[l]] to the next. */
    segmentIndex: Uint32Array;
    segmentOrder: Uint32Array;
    operations: ArrayBuffer;
    nOperations: number;
    messages: ArrayBuffer;
    nMessages: number;
    collectives: ArrayBuffer;
    nCollectives: number;
}

export interface Total {
    count: number;
    own: number;
    waiting: number;
    inclusive: number;
}

export interface Pair {
    from: number;
    to: number;
    count: number;
    bytes: number;
    waiting: number;
}

export interface Wait {
    from: number;
    to: number;
    location: number;
    region: number;
    depth: number;
    /** The rank that it waits for; -1: not known. */
    cause: number;
}

export interface Tile {
    from: number;
    to: number;
    shares: Shares;
    /** Null where the window holds too many events to be shown one by one. */
    exact: Exact | null;
}

/** Sums over a window, every event counted. */
export interface Sums {
    from: number;
    to: number;
    totals: Total[];
    pairs: Pair[];
    waits: Wait[];
    /** Own time by location and region, as parts of PART_NUMBERS numbers (shares.ts). */
    parts: Float64Array;
    events: number;
    /** They are of the overview, until every event is counted: times are about right, numbers are not known. */
    rough?: boolean;
}

/** A span that is open at the moment `at`; its end is not known there. */
export interface OpenSpan {
    location: number;
    depth: number;
    from: number;
    at: number;
}

/** When it ends; one that was never left ends with the last clock read of its location. */
export interface End {
    to: number;
    left: boolean;
}

export type Request =
    | {
          kind: "open";
          /** To show windows, or to read the whole run once for a finer overview than the page holds. */
          to: "show" | "refine";
          wasm: ArrayBuffer;
          blobs: ArrayBuffer[];
          names: string[];
          symbols: ArrayBuffer;
          /** What was replayed before (ahead.ts); null: nothing. */
          ahead: ArrayBuffer | null;
      }
    /** What is seen, with the sums over it, and then what lies beside it, where nothing else is asked for. */
    | { kind: "tile"; id: number; from: number; to: number; bins: number; most: number; sums: boolean }
    | { kind: "beside"; id: number; from: number; to: number; bins: number; most: number }
    | { kind: "sums"; id: number; from: number; to: number }
    | ({ kind: "end"; id: number } & OpenSpan);

export type Reply =
    | { kind: "opened"; locations: Location[]; end: number; names: Names }
    | {
          kind: "scanned";
          upTo: number;
          events: number;
          done: boolean;
          levels: Shares[];
          sums: Sums;
          /** Moments, and the number of events before each of them, by turns; what was replayed before has them. */
          density: Float64Array;
          /** The overview can be made finer by reading the run. */
          coarse: boolean;
      }
    | { kind: "refined"; levels: Shares[] }
    | { kind: "tile" | "beside"; id: number; tile: Tile; milliseconds: number }
    | { kind: "sums"; id: number; sums: Sums }
    | { kind: "end"; id: number; span: OpenSpan; end: End }
    | { kind: "note"; text: string }
    | { kind: "failed"; text: string };
