/** Puts `fencepost/rhi` on `window.rhi`, and runs the lists of commands on this browser's WebGPU. */
import * as rhi from 'fencepost/rhi';
import { commandLists } from './lists/index.js';
import { canRun, type ListResult, runList } from './lists/run-list.js';

declare global {
  interface Window {
    rhi: typeof rhi;
    /** Null for those that can't be run here. */
    runLists(): Promise<(ListResult | null)[]>;
  }
}

window.rhi = rhi;
window.runLists = async () => {
  const { device } = await rhi.openDevice(navigator.gpu);
  const results: (ListResult | null)[] = [];
  for (const list of commandLists) {
    results.push(canRun(list, device) ? await runList(list, device) : null);
  }
  device.destroy();
  return results;
};
document.documentElement.dataset.loaded = 'true';
