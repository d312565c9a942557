import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// Meshes that are drawn from less when they are small, through the public API.

inEveryMode(
  'a mesh is drawn from the geometry that its size on the screen asks for, and instances each by their own',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 0, 4], fovY: Math.PI / 2 });
    const { boxGeometry } = fencepost;
    const colored = (size: number, color: readonly number[]) => {
      const { positions, normals, indices } = boxNumbers(size);
      const colors = Array.from({ length: 24 }, () => color).flat();
      return fencepost.geometry({ positions, normals, indices, colors });
    };
    function boxNumbers(size: number) {
      const box = boxGeometry({ size });
      const floats = new Float32Array(box.data, 0, 24 * 8);
      const pick = (first: number) =>
        Array.from(
          { length: 24 * 3 },
          (_, at) => floats[Math.floor(at / 3) * 8 + first + (at % 3)] as number,
        );
      return { positions: pick(0), normals: pick(3), indices: new Uint32Array(box.data, 24 * 32) };
    }
    // The sphere around a box of 2 m has a radius of 1.73 m: at a distance d it covers 1.73 / d of the height.
    const near = colored(2, [1, 0, 0, 1]);
    const middle = colored(2, [0, 1, 0, 1]);
    const far = colored(2, [0, 0, 1, 1]);
    const material = fencepost.unlitMaterial();
    const lods = [
      { geometry: near, screenSize: 0.4 },
      { geometry: middle, screenSize: 0.2 },
      { geometry: far, screenSize: 0.1 },
    ];
    const mesh = world.addMesh({ lods, material });
    const shown = async (): Promise<string> => {
      await engine.step(0);
      const [red = 0, green = 0, blue = 0] = kit.pixel(await engine.captureFrame(), 64, 64);
      return red > 128 ? 'near' : green > 128 ? 'middle' : blue > 128 ? 'far' : 'none';
    };
    const seen: unknown[] = [await shown()];
    for (const z of [6, 12, 30]) {
      camera.position.z = z;
      seen.push(await shown());
    }
    // As large again, and so as near.
    mesh.scale.set(5, 5, 5);
    seen.push(await shown(), world.raycast([0, 0, 30], [0, 0, -1])?.component === mesh.root);
    mesh.scale.set(1, 1, 1);
    mesh.root.lods = [{ geometry: far, screenSize: 0 }];
    seen.push(await shown());
    mesh.root.geometry = middle;
    seen.push(await shown(), mesh.root.lods);
    mesh.destroy();
    camera.position.z = 0;
    const many = world.addInstances({ lods, material, count: 2 });
    many.positions.set([0, 0, -6, 6, 0, -12]);
    many.touch();
    await engine.step(0);
    const frame = await engine.captureFrame();
    seen.push(kit.pixel(frame, 64, 64), kit.pixel(frame, 64 + 32, 64));
    const code = async (options: object) => (await kit.refusal(() => world.addMesh(options as never))).code;
    seen.push([
      await code({ lods: [] }),
      await code({ lods, geometry: near }),
      await code({ lods: [{ geometry: near }] }),
      await code({
        lods: [
          { geometry: near, screenSize: 0.1 },
          { geometry: far, screenSize: 0.2 },
        ],
      }),
      await code({ lods: [{ geometry: {}, screenSize: 1 }] }),
      await code({ lods: [{ geometry: near, screenSize: 0, size: 1 }] }),
    ]);
    return seen;
  },
  (seen) =>
    expect(seen).toEqual([
      'near',
      'middle',
      'far',
      'none',
      'middle',
      true,
      'far',
      'middle',
      null,
      [0, 255, 0, 255],
      [0, 0, 255, 255],
      [
        'option-invalid',
        'option-invalid',
        'option-out-of-range',
        'option-out-of-range',
        'option-invalid',
        'option-unknown',
      ],
    ]),
);
