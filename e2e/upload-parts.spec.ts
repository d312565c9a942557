/**
 * While the engine runs, a loaded file is uploaded in parts, so that no frame takes long. While the engine does
 * not run, the next frame uploads the whole file. The pictures are the same.
 */
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

const kB = 1000;

declare global {
  interface Window {
    uploadParts: ReturnType<typeof createFiles>;
  }
}

/** Returns helpers that run in the page. */
function createFiles() {
  /** Returns a `.glb` of visible meshes with 4,000 small triangles (288 kB) each. */
  function file(meshes: number): ArrayBuffer {
    const vertices = 12_000;
    const bytes = vertices * 12;
    const floats = new Float32Array(vertices * 3 * meshes);
    for (let vertex = 0; vertex < vertices * meshes; vertex++) {
      const triangle = Math.floor(vertex / 3);
      const corner = vertex % 3;
      const [x, y] = [Math.cos(triangle * 2.4) * 0.9, Math.sin(triangle * 1.7) * 0.9];
      floats.set(
        [x + (corner === 1 ? 0.02 : 0), y + (corner === 2 ? 0.02 : 0), (triangle % 7) * 0.1],
        vertex * 3,
      );
    }
    const indices = [...Array(meshes).keys()];
    const json = JSON.stringify({
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: indices }],
      nodes: indices.map((mesh) => ({ mesh })),
      meshes: indices.map((accessor) => ({ primitives: [{ attributes: { POSITION: accessor } }] })),
      accessors: indices.map((bufferView) => ({
        bufferView,
        componentType: 5126,
        type: 'VEC3',
        count: vertices,
        min: [-1, -1, 0],
        max: [1, 1, 0.6],
      })),
      bufferViews: indices.map((at) => ({ buffer: 0, byteOffset: at * bytes, byteLength: bytes })),
      buffers: [{ byteLength: floats.byteLength }],
    });
    const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 4) * 4));
    const glb = new Uint8Array(28 + text.length + floats.byteLength);
    new Uint32Array(glb.buffer, 0, 5).set([0x46546c67, 2, glb.length, text.length, 0x4e4f534a]);
    glb.set(text, 20);
    new DataView(glb.buffer).setUint32(20 + text.length, floats.byteLength, true);
    new DataView(glb.buffer).setUint32(24 + text.length, 0x004e4942, true);
    glb.set(new Uint8Array(floats.buffer), 28 + text.length);
    return glb.buffer;
  }

  /** Loads a file. Returns the bytes uploaded by each frame that uploaded a part of it. */
  async function uploads(engine: Engine, options: object): Promise<number[]> {
    const frames = new Map<number, number>();
    const stop = engine.world.onTick(() => {
      const { frame, uploadBytes } = engine.stats();
      frames.set(frame, uploadBytes);
    });
    engine.start();
    await engine.whenReady();
    await engine.world.load(file(8), options);
    for (let more = 0; more < 12; more++) await new Promise(requestAnimationFrame);
    engine.stop();
    stop();
    return [...frames.values()].filter((bytes) => bytes > 100_000);
  }
  return { file, uploads };
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`a file is uploaded in parts while the engine runs, in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    await page.evaluate(`window.uploadParts = (${createFiles})()`);
    const results = await page.evaluate(async (modes) => {
      const { createEngine } = window.fencepost;
      const { file, uploads } = window.uploadParts;
      const results = [];
      for (const threading of modes) {
        const open = async () => {
          const engine = await createEngine(window.kit.view, { threading, background: '#123' });
          engine.world.addCamera({ position: [0, 0, 4] });
          engine.world.addDirectionalLight({});
          return engine;
        };
        const engine = await open();
        const frames = await uploads(engine, { uploadBytesPerFrame: 700_000 });
        await engine.step(0);
        const inParts = await window.kit.picture(engine);
        const { leaks } = await engine.dispose();

        const other = await open();
        await other.world.load(file(8));
        await other.step(0);
        const atOnce = other.stats().uploadBytes;
        const isSame = (await window.kit.picture(other)) === inParts;
        await other.dispose();
        results.push({ threading, frames, leaks, atOnce, isSame });
      }
      return results;
    }, modesOf(isolation));
    for (const { threading, frames, atOnce, ...rest } of results) {
      expect(rest, threading).toEqual({ leaks: [], isSame: true });
      // Each frame uploads two meshes. Frames whose statistics were not read in time are missing.
      expect(frames.length, threading).toBeGreaterThanOrEqual(2);
      expect(Math.max(...frames), threading).toBeLessThanOrEqual(720 * kB);
      expect(atOnce, threading).toBeGreaterThan(8 * 280 * kB);
    }
  });
}
