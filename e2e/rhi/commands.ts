/** Provides `fencepost/rhi` as `window.rhi`, and runs the lists of commands on this browser's WebGPU. */
import * as rhi from 'fencepost/rhi';
import { errorsOf, gpuSlips } from './gpu-slips.js';
import { commandLists } from './lists/index.js';
import { canRun, type ListResult, runList } from './lists/run-list.js';

declare global {
  interface Window {
    rhi: typeof rhi;
    /** Runs all lists on the GPU or on the null backend. A result is `null` if its list can't run there. */
    runLists(isOnNull?: boolean): Promise<(ListResult | null)[]>;
    /** Returns the errors reported for each slip. */
    runSlips(isValidated: boolean): Promise<string[][]>;
  }
}

window.rhi = rhi;
window.runLists = async (isOnNull = false) => {
  const device = isOnNull ? null : (await rhi.openDevice(navigator.gpu)).device;
  const results: (ListResult | null)[] = [];
  for (const list of commandLists) {
    results.push(canRun(list, device) ? await runList(list, device) : null);
  }
  device?.destroy();
  return results;
};
window.runSlips = async (isValidated) => {
  const { device } = await rhi.openDevice(navigator.gpu);
  const errors: string[][] = [];
  for (const slip of gpuSlips) errors.push(await errorsOf(slip, device, isValidated));
  device.destroy();
  return errors;
};
document.documentElement.dataset.loaded = 'true';
