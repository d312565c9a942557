/**
 * The frame graph over the page: a panel at the upper edge with a drawing, its text version and the latest changes.
 * The panel is in a shadow tree, so that styles of page and panel don't mix.
 */
import type { Shaped } from '../core/options/member.js';
import { member, optional } from '../core/options/members.js';
import { isObject } from '../core/options/shown-value.js';
import { element } from './dom.js';

export const GRAPH_VIEW_OPTIONS = {
  /** Parent of the panel. Default: the document's body. */
  container: optional(
    member<HTMLElement>(
      (value) => isObject(value) && typeof value.append === 'function',
      'an element of the page',
    ),
  ),
};

/** Options of the frame graph over the page. */
export type GraphViewOptions = Shaped<typeof GRAPH_VIEW_OPTIONS>;

/** The frame graph over the page, while it is open. */
export interface GraphViewHandle {
  /** Removes the panel and stops its updates. A second call does nothing. */
  close(): void;
}

const STYLE = `
:host { position: fixed; inset: 0 0 auto 0; z-index: 2147483000; color-scheme: light; }
section { background: #fff; color: #1c2330; font: 12px/1.4 system-ui, sans-serif; outline: none; max-height: 70vh;
  overflow: auto; border-bottom: 1px solid rgb(0 0 0 / .3); box-shadow: 0 2px 12px rgb(0 0 0 / .3); }
header { display: flex; align-items: center; gap: 10px; padding: 5px 8px; position: sticky; top: 0; left: 0; background: #fff; }
h2 { font-size: 12px; margin: 0; font-weight: 600; }
output { flex: 1; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: #556; }
button { font: inherit; background: #eef1f5; border: 1px solid #c5ccd6; border-radius: 4px; padding: 1px 9px; cursor: pointer; }
img { display: block; white-space: pre; font: 11px/1.4 ui-monospace, monospace; }
`;

export class GraphView {
  readonly #onClose: () => void;
  readonly #host = document.createElement('fencepost-frame-graph');
  readonly #image = element('img', { part: 'drawing' });
  readonly #status = element('output');
  #address = '';
  #isClosed = false;

  constructor(options: GraphViewOptions, onClose: () => void) {
    const { container = document.body } = options;
    this.#onClose = onClose;
    const root = this.#host.attachShadow({ mode: 'open' });
    // A constructed style sheet works even under policies that forbid style elements.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const button = element('button', { title: 'Close (Escape)' }, 'Close');
    button.addEventListener('click', () => this.close());
    const header = element('header', {}, element('h2', {}, 'Frame graph'), this.#status, button);
    const panel = element('section', { tabindex: '0', 'aria-label': 'Frame graph' }, header, this.#image);
    panel.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close());
    root.append(panel);
    container.append(this.#host);
  }

  /**
   * Shows the graph of a frame.
   *
   * @param drawing an SVG document
   * @param text the graph as text, for screen readers and for pages whose policy blocks the image
   * @param changes changes since the last frame, one per line
   */
  update(drawing: string, text: string, changes: readonly string[]): void {
    if (changes.length > 0) this.#status.textContent = changes.join(' · ');
    if (text === this.#image.alt) return;
    const before = this.#address;
    this.#address = URL.createObjectURL(new Blob([drawing], { type: 'image/svg+xml' }));
    this.#image.src = this.#address;
    this.#image.alt = text;
    URL.revokeObjectURL(before);
    this.#status.textContent ||= text.split('\n')[0] ?? '';
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#host.remove();
    URL.revokeObjectURL(this.#address);
    this.#onClose();
  }
}
