/** Puts `fencepost/rhi` on `window.rhi`, and runs the lists of commands on this browser's WebGPU. */
import * as rhi from '../../src/rhi.js';
import { commandLists } from './lists/index.js';
import { type ListResult, runList } from './lists/run-list.js';

declare global {
  interface Window {
    rhi: typeof rhi;
    runLists(): Promise<ListResult[]>;
  }
}

window.rhi = rhi;
window.runLists = async () => {
  const { device } = await rhi.openDevice(navigator.gpu);
  const results: ListResult[] = [];
  for (const list of commandLists) results.push(await runList(list, device));
  device.destroy();
  return results;
};
document.documentElement.dataset.loaded = 'true';
