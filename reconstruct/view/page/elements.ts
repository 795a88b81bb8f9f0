// elements.ts: parts of a page with text in them.

/** An element with text in it. Names of the program get into the page as text only. */
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
