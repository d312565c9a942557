/**
 * `fencepost/element`: defines `<fencepost-viewer>`, a model in a page without a script of the page's. The one entry point whose
 * import does something.
 *
 * @example
 * <script type="module" src="fencepost/dist/element.js"></script>
 * <fencepost-viewer src="robot.glb" controls alt="A robot"></fencepost-viewer>
 */
import { FencepostViewer } from './viewer-element.js';

export { FencepostViewer, type FencepostViewerEventMap } from './viewer-element.js';

declare global {
  interface HTMLElementTagNameMap {
    'fencepost-viewer': FencepostViewer;
  }
}

const NAME = 'fencepost-viewer';
// A page may have two copies of the package; the first that is loaded has the name.
if (globalThis.customElements && !customElements.get(NAME)) customElements.define(NAME, FencepostViewer);
