/** The page of the parity test. It draws a scene with this engine and with three.js, on request. */
import { type PosedClip, poseWithFencepost, poseWithThree } from '../parity/animated-file.js';
import { drawWithFencepost } from '../parity/draw-with-fencepost.js';
import { ThreeStage } from '../parity/draw-with-three.js';
import type { Picture } from '../parity/scene.js';
import { PARITY_CASES } from '../parity/scenes.js';

declare global {
  interface Window {
    drawParity: typeof drawParity;
    drawPoses: typeof drawPoses;
  }
}

let stage: ThreeStage | undefined;

/** Returns the picture's RGBA8 bytes as base64, which is cheap to pass to the test. */
async function encode({ data }: Picture): Promise<string> {
  let text = '';
  for (const byte of data) text += String.fromCharCode(byte);
  return btoa(text);
}

async function drawParity(name: string): Promise<{ ours: string; stock: string; gltf: string }> {
  const scene = PARITY_CASES.find((parityCase) => parityCase.scene.name === name)?.scene;
  if (!scene) throw new Error(`There is no parity scene "${name}".`);
  const ours = await drawWithFencepost(document.querySelector<HTMLElement>('#view')!, scene);
  if (ours.width !== scene.size || ours.height !== scene.size) {
    throw new Error(`The picture is ${ours.width} × ${ours.height}.`);
  }
  stage ??= await ThreeStage.create(scene.size);
  return {
    ours: await encode(ours),
    stock: await encode(await stage.draw(scene, 'stock')),
    gltf: await encode(await stage.draw(scene, 'gltf')),
  };
}

/**
 * Draws a pose of a file with both engines. Returns both pictures, the number of nodes that both engines name, and the
 * largest distance between the two positions of a node. The unit of this distance is the camera's distance from its
 * target.
 */
async function drawPoses(
  file: string,
  clips: readonly PosedClip[],
): Promise<{ ours: string; three: string; size: number; shared: number; apart: number }> {
  const element = document.querySelector<HTMLElement>('#view')!;
  const bytes = Uint8Array.from(atob(file), (character) => character.charCodeAt(0)).buffer;
  const size = element.clientWidth;
  const ours = await poseWithFencepost(element, { bytes, clips, size });
  stage ??= await ThreeStage.create(size);
  const { picture, places } = await poseWithThree(stage.renderer, { bytes, clips, size }, ours.stand);
  const { position, target } = ours.stand;
  const distance = Math.hypot(...position.map((value, axis) => value - target[axis]!));
  const shared = [...ours.places].filter(([name]) => places.has(name));
  const apart = shared.map(([name, place]) => {
    return Math.hypot(...places.get(name)!.map((value, axis) => value - place[axis]!)) / distance;
  });
  return {
    ours: await encode(ours.picture),
    three: await encode(picture),
    size,
    shared: shared.length,
    apart: Math.max(0, ...apart),
  };
}

window.drawParity = drawParity;
window.drawPoses = drawPoses;
document.documentElement.dataset.loaded = 'true';
