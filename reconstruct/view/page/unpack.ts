// unpack.ts: decodes the data that refrain view wrote into the page: compressed bytes as text.

function decode(text: string): Uint8Array<ArrayBuffer> {
    // Native in newer browsers, in a tenth of the time.
    const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
    if (native) return native(text);
    const chars = atob(text);
    const bytes = new Uint8Array(chars.length);
    for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
    return bytes;
}

export async function unpack(id: string): Promise<ArrayBuffer> {
    const bytes = decode(document.getElementById(id)!.textContent!);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
}
