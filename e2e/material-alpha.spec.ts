import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

inEveryMode(
  'a base colour that gets alpha later makes its material blend; opaque materials of files ignore alpha',
  async (engine) => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    const behind = unlitMaterial({ baseColor: '#00f' });
    world.addMesh({ geometry: planeGeometry({ size: 2 }), material: behind, position: [0, 0, -1] });
    const material = unlitMaterial({ baseColor: '#f00' });
    world.addMesh({ geometry: planeGeometry({ size: 2 }), material });
    const middle = async () => {
      await engine.step(0);
      return window.kit
        .pixel(await engine.captureFrame(), 64, 64)
        .slice(0, 3)
        .join();
    };
    const seen = [await middle()];
    material.baseColor = [1, 0, 0, 0];
    seen.push(await middle());
    material.baseColor = [0, 1, 0];
    seen.push(await middle());

    const positions = new Uint8Array(new Float32Array([-4, -4, 0.5, 4, -4, 0.5, 0, 8, 0.5]).buffer);
    const uri = `data:application/octet-stream;base64,${btoa(String.fromCharCode(...positions))}`;
    const file = {
      asset: { version: '2.0' },
      extensionsUsed: ['KHR_materials_unlit'],
      buffers: [{ byteLength: 36, uri }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [-4, -4, 0.5], max: [4, 8, 0.5] },
      ],
      materials: [
        {
          pbrMetallicRoughness: { baseColorFactor: [1, 1, 0, 0] },
          extensions: { KHR_materials_unlit: {} },
        },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
    };
    await world.load(new TextEncoder().encode(JSON.stringify(file)).buffer);
    seen.push(await middle());
    return seen;
  },
  (seen) => expect(seen).toEqual(['255,0,0', '0,0,255', '0,255,0', '255,255,0']),
);
