// Captures of the reference scenes, drawn by Dawn in Node on whatever GPU it finds, beside what Chromium drew as it captured them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PNG } from 'pngjs';
import { projectRoot } from '../lib/install.mjs';

/** Levels, of 255, over the pixels that are no other ones. */
const MOST_ON_AVERAGE = 0.25;
/** Levels, of 255, above which a pixel counts as another one: GPUs choose otherwise for pixels whose middle lies on an edge. */
const OTHER_PIXEL = 8;
/** Share of all pixels. */
const MOST_OTHER_PIXELS = 0.01;

/**
 * @param {string} folder
 * @returns {Promise<number>} the exit status
 */
export async function replayCaptures(folder) {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.capture')) : [];
  const library = resolve(projectRoot, 'dist/rhi.js');
  if (files.length === 0 || !existsSync(library)) {
    console.error(
      files.length === 0 ? `There are no captures in ${folder}.` : 'There is no dist: run `npm run build`.',
    );
    return 2;
  }
  const { openDevice, replay } = await import(library);
  const dawn = await import('webgpu');
  Object.assign(globalThis, dawn.globals);
  // Node ends only when nothing holds this any more.
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
      const { text, isWrong } = judge(join(folder, `${name}.png`), picture, errors);
      console.log(`${isWrong ? 'WRONG ' : 'ok    '} ${name}: ${text}`);
      if (isWrong) wrong++;
    }
    console.log(`${files.length - wrong} of ${files.length} pictures are as on the software adapter.`);
    return wrong === 0 ? 0 : 1;
  } finally {
    gpu = null;
  }
}

/**
 * @param {string} file the picture to compare with
 * @param {{ width: number, height: number, data: Uint8Array } | null} drawn
 * @param {readonly unknown[]} errors
 */
function judge(file, drawn, errors) {
  if (errors.length > 0 || drawn === null) return { text: errors.map(String).join('; '), isWrong: true };
  const kept = PNG.sync.read(readFileSync(file));
  if (kept.width !== drawn.width || kept.height !== drawn.height) {
    return { text: `it has ${drawn.width} × ${drawn.height} pixels`, isWrong: true };
  }
  let [sum, others] = [0, 0];
  for (let at = 0; at < kept.data.length; at += 4) {
    const differences = [0, 1, 2].map((channel) =>
      Math.abs((kept.data[at + channel] ?? 0) - (drawn.data[at + channel] ?? 0)),
    );
    if (Math.max(...differences) > OTHER_PIXEL) others++;
    else sum += differences.reduce((total, difference) => total + difference);
  }
  const pixels = kept.width * kept.height;
  const mean = sum / ((pixels - others) * 3);
  return {
    text: `${mean.toFixed(3)} of 255 on average; ${others} pixels differ by more than ${OTHER_PIXEL}`,
    isWrong: mean > MOST_ON_AVERAGE || others > pixels * MOST_OTHER_PIXELS,
  };
}
