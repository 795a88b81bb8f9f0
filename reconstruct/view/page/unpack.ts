// unpack.ts: what refrain view put into the page: compressed bytes as text.

export async function unpack(id: string): Promise<ArrayBuffer> {
    const text = atob(document.getElementById(id)!.textContent!.trim());
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
}
