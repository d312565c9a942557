/** The page of the parity test: draws one scene with this engine and with three.js, on request. */
import { drawWithFencepost } from '../parity/draw-with-fencepost.js';
import { ThreeStage } from '../parity/draw-with-three.js';
import type { Picture } from '../parity/scene.js';
import { PARITY_CASES } from '../parity/scenes.js';

declare global {
  interface Window {
    drawParity: typeof drawParity;
  }
}

let stage: ThreeStage | undefined;

/** RGBA8 as base64, a cheap way out of the page. */
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

window.drawParity = drawParity;
document.documentElement.dataset.loaded = 'true';
