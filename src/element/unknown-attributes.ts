/** Warnings about attributes that the element does not know. They are part of development builds only. */

/** Attributes of every element that need no warning. */
const COMMON =
  /^(class|style|id|slot|title|lang|dir|hidden|inert|is|part|exportparts|nonce|role|tabindex|translate|draggable|autofocus|popover|accesskey|contenteditable|enterkeyhint|inputmode|spellcheck|itemid|itemprop|itemref|itemscope|itemtype|elementtiming|anchor)$|^(data-|aria-|on|xmlns|_|v-|x-|:|@)|[^\w-]/;

/** Attributes of `<model-viewer>`, with the attributes that do the same here. */
const COUSINS: Readonly<Record<string, string>> = {
  'camera-controls': 'controls',
  'animation-name': 'animation',
  'variant-name': 'variant',
  'skybox-image': 'environment-image',
};

/**
 * Returns the sentence that warns about an attribute; `null` for a known one.
 * @param known names of the element's own attributes
 */
export function warningOf(name: string, known: readonly string[]): string | null {
  if (known.includes(name) || COMMON.test(name)) return null;
  const guess = COUSINS[name] ?? nearestOf(name, known);
  const question = guess ? ` Did you mean "${guess}"?` : '';
  return `<fencepost-viewer> has no attribute "${name}".${question} For data of your own, use "data-${name}".`;
}

/** Warns about the element's unknown attributes, once per name, now and whenever one is added. */
export function watchAttributes(element: Element, known: readonly string[], signal: AbortSignal): void {
  const warned = new Set<string>();
  const check = (): void => {
    for (const { name } of element.attributes) {
      const warning = warned.has(name) ? null : warningOf(name, known);
      warned.add(name);
      if (warning) console.warn(warning);
    }
  };
  check();
  const observer = new MutationObserver(check);
  observer.observe(element, { attributes: true });
  signal.addEventListener('abort', () => observer.disconnect());
}

/** Returns the known name that takes the fewest edits, at most a third of the name's letters. */
function nearestOf(name: string, known: readonly string[]): string | null {
  let nearest: string | null = null;
  let fewest = Math.floor(name.length / 3) + 1;
  for (const candidate of known) {
    const edits = editsBetween(name, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

/** Returns the count of letters to insert, delete or replace between two words. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (row[at - 1] as number) + (from[line - 1] === to[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] as number) + 1, (next[at - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
