/**
 * The shadow tree of an element.
 *
 *   div.box ─ canvas        created by the engine
 *   div.poster ─ img        the attribute `poster`
 *                slot       content of the element
 *
 *   div.hotspots ─ div.anchor ─ slot    one per hotspot
 *
 * The poster is visible until the first picture, or always if no picture can be drawn.
 */

const STYLE = `
  :host { display: block; position: relative; width: 300px; height: 200px; overflow: hidden; contain: strict; }
  :host([hidden]) { display: none; }
  .box, .poster, .poster slot { position: absolute; inset: 0; }
  .poster slot { display: block; }
  .poster img { width: 100%; height: 100%; object-fit: contain; }
  .poster[hidden] { display: none; }
  .hotspots { position: absolute; inset: 0; pointer-events: none; }
  .anchor { position: absolute; left: 0; top: 0; pointer-events: auto; }
  .anchor[data-hidden] { visibility: hidden; }
  :host(:not([controls])) canvas { touch-action: auto !important; }
`;

export interface ShadowTree {
  readonly root: ShadowRoot;
  /** Contains the canvas. */
  readonly box: HTMLElement;
  readonly poster: HTMLElement;
  /** The picture of the attribute `poster`. */
  readonly picture: HTMLImageElement;
  /** Contains the hotspots. */
  readonly hotspots: HTMLElement;
}

/** Creates the shadow tree of an element, or empties the tree that it has. */
export function growShadowTree(host: HTMLElement): ShadowTree {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  adoptSheet(host, root);
  const box = create('div', 'box');
  const poster = create('div', 'poster');
  const picture = create('img', 'picture');
  picture.alt = '';
  picture.setAttribute('part', 'poster');
  poster.append(picture, document.createElement('slot'));
  const hotspots = create('div', 'hotspots');
  root.replaceChildren(box, poster, hotspots);
  return { root, box, poster, picture, hotspots };
}

/** Adopts the style sheet. A constructed sheet works even under policies that forbid style elements. */
export function adoptSheet(host: HTMLElement, root: ShadowRoot): void {
  const { CSSStyleSheet } = host.ownerDocument.defaultView ?? window;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
}

function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}
