/**
 * The browser of a benchmark run: Chromium with WebGPU on the software adapter, so that figures of the main thread can
 * be measured on any machine. `--gpu` uses the machine's own GPU.
 */
import { type Browser, chromium } from 'playwright';
import { chromiumLaunchOptions } from '../../src/testing/launch-options.js';

export function launchBrowser(executablePath: string, useHardware: boolean): Promise<Browser> {
  return chromium.launch(
    chromiumLaunchOptions({
      executablePath,
      gpu: useHardware ? 'hardware' : 'software',
      // The launch options set this flag only on Linux; here it applies on every system.
      args: useHardware ? [] : ['--use-angle=swiftshader'],
    }),
  );
}
