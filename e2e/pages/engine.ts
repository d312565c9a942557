/**
 * The page that most end-to-end tests use. It provides the public API as `window.fencepost` and helpers as
 * `window.kit`, so that a test can write its scene in `page.evaluate`. Its `createEngine` gives the watchdog
 * limits of minutes. A test of the watchdog passes its own limits.
 */
import * as fencepost from 'fencepost';
import { colorFontBytes } from '../../scripts/test-assets/color-font.mjs';
import { ktx2Bytes } from '../../scripts/test-assets/ktx2-bytes.mjs';
import { createPatientEngine } from './patient-engine.js';

declare global {
  interface Window {
    fencepost: typeof fencepost;
    kit: typeof kit;
  }
}

/** Returns the FNV-1a hash of bytes as 8 hexadecimal digits. Tests compare pictures by this hash. */
function hash(bytes: Uint8ClampedArray | Uint8Array): string {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, '0');
}

const kit = {
  hash,
  /** Creates an engine with the original `createEngine`, for tests of a page without options. */
  createBareEngine: (target: HTMLElement): Promise<fencepost.Engine> => fencepost.createEngine(target),
  /** Decodes the bytes that a test passes as base64. */
  bytes: (base64: string): ArrayBuffer =>
    Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer,
  /** Adds the font of `color-font.mjs` to the page. */
  async addColorFont(family: string): Promise<void> {
    document.fonts.add(await new FontFace(family, colorFontBytes()).load());
  },
  /**
   * Draws a text with the page's canvas and with the engine, in pictures of the same size. The text begins 10
   * pixels from the left, with its baseline 40 pixels from the top.
   */
  async bothTexts(
    text: string,
    size: number,
    ink: string,
    paper: string,
    font = 'sans-serif',
  ): Promise<[ImageData, ImageData]> {
    const [width, height] = [240, 60];
    kit.view.style.cssText = `width:${width}px;height:${height}px`;
    const engine = await fencepost.createEngine(kit.view, { background: paper, pixelRatio: 1 });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: height / 2 } });
    await world.addText({
      ...{ text, size, font },
      color: ink,
      anchor: [0, 0.25],
      position: [10 - width / 2, height / 2 - 40, 0],
    });
    await engine.step(0);
    const { data } = await engine.captureFrame();
    await engine.dispose();
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
    context.fillStyle = paper;
    context.fillRect(0, 0, width, height);
    context.fillStyle = ink;
    context.font = `${size}px ${font}`;
    // Letters are placed as in larger type, which is what the engine scales down. By default, some platforms place them
    // on whole pixels.
    context.textRendering = 'geometricPrecision';
    context.direction = /[\u0590-\u06ff]/.test(text[0] ?? '') ? 'rtl' : 'ltr';
    context.textAlign = 'left';
    context.fillText(text, 10, 40);
    return [
      context.getImageData(0, 0, width, height),
      new ImageData(new Uint8ClampedArray(data), width, height),
    ];
  },
  /**
   * Returns a KTX2 file with one mip level.
   * @param format Vulkan's number of the format
   * @param faces 6 for a cube; 1 for an image twice as wide as high
   */
  ktx2(format: number, width: number, faces: 1 | 6, level: ArrayBufferView<ArrayBuffer>): ArrayBuffer {
    const height = faces === 6 ? width : width / 2;
    const { buffer, byteOffset, byteLength } = level;
    return ktx2Bytes({
      format,
      width,
      height,
      faces,
      levels: [new Uint8Array(buffer, byteOffset, byteLength)],
    }).buffer;
  },
  /** Replays a capture on a new device. Returns its last picture, the number of frames and the errors. */
  async replayed(file: ArrayBuffer): Promise<{ picture: string | null; frames: number; errors: string[] }> {
    const rhiModule = '/dist/rhi.js';
    const { openDevice, replay } = (await import(rhiModule)) as typeof import('fencepost/rhi');
    const { device } = await openDevice(navigator.gpu);
    const { picture, frames, errors } = await replay(file, device);
    device.destroy();
    return { picture: picture && hash(picture.data), frames, errors: errors.map(String) };
  },
  /** The element in which engines are created, 128 × 128 CSS pixels. */
  get view(): HTMLElement {
    return document.querySelector<HTMLElement>('#view')!;
  },
  /** Returns the RGBA values of a pixel. Row 0 is at the top. */
  pixel(frame: { width: number; data: Uint8ClampedArray }, x: number, y: number): number[] {
    return [...frame.data.slice((y * frame.width + x) * 4, (y * frame.width + x) * 4 + 4)];
  },
  /** Adds a scene with several kinds of objects, small enough for many frames. */
  addScene({ world }: fencepost.Engine): fencepost.Actor {
    const { boxGeometry, sphereGeometry, standardMaterial } = fencepost;
    world.addCamera({ position: [2, 1.5, 3], lookAt: [0, 0, 0] });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    world.addPointLight({ position: [1, 1, 2], color: '#4af', intensity: 20 });
    world.addMesh({
      geometry: sphereGeometry({ radius: 0.5, segments: 12 }),
      material: standardMaterial({ baseColor: '#2a8', metallic: 0.5 }),
      position: [-1, 0.5, 0],
    });
    const material = standardMaterial({ baseColor: '#ff7a1a' });
    const cube = world.addMesh({ geometry: boxGeometry(), material });
    world.addMesh({ geometry: boxGeometry({ size: 0.4 }), material, position: [0, 1, 0] }).attachTo(cube);
    return cube;
  },
  /** Returns the hash of the canvas's picture. */
  async picture(engine: fencepost.Engine): Promise<string> {
    return hash((await engine.captureFrame()).data);
  },
  /** Returns a list that receives the engine's later events, with their name and main detail. */
  listen(engine: fencepost.Engine): string[] {
    const events: string[] = [];
    engine.addEventListener('error', ({ detail }) => events.push(`error ${detail.code}`));
    engine.addEventListener('devicelost', ({ detail }) => events.push(`devicelost ${detail.reason}`));
    engine.addEventListener('devicerestored', () => events.push('devicerestored'));
    engine.addEventListener('threadrestarted', ({ detail }) =>
      events.push(`threadrestarted ${detail.thread}`),
    );
    engine.addEventListener('surfacechange', () => events.push('surfacechange'));
    return events;
  },
  /** Returns the error with which the threads of a new engine fail to start. Throws if they start. */
  async startRefusal(
    options: fencepost.EngineOptions = {},
  ): Promise<{ name: string; code: string; message: string }> {
    return kit.refusal(async () => {
      const engine = await fencepost.createEngine(kit.view, options);
      engine.addEventListener('error', () => {});
      try {
        await engine.whenReady();
      } finally {
        await engine.dispose();
      }
    });
  },
  /** Runs `action` and returns its error as plain data. Throws if there was none. */
  async refusal(action: () => unknown): Promise<{ name: string; code: string; message: string }> {
    try {
      await action();
    } catch (error) {
      const { name, code, message } = error as { name: string; code: string; message: string };
      return { name, code, message };
    }
    throw new Error('The action was expected to fail, and did not.');
  },
};

window.fencepost = { ...fencepost, createEngine: createPatientEngine };
window.kit = kit;
document.documentElement.dataset.loaded = 'true';
