/** The page of the reference pictures: draws a scene by its name. */
import { createEngine } from 'fencepost';
import { REFERENCE_SCENES } from '../reference/scenes.js';

declare global {
  interface Window {
    readonly referenceNames: readonly string[];
    drawReference: typeof drawReference;
  }
}

export interface DrawnReference {
  readonly width: number;
  readonly height: number;
  /** RGBA8 as base64, a cheap way out of the page. */
  readonly data: string;
  readonly errors: readonly string[];
}

async function drawReference(name: string): Promise<DrawnReference> {
  const scene = REFERENCE_SCENES[name];
  if (!scene) throw new Error(`There is no scene "${name}".`);
  // A worker may wait for a software adapter that makes an environment: no clock decides what is drawn.
  const watchdog = { reportSeconds: 60, restartSeconds: 120 };
  const look = { background: '#1b2634', antialias: false, pixelRatio: 1, watchdog } as const;
  const engine = await createEngine(document.querySelector<HTMLElement>('#view')!, {
    ...look,
    ...scene.options,
  });
  const errors: string[] = [];
  engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
  await scene.build(engine);
  await engine.whenReady();
  await engine.step(0);
  const { width, height, data } = await engine.captureFrame();
  await engine.dispose();
  let text = '';
  for (const byte of data) text += String.fromCharCode(byte);
  return { width, height, data: btoa(text), errors };
}

Object.assign(window, { referenceNames: Object.keys(REFERENCE_SCENES), drawReference });
document.documentElement.dataset.loaded = 'true';
