// Creates elements. Text always becomes a text node, so nothing that an agent prints can become markup.

export type Child = Node | string | null | undefined | false;
type Props = Record<string, string | boolean | ((event: Event) => void) | undefined>;

/** Creates an element; functions are listeners, `true` is an empty attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  element.append(...present(children));
  return element;
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...present(children));
}

function present(children: Child[]): (Node | string)[] {
  return children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false);
}

/** Sets the text of an element if it differs, so that a selection in it survives. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Brings the children of a list into this order and removes all others. Elements that stay keep their focus. */
export function arrange(parent: Element, wanted: Element[]): void {
  for (const child of [...parent.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((element, at) => {
    if (parent.children[at] !== element) parent.insertBefore(element, parent.children[at] ?? null);
  });
}

let region: HTMLElement | undefined;

/** Says a sentence to screen readers. */
export function announce(text: string): void {
  if (!region) {
    region = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
    document.body.append(region);
  }
  region.textContent = text;
}
