/**
 * `fencepost/element`: defines `<fencepost-viewer>`, which shows a model in a page without any script. It is the only
 * entry point with a side effect at import.
 *
 * @example
 * <script type="module" src="fencepost/dist/element.js"></script>
 * <fencepost-viewer src="robot.glb" controls alt="A robot"></fencepost-viewer>
 */
import { FencepostViewer } from './viewer-element.js';

export type { ViewerPictureOptions } from './picture-blob.js';
export { FencepostViewer } from './viewer-element.js';
export type { FencepostViewerEventMap } from './viewer-events.js';
export type { ViewerTexts } from './viewer-face.js';

declare global {
  interface HTMLElementTagNameMap {
    'fencepost-viewer': FencepostViewer;
  }
}

const NAME = 'fencepost-viewer';
// A page may load two copies of the package. The first one defines the element.
if (globalThis.customElements && !customElements.get(NAME)) customElements.define(NAME, FencepostViewer);
