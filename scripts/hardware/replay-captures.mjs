// Draws captures of the reference scenes by Dawn in Node on any GPU, and compares the pictures with Chromium's.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectRoot } from '../lib/install.mjs';
import { loadTestKit } from '../lib/test-kit.mjs';

/** Limit of the mean difference over all pixels, in levels of 255. */
const MOST_ON_AVERAGE = 0.75;
/**
 * Difference in levels of 255 above which a pixel counts as different. GPUs differ at pixels whose middle lies on an
 * edge.
 */
const OTHER_PIXEL = 8;
/** Limit of different pixels, as a share of all pixels. */
const MOST_OTHER_PIXELS = 0.01;

/**
 * Draws the captures of a folder and compares the pictures.
 *
 * @param {string} folder
 * @returns {Promise<number>} the exit status
 */
export async function replayCaptures(folder) {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.capture')) : [];
  const library = resolve(projectRoot, 'dist/rhi.js');
  if (files.length === 0 || !existsSync(library)) {
    console.error(
      files.length === 0
        ? `There are no captures in ${folder}.`
        : 'The folder dist is missing. Run `npm run build`.',
    );
    return 2;
  }
  const { openDevice, replay } = await import(library);
  const { compareImages, readPng } = await loadTestKit();
  const dawn = await import('webgpu');
  Object.assign(globalThis, dawn.globals);
  // Node cannot end while this reference exists.
  let gpu = /** @type {GPU | null} */ (dawn.create([]));
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (adapter === null) {
      console.error('Dawn found no GPU.');
      return 2;
    }
    console.log(`On ${adapter.info.vendor} ${adapter.info.architecture} ${adapter.info.description}:`);
    let wrong = 0;
    for (const file of files.toSorted()) {
      const { device } = await openDevice(gpu);
      const bytes = Uint8Array.from(readFileSync(join(folder, file)));
      const { picture, errors } = await replay(bytes, device);
      device.destroy();
      const name = file.replace('.capture', '');
      if (picture === null) {
        console.log(['WRONG', `${name}:`, 'it drew nothing.', ...errors.map(String)].join(' '));
        wrong++;
        continue;
      }
      const kept = readPng(join(folder, `${name}.png`));
      const { meanAbsoluteDifference: mean, differentPixels: others } = compareImages(kept, picture, {
        threshold: OTHER_PIXEL,
      });
      const isWrong =
        errors.length > 0 || mean > MOST_ON_AVERAGE || others > kept.width * kept.height * MOST_OTHER_PIXELS;
      const found = `${mean.toFixed(3)} of 255 on average; ${others} pixels differ by more than ${OTHER_PIXEL}`;
      console.log([isWrong ? 'WRONG' : 'ok   ', `${name}:`, found, ...errors.map(String)].join(' '));
      if (isWrong) wrong++;
    }
    console.log(`${files.length - wrong} of ${files.length} pictures are as on the software adapter.`);
    return wrong === 0 ? 0 : 1;
  } finally {
    gpu = null;
  }
}
