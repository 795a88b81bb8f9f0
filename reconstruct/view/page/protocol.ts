// protocol.ts: the messages between the page and its worker, and the data that refrain view wrote into the page.

/** A function, an MPI function at a call site, or a user region: one for each construct. Spans have its index. */
export interface Region {
    kind: "function" | "mpi" | "user" | "value" | "io";
    name: string;
    file: string;
    line: number;
    /** Of MPI functions: the calling function. */
    function: string;
    /** 0xrrggbb, computed from the name. */
    colour: number;
}

/** Names by the index in records, from the engine. */
export interface Names {
    /** The last region stands for all that are not in the trace. */
    regions: Region[];
    comms: string[];
}

/** One sequence of values of a construct, as refrain formulas prints it. */
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
    /** Number of ranks with the same formula, if there are more than one. */
    ranks?: number;
    /** The probe was throttled at times: the trace has only some of the values. */
    throttled: boolean;
}

/** A node of the program tree: a function with its loops and call sites; times are sums over all ranks. */
export interface TreeNode {
    kind: "function" | "loop" | "call";
    name: string;
    file: string;
    line: number;
    /** Of calls: the calling function, as in Region. */
    function: string;
    count: number;
    /** Of a loop: null if no clock read gives its time. */
    time_ns: number | null;
    own_ns: number | null;
    mpi_ns: number;
    files_ns: number; // in calls of the C library for files
    /** Metrics (REFRAIN_METRICS): name, and total as text. */
    metrics?: [string, string][];
    children?: TreeNode[];
}

/** What refrain view wrote about the trace. */
/** Samples of processor time (view_samples.c). */
export interface Samples {
    per_second: number;
    functions: { name: string; file: string; line: number; object: string }[];
    /** For each call path three numbers: index + 1 of its caller's path, which comes before (0: outermost); its function;
     *  the function that computes in it, which is the caller of the C library's functions. */
    paths: number[];
    /** For each row SAMPLE_NUMBERS: rank (-1: all), path, MPI call (0: none yet; else 2 + 2 * region, and 1 more after the
     *  call), from and to in ns, samples. */
    rows: number[];
}

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
    memory: Memory | null;
    /** Null if the run took none. */
    samples: Samples | null;
    /** Null if the events cannot be read. */
    report: Report | null;
}

/** The region of a finding, by which the page finds the engine's region. */
export interface Place {
    name: string;
    file: string;
    line: number;
    /** Of MPI functions: the calling function. */
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
    /** Its worst moment, if it has one. */
    from_ns?: number;
    to_ns?: number;
}

/** A piece of the run, and the place with most of the critical path in it. */
export interface PathPiece {
    from_ns: number;
    to_ns: number;
    rank: number;
    /** Time on the critical path: in the piece, on the rank in it, at the place in it. */
    path_ns: number;
    rank_ns: number;
    place_ns: number;
    doing: string | null;
    function: Place | null;
    /** The call that computing leads to, or that the rank is in. */
    call: Place | null;
}

/** The JSON of refrain report --json (docs/report.md), as far as the page shows it. */
export interface Report {
    from_ns: number;
    to_ns: number;
    first_finalize_ns: number | null;
    least_percent: number;
    efficiency: { parallel: number; load_balance: number; serialisation: number; transfer: number } | null;
    path: PathPiece[];
    remark: string | null;
    findings: Finding[];
    /** Sentences: about the files that took most time, and about other things. */
    files: string[];
    well: string[];
    unknown: string[];
}

/** Resident memory of the ranks, as refrain stats --json has it. */
export interface Memory {
    ranks: { rank: number; first_bytes: number; high_bytes: number; points: [number, number][] }[];
    growth: {
        before: string;
        file: string;
        line: number;
        function: string;
        bytes: number;
        rank: number;
        rank_bytes: number;
    }[];
    uneven: boolean;
}

/** A counter or marker of the program, over all ranks. Null: unknown, as for markers. */
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

/** Bytes of the engine's records (picture.h). */
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

/** Shares of time of all locations in equal intervals. Those of location l in interval b begin at words[index[l * (bins + 1) +
 *  b]] and end where the next ones begin. */
export interface Shares {
    from: number;
    to: number;
    bins: number;
    index: Uint32Array;
    /** As in picture.h: region << 17 | waits << 16 | share of the interval, in units of 1/65535. */
    words: Uint32Array;
}

/** The events of a window, as records of picture.h. */
export interface Exact {
    spans: ArrayBuffer;
    nSpans: number;
    /** The spans of location l and depth d in time order begin at order[lanes[l * depths + d]] and end where the next ones
     *  begin. */
    depths: number;
    lanes: Uint32Array;
    order: Uint32Array;
    segments: ArrayBuffer;
    nSegments: number;
    /** The segments of location l begin at segmentOrder[segmentIndex[l]] and end where the next ones begin. */
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
    /** The rank that it waits for; -1: unknown. */
    cause: number;
}

export interface Tile {
    from: number;
    to: number;
    shares: Shares;
    /** Null if the window has too many events to show each. */
    exact: Exact | null;
}

/** Sums over a window, with every event counted. */
export interface Sums {
    from: number;
    to: number;
    totals: Total[];
    pairs: Pair[];
    waits: Wait[];
    /** Own time by location and region: parts of PART_NUMBERS numbers each (shares.ts). */
    parts: Float64Array;
    events: number;
    /** Computed from the overview, until every event is counted: times are approximate, and counts are unknown. */
    rough?: boolean;
}

/** A span that is open at the moment `at`; the page does not know its end. */
export interface OpenSpan {
    location: number;
    depth: number;
    from: number;
    at: number;
}

/** The end of an open span. A span that was never left ends with the last clock read of its location. */
export interface End {
    to: number;
    left: boolean;
}

export type Request =
    | {
          kind: "open";
          /** show: answers requests for windows; refine: reads the whole run once for a finer overview than the one in the
           *  page. */
          to: "show" | "refine";
          wasm: ArrayBuffer;
          blobs: ArrayBuffer[];
          names: string[];
          symbols: ArrayBuffer;
          /** Saved states and overview (ahead.ts); null: none. */
          ahead: ArrayBuffer | null;
      }
    /** Requests a window with its sums. The worker then also sends the windows beside it, if there is no other request. */
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
          /** Pairs of a moment and the number of events before it. They are saved with the states. */
          density: Float64Array;
          /** True if reading the run makes the overview finer. */
          coarse: boolean;
      }
    | { kind: "refined"; levels: Shares[] }
    | { kind: "tile" | "beside"; id: number; tile: Tile; milliseconds: number }
    | { kind: "sums"; id: number; sums: Sums }
    | { kind: "end"; id: number; span: OpenSpan; end: End }
    | { kind: "note"; text: string }
    | { kind: "failed"; text: string };
