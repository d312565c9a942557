/**
 * Parts of the element besides the picture: the poster, the description for assistive technology, the announcements,
 * and the button for augmented reality.
 *
 *   without `controls`   div.box    role img, label
 *   with `controls`      canvas     role application, label, keys; focused by the tab key
 *   p.status             loading ─► shown │ failed
 */
import { type ArFiles, type ArViewer, arViewerOf, browserOf, openArViewer } from './augmented-reality.js';
import { growShadowTree, type ShadowTree } from './shadow-tree.js';

/** Sentences of elements, which a page may translate. `{alt}` stands for the attribute `alt`. */
export interface ViewerTexts {
  /** Replaces a missing `alt`. */
  model: string;
  loading: string;
  shown: string;
  failed: string;
  /** Describes the keys. */
  keys: string;
  /** Label of the button for augmented reality. */
  ar: string;
}

export const viewerTexts: ViewerTexts = {
  model: '3D model',
  loading: '{alt}: loading',
  shown: '{alt}: shown',
  failed: '{alt}: could not be shown',
  keys: 'The arrow keys turn the model. Plus and minus change its size.',
  ar: 'View in your space',
};

/** Attributes that change the face. */
export const FACE_ATTRIBUTES = ['alt', 'poster', 'background', 'controls', 'src', 'ar', 'ios-src'] as const;

export class ViewerFace {
  readonly tree: ShadowTree;
  /** The viewer that the button opens; `null` if there is none. */
  arViewer: ArViewer = null;
  readonly #host: HTMLElement;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.tree = growShadowTree(host);
    this.tree.arSlot.addEventListener('click', () => {
      openArViewer(this.arViewer, this.#arFiles, this.#host.getAttribute('alt'));
    });
    for (const name of FACE_ATTRIBUTES) this.change(name);
  }

  /** Applies an attribute, if it is one of `FACE_ATTRIBUTES`. */
  change(name: string): void {
    if (name === 'poster') this.#showPoster();
    // The canvas is not drawn until a model is loaded.
    if (name === 'background') {
      this.tree.poster.style.backgroundColor = this.#host.getAttribute('background') ?? '';
    }
    if (name === 'alt' || name === 'controls') this.describe();
    if (name === 'ar' || name === 'src' || name === 'ios-src') this.#offerAr();
  }

  /** Describes the picture to assistive technology. Also called once there is a canvas. */
  describe(): void {
    const { box, keys } = this.tree;
    const alt = this.#host.getAttribute('alt');
    const canvas = box.querySelector('canvas');
    const isSteered = canvas !== null && this.#host.hasAttribute('controls');
    label(box, isSteered || alt === null ? null : 'img', alt);
    keys.textContent = viewerTexts.keys;
    if (!canvas) return;
    label(canvas, isSteered ? 'application' : null, alt ?? viewerTexts.model);
    if (isSteered) canvas.setAttribute('aria-describedby', keys.id);
    else canvas.removeAttribute('aria-describedby');
  }

  /** Announces a state. The poster is hidden once a model is shown. */
  announce(state: 'loading' | 'shown' | 'failed'): void {
    const { status, poster } = this.tree;
    if (state === 'shown') poster.hidden = true;
    const alt = this.#host.getAttribute('alt') || viewerTexts.model;
    const text = viewerTexts[state].replace('{alt}', alt);
    if (status.textContent !== text) status.textContent = text;
  }

  #showPoster(): void {
    const { picture } = this.tree;
    const source = this.#host.getAttribute('poster');
    picture.hidden = source === null;
    if (source !== null) picture.src = new URL(source, this.#host.baseURI).href;
    else picture.removeAttribute('src');
  }

  #offerAr(): void {
    const { arSlot, arButton } = this.tree;
    this.arViewer = this.#host.hasAttribute('ar') ? arViewerOf(browserOf(), this.#arFiles) : null;
    arSlot.hidden = this.arViewer === null;
    arButton.textContent = viewerTexts.ar;
  }

  get #arFiles(): ArFiles {
    const addressOf = (name: string): string | null => {
      const value = this.#host.getAttribute(name);
      return value === null ? null : new URL(value, this.#host.baseURI).href;
    };
    return { src: addressOf('src'), iosSrc: addressOf('ios-src') };
  }
}

/** Sets or removes the role and the label of an element. */
function label(element: Element, role: string | null, text: string | null): void {
  if (role === null || text === null) {
    element.removeAttribute('role');
    element.removeAttribute('aria-label');
    return;
  }
  element.setAttribute('role', role);
  element.setAttribute('aria-label', text);
}
