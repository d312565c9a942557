/**
 * The shadow tree of an element.
 *
 *   div.box ─ canvas        created by the engine
 *   div.poster ─ img        the attribute `poster`
 *                slot       content of the element
 *
 *   div.hotspots ─ div.anchor ─ slot    one per hotspot
 *   slot.ar ─ button        hidden unless the system shows models in augmented reality
 *   p.status, p.keys        announcements, and the description of the keys
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
  .ar { position: absolute; right: 8px; bottom: 8px; display: block; }
  .ar[hidden] { display: none; }
  .status { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
  canvas:focus-visible { outline: 2px solid Highlight; outline-offset: -2px; }
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
  readonly arSlot: HTMLSlotElement;
  readonly arButton: HTMLButtonElement;
  /** A live region. */
  readonly status: HTMLElement;
  readonly keys: HTMLElement;
}

/** Creates the shadow tree of an element, or empties the tree that it has. */
export function growShadowTree(host: HTMLElement): ShadowTree {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
  adoptSheet(host, root);
  const box = create('div', 'box');
  const poster = create('div', 'poster');
  const picture = create('img', 'picture');
  picture.alt = '';
  picture.setAttribute('part', 'poster');
  poster.append(picture, document.createElement('slot'));
  const hotspots = create('div', 'hotspots');
  const arSlot = create('slot', 'ar');
  arSlot.name = 'ar-button';
  const arButton = create('button', 'ar-button');
  arButton.type = 'button';
  arButton.setAttribute('part', 'ar-button');
  arSlot.append(arButton);
  const status = create('p', 'status');
  status.setAttribute('role', 'status');
  const keys = create('p', 'keys');
  keys.id = 'keys';
  keys.hidden = true;
  root.replaceChildren(box, poster, hotspots, arSlot, status, keys);
  return { root, box, poster, picture, hotspots, arSlot, arButton, status, keys };
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
