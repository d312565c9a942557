/**
 * The package entry `fencepost/testing` helps to write headless GPU tests with Playwright, for this engine or for
 * any page with WebGPU. It runs in Node and imports no code of the engine.
 *
 * @example
 * test('shows the cube', async ({ page }) => {
 *   await takeClock(page);                      // frames advance only by steps
 *   await page.goto('/');                       // the page sets window.engine
 *   await waitForEngine(page);
 *   await stepFrames(page, { frames: 3 });
 *   const { meanAbsoluteDifference } = compareImages(await readPixels(page), readPng('cube.png'));
 *   expect(meanAbsoluteDifference).toBeLessThan(1);
 * });
 */
export {
  type FirefoxLaunchOptions,
  firefoxLaunchOptions,
  type PuppeteerLaunchOptions,
  softwareDriverOf,
} from './firefox-launch-options.js';
export { compareImages, type Image, type ImageDifference, pixelAt } from './image.js';
export { type ChromiumLaunchOptions, chromiumLaunchOptions, type LaunchOptions } from './launch-options.js';
export {
  type EngineLocation,
  readPixels,
  type StepOptions,
  type SteppableEngine,
  stepFrames,
  takeClock,
  waitForEngine,
} from './page.js';
export { decodePng, encodePng, readPng, writePng } from './png.js';
export { probeWebGPU, type WebGPUProbe } from './probe.js';
