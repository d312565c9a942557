/**
 * The page that most end-to-end tests use: it puts the public API on `window.fencepost` and a few helpers on
 * `window.kit`, so that a test can write its scene in `page.evaluate`.
 */
import * as fencepost from 'fencepost';

declare global {
  interface Window {
    fencepost: typeof fencepost;
    kit: typeof kit;
  }
}

/** FNV-1a over bytes, as 8 hexadecimal digits: equal pictures have equal hashes. */
function hash(bytes: Uint8ClampedArray | Uint8Array): string {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, '0');
}

const kit = {
  hash,
  /** Bytes handed over by a test. */
  bytes: (base64: string): ArrayBuffer =>
    Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer,
  /** A KTX2 file of one level. @param format Vulkan's number @param faces 6: a cube; 1: twice as wide as high */
  ktx2(format: number, width: number, faces: 1 | 6, level: ArrayBufferView<ArrayBuffer>): ArrayBuffer {
    const bytes = new Uint8Array(104 + level.byteLength);
    bytes.set([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]);
    const view = new DataView(bytes.buffer);
    const height = faces === 6 ? width : width / 2;
    for (const [index, value] of [format, 2, width, height, 0, 0, faces, 1, 0].entries()) {
      view.setUint32(12 + index * 4, value, true);
    }
    view.setUint32(80, 104, true);
    view.setUint32(88, level.byteLength, true);
    bytes.set(new Uint8Array(level.buffer), 104);
    return bytes.buffer;
  },
  /** The element engines are created in: 128 × 128 CSS pixels. */
  get view(): HTMLElement {
    return document.querySelector<HTMLElement>('#view')!;
  },
  /** RGBA of a pixel, row 0 at the top. */
  pixel(frame: { width: number; data: Uint8ClampedArray }, x: number, y: number): number[] {
    return [...frame.data.slice((y * frame.width + x) * 4, (y * frame.width + x) * 4 + 4)];
  },
  /** A scene of several kinds of things; small enough for many frames. */
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
  /** Hash of what the canvas shows. */
  async picture(engine: fencepost.Engine): Promise<string> {
    return hash((await engine.captureFrame()).data);
  },
  /** Names of the events from now on, with what tells one from the other. */
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
  /** Runs `action` and returns what it threw, as plain data; fails when it did not throw. */
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

window.fencepost = fencepost;
window.kit = kit;
document.documentElement.dataset.loaded = 'true';
