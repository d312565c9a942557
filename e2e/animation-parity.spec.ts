/**
 * Compares poses of real files with three.js. The shapes on screen and the places of the joints must be equal.
 * The files come from the folder that the variable `FENCEPOST_ASSETS` names. Without this variable the test is
 * skipped.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writePng } from '../src/testing/png.js';
import { expect, test } from './fixtures.js';
import { openLoadedPage } from './open-engine-page.js';
import type { PosedClip } from './parity/animated-file.js';

const folder = process.env.FENCEPOST_ASSETS;

const one = (clip: number, seconds: number): readonly PosedClip[] => [{ clip, seconds, weight: 1 }];

const POSES: readonly (readonly [file: string, clips: readonly PosedClip[]])[] = [
  ['animation/CesiumMan.glb', one(0, 0.7)],
  ['animation/CesiumMan.glb', one(0, 1.3)],
  ['Fox.glb', one(0, 1.1)],
  ['Fox.glb', one(2, 0.4)],
  [
    'Fox.glb',
    [
      { clip: 1, seconds: 0.3, weight: 0.5 },
      { clip: 2, seconds: 0.6, weight: 0.5 },
    ],
  ],
  ['animation/NestedSkeletonAnimated.glb', one(0, 0.4)],
  ['animation/MeshSkinnedToItselfAndOthers.glb', one(0, 0.35)],
  ['SimpleMorph.gltf', one(0, 1.4)],
  ['SimpleMorph.gltf', one(0, 3.1)],
  ['animation/AnimatedMorphSphere/AnimatedMorphSphere.gltf', one(0, 1.7)],
];

/** Returns the file with its external buffers embedded. */
function wholeFile(path: string): Buffer {
  const bytes = readFileSync(path);
  if (path.endsWith('.glb')) return bytes;
  const json = JSON.parse(bytes.toString()) as { buffers: { uri: string }[] };
  for (const buffer of json.buffers) {
    if (buffer.uri.startsWith('data:')) continue;
    const data = readFileSync(join(dirname(path), buffer.uri)).toString('base64');
    buffer.uri = `data:application/octet-stream;base64,${data}`;
  }
  return Buffer.from(JSON.stringify(json));
}

test('clips, skins and morph targets of real files have the poses that three.js gives them', async ({
  page,
  isolatedURL,
}) => {
  test.skip(!folder, 'FENCEPOST_ASSETS names no folder of sample models');
  test.slow();
  await openLoadedPage(page, `${isolatedURL}/e2e/pages/parity.html`);
  let shared = 0;
  for (const [index, [file, clips]] of POSES.entries()) {
    const bytes = wholeFile(join(folder as string, file)).toString('base64');
    const drawn = await page.evaluate(([text, poses]) => window.drawPoses(text, poses), [
      bytes,
      clips,
    ] as const);
    const ours = Buffer.from(drawn.ours, 'base64');
    const three = Buffer.from(drawn.three, 'base64');
    let [difference, covered] = [0, 0];
    for (let at = 0; at < ours.length; at += 4) {
      difference += Math.abs((ours[at] as number) - (three[at] as number)) / 255;
      covered += (three[at] as number) / 255;
    }
    const share = difference / covered;
    console.log(
      `${file}: ${covered.toFixed(0)} pixels, ${(share * 100).toFixed(2)} % differ; ${drawn.shared} nodes at most ${drawn.apart.toExponential(1)} apart`,
    );
    const { size } = drawn;
    const data = new Uint8ClampedArray([...ours, ...three]);
    writePng(`test-results/parity/pose-${index}.png`, { width: size, height: size * 2, data });
    expect(covered, file).toBeGreaterThan(100);
    expect(share, file).toBeLessThan(0.01);
    shared += drawn.shared;
    expect(drawn.apart, file).toBeLessThan(1e-4);
  }
  // Nodes are compared by name, and not every file names its nodes.
  expect(shared).toBeGreaterThan(50);
});
