import { PlatformError } from '../core/errors.js';

/** Creates an element with attributes and children. It replaces `innerHTML`, which pages with trusted types forbid. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Checks that there is a document. Panels over the page need a document, and Node has none.
 *
 * @throws PlatformError `document-missing`
 */
export function needDocument(call: string): void {
  if (typeof document !== 'undefined') return;
  throw new PlatformError(
    'document-missing',
    `${call} needs a page, because it shows a panel over the page.`,
  );
}
