/** The page of the reference pictures. It draws a scene by its name. */

import { REFERENCE_SCENES } from '../reference/scenes.js';
import { createPatientEngine } from './patient-engine.js';

declare global {
  interface Window {
    readonly referenceNames: readonly string[];
    drawReference: typeof drawReference;
  }
}

export interface DrawnReference {
  readonly width: number;
  readonly height: number;
  /** The picture's RGBA8 bytes as base64, which is cheap to pass to the test. */
  readonly data: string;
  /** A capture of all commands of the scene, as base64, or an empty string if not requested. */
  readonly capture: string;
  readonly errors: readonly string[];
}

/** Draws a scene. @param captured also captures it with this renderer, for other adapters */
async function drawReference(name: string, captured?: 'forward' | 'deferred'): Promise<DrawnReference> {
  const scene = REFERENCE_SCENES[name];
  if (!scene) throw new Error(`There is no scene "${name}".`);
  // A software adapter may need seconds for an environment, so this engine's watchdog is patient.
  const look = { background: '#1b2634', antialias: false, pixelRatio: 1 } as const;
  const engine = await createPatientEngine(document.querySelector<HTMLElement>('#view')!, {
    ...look,
    ...scene.options,
    ...(captured && { renderer: captured }),
  });
  const errors: string[] = [];
  engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
  if (captured) {
    await engine.step(0);
    await engine.startCapture();
  }
  await scene.build(engine);
  await engine.whenReady();
  await engine.step(0);
  const { width, height, data } = await engine.captureFrame();
  const capture = captured ? base64(new Uint8Array(await engine.stopCapture())) : '';
  await engine.dispose();
  return { width, height, data: base64(data), capture, errors };
}

function base64(bytes: Uint8Array | Uint8ClampedArray): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

Object.assign(window, { referenceNames: Object.keys(REFERENCE_SCENES), drawReference });
document.documentElement.dataset.loaded = 'true';
