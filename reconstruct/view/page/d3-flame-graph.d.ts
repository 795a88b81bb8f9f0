// d3-flame-graph.d.ts: the part of d3-flame-graph that the page uses; the package has no types.
declare module "d3-flame-graph" {
    interface FlameNode<Data> {
        data: Data;
        value: number;
    }
    interface FlameGraph<Data> {
        (selection: unknown): void;
        width(pixels: number): this;
        cellHeight(pixels: number): this;
        minFrameSize(pixels: number): this;
        transitionDuration(milliseconds: number): this;
        inverted(rootOnTop: boolean): this;
        sort(compare: (a: FlameNode<Data>, b: FlameNode<Data>) => number): this;
        selfValue(on: boolean): this;
        resetHeightOnZoom(on: boolean): this;
        setLabelHandler(label: (node: FlameNode<Data>) => string): this;
        setColorMapper(colour: (node: FlameNode<Data>, original: string) => string): this;
        onClick(handler: (node: FlameNode<Data>) => void): this;
    }
    export default function flamegraph<Data>(): FlameGraph<Data>;
}
