/**
 * The browser of a benchmark run: Chromium with WebGPU on the software adapter, so that figures of the main
 * thread can be had on any machine. `--gpu` uses the machine's own.
 */
import { type Browser, chromium } from 'playwright';
import { chromiumLaunchOptions } from '../../src/testing/launch-options.js';

export function launchBrowser(executablePath: string, useHardware: boolean): Promise<Browser> {
  return chromium.launch(
    chromiumLaunchOptions({
      executablePath,
      gpu: useHardware ? 'hardware' : 'software',
      // The later flag wins; some machines have SwiftShader but not the window-system extensions ANGLE's own
      // Vulkan backend asks for.
      args: useHardware ? [] : ['--use-angle=swiftshader'],
    }),
  );
}
