/** The page of `khronos.spec.ts`. It draws a file with this engine, the Khronos sample renderer and three.js. */
import { FencepostStage } from '../khronos/draw-with-fencepost.js';
import { KhronosStage } from '../khronos/draw-with-khronos.js';
import { ThreeStage } from '../khronos/draw-with-three.js';
import type { Shot } from '../khronos/shot.js';
import type { Picture } from '../parity/scene.js';

declare global {
  interface Window {
    drawShot: typeof drawShot;
  }
}

/** Returns the picture's RGBA8 bytes as base64, which is cheap to pass to the test. */
function encode({ data }: Picture): string {
  let text = '';
  for (const byte of data) text += String.fromCharCode(byte);
  return btoa(text);
}

let fencepostStage: FencepostStage | undefined;
let khronosStage: KhronosStage | undefined;
let threeStage: ThreeStage | undefined;

async function drawShot(
  shot: Shot,
  others: readonly ('khronos' | 'three')[],
): Promise<{ size: number; ours: string; khronos?: string; three?: string }> {
  const element = document.querySelector<HTMLElement>('#view')!;
  const size = element.clientWidth;
  fencepostStage ??= new FencepostStage(element);
  const { picture, stand } = await fencepostStage.draw(shot);
  const drawn: Awaited<ReturnType<typeof drawShot>> = { size, ours: encode(picture) };
  if (others.includes('khronos')) {
    khronosStage ??= new KhronosStage(size);
    drawn.khronos = encode(await khronosStage.draw(shot, stand));
  }
  if (others.includes('three')) {
    threeStage ??= new ThreeStage(size);
    drawn.three = encode(await threeStage.draw(shot, stand));
  }
  return drawn;
}

Object.assign(window, { drawShot });
document.documentElement.dataset.loaded = 'true';
