import type { GraphViewHandle } from '../src/index.js';
import { byId } from './elements.js';
import type { Panel } from './panel.js';
import type { Stage } from './stage.js';

/** Adds a switch to the panel, for the frame graph beside the panel. The graph also has its own close button. */
export function addGraphSwitch(panel: Panel, stage: Stage): void {
  const dock = document.createElement('div');
  dock.className = 'dock graph';
  document.body.append(dock);
  let view: GraphViewHandle | null = null;
  panel.addSwitch('graph', 'Frame graph', false, async (isOn) => {
    view?.close();
    view = null;
    if (!isOn || !stage.engine) return;
    try {
      view = await stage.engine.showFrameGraph({ container: dock });
    } catch (error) {
      stage.showError(error);
    }
  });
  new MutationObserver(() => {
    byId('graph', HTMLInputElement).checked = dock.childElementCount > 0;
  }).observe(dock, { childList: true });
}
