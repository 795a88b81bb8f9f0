// elements.ts: makes elements of the page that contain text.

/** Makes an element with this text. Names from the traced program are never set as HTML, in which they could be markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    text = "",
    className = "",
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
}
