/** Finds the page's elements by id or selector. A missing element is a mistake in the page, and throws at once. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  return checked(document.getElementById(id), `#${id}`, kind);
}

export function find<T extends Element>(root: ParentNode, selector: string, kind: new () => T): T {
  return checked(root.querySelector(selector), selector, kind);
}

function checked<T extends Element>(element: Element | null, selector: string, kind: new () => T): T {
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} "${selector}".`);
  return element;
}
