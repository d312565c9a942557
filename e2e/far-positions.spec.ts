import { expect } from './fixtures.js';
import { inEveryMode, type Scene } from './in-every-mode.js';

// Positions of 64 bits: a scene far from the world's origin looks and reads as it does at the origin.

interface Seen {
  readonly place: number;
  /** Whether `position.x` returned the written value, in each frame. */
  readonly isReadBack: boolean[];
  /** Number of pixels in each frame that differ from the same frame at the origin. */
  readonly differences: number[];
  readonly pictures: number;
  /** Numbers that do not depend on the place: positions relative to it, distances, rotations. */
  readonly relative: Record<string, number[]>;
  readonly label: string;
}

const scene: Scene = async (engine) => {
  const { boxGeometry, keyframes, orbit, orbitControls, standardMaterial } = window.fencepost;
  const { world } = engine;
  const geometry = boxGeometry({ size: 0.08 });
  const mesh = (baseColor: string) => ({ geometry, material: standardMaterial({ baseColor }) });
  const camera = world.addCamera({ position: [0.3, 0.3, 0.9], fovY: 0.6, near: 0.01, far: 50 });
  const controls = orbitControls(engine, camera);
  const light = world.addPointLight({ intensity: 2 });
  const walker = world.addMesh(mesh('#ff7a1a'));
  world.addMesh({ ...mesh('#48f'), position: [0, 0.1, 0], scale: 0.5 }).attachTo(walker);
  const trees = world.addInstances({ ...mesh('#2a8'), count: 2 });
  trees.positions.set([-0.15, 0, 0, 0.15, 0, 0]);
  trees.touch();
  const moon = world.addMesh({ ...mesh('#fff'), scale: 0.5 });
  const lift = world.addMesh({ ...mesh('#d4d'), scale: 0.5 });
  const sign = world.addMesh({ ...mesh('#ff4'), scale: 0.5 });
  const label = document.createElement('div');
  engine.attachElement(label, walker);
  const atOrigin: Uint8ClampedArray[] = [];
  const all: Seen[] = [];
  for (const place of [0, 500_736, 500_000, 6_400_000]) {
    controls.target = [place, 0, 0];
    light.position.set(place + 0.3, 0.5, 0.5);
    trees.position.x = place;
    moon.position = [place, 0, 0.2];
    moon.motion = orbit({ center: [place, 0, 0], radiansPerSecond: 1 });
    lift.motion = keyframes({
      times: [0, 1],
      positions: [
        [place, -0.1, 0],
        [place + 0.2, -0.1, 0],
      ],
    });
    sign.position.set(place - 0.1, 0.1, 0);
    sign.lookAt(place, 0.2, 0.1);
    const isReadBack: boolean[] = [];
    const differences: number[] = [];
    // On the grid of the render origin, 1,024 m, the GPU gets the same numbers as at the world's origin. Elsewhere they are
    // rounded to 32 microns, which changes shades a little, and moves single pixels of edges.
    const most = place % 1024 === 0 ? 0 : 4;
    const pictures = new Set<string>();
    for (let frame = 0; frame < 4; frame++) {
      const x = place + 0.02 * frame;
      walker.position.x = x;
      isReadBack.push(walker.position.x === x);
      await engine.step(0.1);
      const { data } = await engine.captureFrame();
      atOrigin[frame] ??= data;
      const before = atOrigin[frame];
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (
          [0, 1, 2].some(
            (channel) => Math.abs((data[at + channel] ?? 0) - (before?.[at + channel] ?? 0)) > most,
          )
        )
          count++;
      }
      differences.push(count);
      pictures.add(window.kit.hash(data));
    }
    const from = ([x = 0, y = 0, z = 0]: Iterable<number>): number[] => [x - place, y, z];
    const hit = world.raycast([place + 0.07, 0.01, 1], [0, 0, -1]);
    const seen = camera.root.project(walker.worldPosition);
    const picked = await engine.pick(seen?.x ?? 0, seen?.y ?? 0);
    const { min, max } = walker.bounds;
    const ray = camera.root.ray(64, 64);
    all.push({
      place,
      isReadBack,
      differences,
      pictures: pictures.size,
      relative: {
        camera: from(camera.position),
        seen: [seen?.x ?? 0, seen?.y ?? 0, seen?.depth ?? 0],
        ray: [...from(ray.origin), ...ray.direction],
        hit: hit ? [...from(hit.position), hit.distance] : [],
        picked: picked ? [...from(picked.position), picked.distance] : [],
        bounds: [...from(min), ...from(max)],
        moon: from(moon.position),
        lift: from(lift.position),
        sign: [...sign.rotation],
        world: from(walker.worldPosition),
      },
      label: label.style.transform,
    });
    moon.motion = null;
    lift.motion = null;
  }
  controls.dispose();
  return all;
};

inEveryMode('G3 R1: steps of 2 cm look the same at 0, 500 and 6,400 km', scene, (result) => {
  const all = result as Seen[];
  console.log(JSON.stringify(all.map(({ differences }) => differences)));
  const [origin] = all;
  expect(all).toHaveLength(4);
  for (const seen of all) {
    expect(seen.isReadBack).toEqual([true, true, true, true]);
    expect(seen.pictures).toBe(4);
    expect(seen.label).toBe(origin!.label);
    const most = seen.place % 1024 === 0 ? 0 : 20;
    for (const count of seen.differences) expect(count, `${seen.place}`).toBeLessThanOrEqual(most);
    for (const [name, numbers] of Object.entries(origin!.relative)) {
      expect(numbers.length, name).toBeGreaterThan(2);
      numbers.forEach((number, index) => {
        const digits = name === 'picked' ? 3 : 6;
        expect(seen.relative[name]![index], `${name} at ${seen.place}`).toBeCloseTo(number, digits);
      });
    }
  }
});
