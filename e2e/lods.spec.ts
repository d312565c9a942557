import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

/** Returns the expected shares of the levels' pixels, within a twentieth. */
function shares(expected: Partial<Record<'near' | 'middle' | 'far' | 'none', number>>, isPicked = true) {
  const all = Object.entries({ near: 0, middle: 0, far: 0, none: 0, ...expected });
  return { ...Object.fromEntries(all.map(([name, share]) => [name, expect.closeTo(share, 1)])), isPicked };
}

// Meshes with levels of detail by their size on the screen, through the public API.

inEveryMode(
  'a mesh uses the level of detail for its size on the screen, and each instance its own level',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 0, 3.5], fovY: Math.PI / 2 });
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
    // The bounding sphere of a box of 2 m has a radius of 1.73 m. At a distance d it covers 1.73 / d of the
    // height.
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
    // Five times as large, the mesh uses the middle level at 30 m.
    mesh.scale.set(5, 5, 5);
    seen.push(await shown(), world.raycast([0, 0, 30], [0, 0, -1])?.component === mesh.root);
    mesh.scale.set(1, 1, 1);
    // Returns the levels' shares of the middle pixels during a fade, and whether a pick there finds the mesh.
    const shares = async (z: number) => {
      camera.position.z = z;
      await engine.step(0);
      const frame = await engine.captureFrame();
      const counts = { near: 0, middle: 0, far: 0, none: 0 };
      const half = z > 10 ? 2 : 8;
      for (let at = 0; at < (2 * half) ** 2; at++) {
        const column = 64 - half + (at % (2 * half));
        const [red = 0, green = 0, blue = 0] = kit.pixel(
          frame,
          column,
          64 - half + Math.floor(at / (2 * half)),
        );
        counts[red > 128 ? 'near' : green > 128 ? 'middle' : blue > 128 ? 'far' : 'none'] +=
          1 / (2 * half) ** 2;
      }
      const found = await engine.pick(64, 64);
      return { ...counts, isPicked: found?.component === mesh.root };
    };
    const fades = [await shares(4.2), await shares(4), await shares(3.85), await shares(16)];
    // The game's new mesh takes the primitive id that the renderer had used for the fade.
    camera.position.z = 4;
    await engine.step(0);
    const other = world.addMesh({ geometry: far, material, position: [100, 0, 0] });
    fades.push(await shares(4));
    // A change of a mesh during its fade shows on both levels.
    mesh.root.material = fencepost.unlitMaterial({ baseColor: [0, 0, 0] });
    fades.push(await shares(4));
    mesh.root.material = material;
    mesh.root.visible = false;
    fades.push(await shares(4));
    mesh.root.visible = true;
    other.destroy();
    seen.push(fades);
    camera.position.z = 30;
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
    // The picture that is compared between modes includes a fading mesh.
    world.addMesh({ lods, material, position: [-1, 0, -4] });
    await engine.step(0);
    return seen;
  },
  (seen) => {
    expect(seen).toEqual([
      'near',
      'middle',
      'far',
      'none',
      'middle',
      true,
      // The finer level's share falls from 1 at 0.46 of the height to 0 at 0.4, in 64 steps.
      [
        shares({ near: 0.2, middle: 0.8 }),
        shares({ near: 0.55, middle: 0.45 }),
        shares({ near: 0.83, middle: 0.17 }),
        shares({ far: 0.5, none: 0.5 }),
        shares({ near: 0.55, middle: 0.45 }),
        shares({ none: 1 }),
        shares({ none: 1 }, false),
      ],
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
    ]);
  },
);

test('the shadow of a fading mesh has the same density as its picture', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false, validation: true });
    const { world } = engine;
    const material = fencepost.standardMaterial({ roughness: 1 });
    const camera = world.addCamera({ position: [0, 0, 4], fovY: Math.PI / 2 });
    world.addDirectionalLight({ direction: [-1, 0, -1], intensity: 2, castShadow: { mapSize: 256 } });
    world.addMesh({ geometry: fencepost.planeGeometry({ size: 40 }), material, position: [0, 0, -2] });
    // The shadow falls 3 m to the left of the mesh, on the plane behind it.
    const caster = fencepost.boxGeometry({ size: 2 });
    const mesh = world.addMesh({
      lods: [{ geometry: caster, screenSize: 0 }],
      material,
      position: [0, 0, 1],
    });
    await engine.whenReady();
    const shadow = async (screenSize: number) => {
      mesh.root.lods = [{ geometry: caster, screenSize }];
      await engine.step(0);
      const frame = await engine.captureFrame();
      let sum = 0;
      for (let at = 0; at < 64; at++) sum += kit.pixel(frame, 16 + (at & 7), 60 + (at >> 3))[0] ?? 0;
      return Math.round(sum / 64);
    };
    const whole = await shadow(0);
    // The bounding sphere covers 0.58 of the height, as the camera sees it.
    const size = Math.sqrt(3) / (camera.position.z - 1);
    const fading = [await shadow(size / 1.11), await shadow(size / 1.075), await shadow(size / 1.04)];
    const gone = await shadow(size * 1.01);
    await engine.dispose();
    return { whole, fading, gone };
  });
  const { whole, fading, gone } = seen;
  console.log(`shadow ${whole}, fading ${fading.join(', ')}, no shadow ${gone}`);
  expect(whole).toBe(0);
  expect(gone).toBeGreaterThan(100);
  expect([whole, ...fading, gone]).toEqual([whole, ...fading, gone].sort((a, b) => a - b));
  expect(fading[0]).toBeGreaterThan(whole + 10);
  expect(fading[2]).toBeLessThan(gone - 10);
});
