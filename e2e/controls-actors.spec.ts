import type { Actor, Engine, MeshComponent, OrbitControls, TransformGizmo } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** The objects of the page that the functions below work with. */
interface Held {
  engine: Engine;
  orbit: OrbitControls;
  gizmo: TransformGizmo;
  box: Actor<MeshComponent>;
  heard: string[];
}

test('the user drags an actor, or the handles of a gizmo on it; elsewhere the camera turns', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { threading: 'render', antialias: false });
    const { world } = engine;
    const material = fencepost.unlitMaterial({ baseColor: '#888' });
    const box = world.addMesh({ geometry: fencepost.boxGeometry(), material, name: 'box' });
    // The front of the box is 4.5 m away, where the picture is 4 m high.
    const camera = world.addCamera({ position: [0, 0, 5], fovY: 2 * Math.atan(2 / 4.5) });
    const orbit = fencepost.orbitControls(engine, camera, { damping: 0 });
    const drags = fencepost.dragControls(engine, [box], { snap: 0.5 });
    const heard: string[] = [];
    box.addEventListener('click', () => heard.push('click'));
    for (const type of ['start', 'change', 'end'] as const) {
      drags.addEventListener(type, ({ detail }) => heard.push(`${type} ${detail.actor.name}`));
    }
    await engine.whenReady();
    await engine.step(0);
    Object.assign(window, { engine, orbit, box, heard });
  });
  const look = () =>
    page.evaluate(async () => {
      const { engine, box, orbit, heard } = window as unknown as Held;
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      const colorAt = (x: number, y: number): string => {
        const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
        return data.slice(at, at + 3).join();
      };
      const turn = Math.round(orbit.azimuth * 100) / 100;
      return {
        position: [...box.position],
        turn,
        heard: [...new Set(heard.splice(0))],
        middle: colorAt(0.5, 0.5),
        right: colorAt(0.75, 0.5),
      };
    });
  const drag = async (x: number, y: number, right: number) => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + right, y, { steps: 4 });
    await page.mouse.up();
  };

  // The picture has 128 pixels for 4 m: 34 pixels are 1.06 m, which the grid rounds to 1 m.
  await drag(64, 64, 34);
  expect(await look()).toEqual({
    position: [1, 0, 0],
    turn: 0,
    heard: ['start box', 'change box', 'end box'],
    middle: '0,0,0',
    right: '136,136,136',
  });
  await drag(20, 20, 32);
  expect(await look()).toMatchObject({ position: [1, 0, 0], turn: -1.57, heard: [] });

  await page.evaluate(async () => {
    const { fencepost } = window;
    const { engine, orbit, box, heard } = window as unknown as Held;
    orbit.azimuth = 0;
    box.position = [0, 0, 0];
    // A wall before the gizmo does not hide it.
    const material = fencepost.unlitMaterial({ baseColor: '#040' });
    const geometry = fencepost.boxGeometry({ size: [4, 1, 0.1] });
    engine.world.addMesh({ geometry, material, position: [0, 0, 1], name: 'wall' });
    const gizmo = fencepost.transformGizmo(engine, box, { size: 0.25, snap: { translate: 0.25 } });
    for (const type of ['start', 'change', 'end'] as const) {
      gizmo.addEventListener(type, ({ detail }) => heard.push(`gizmo ${type} ${detail.actor.name}`));
    }
    Object.assign(window, { gizmo });
    await engine.step(0);
  });
  /** Returns the names of the colours around points of the picture, and of the actor that a pick finds at the first. */
  const colors = (points: readonly (readonly [number, number])[]) =>
    page.evaluate(async (points) => {
      const { engine } = window as unknown as Held;
      const [[x = 0, y = 0] = []] = points;
      const picking = engine.pick(x, y);
      await engine.step(0);
      const { data, width } = await engine.captureFrame();
      const nameAt = (x: number, y: number): string => {
        const [red = 0, green = 0, blue = 0] = data.slice((y * width + x) * 4);
        if (red > 200 && green > 200) return 'yellow';
        return red > 200 ? 'red' : green > 150 ? 'green' : blue > 200 ? 'blue' : '';
      };
      // Lines are about one pixel wide, so the neighbours count as well.
      const names = points.map(([x, y]) => {
        const around = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => nameAt(x + right, y + down)));
        return around.find((name) => name !== '') ?? 'none';
      });
      return [...names, (await picking)?.actor.name];
    }, points);
  // An arrow is a quarter of the picture, 32 pixels, long. The arrow along Z points at the viewer, so it is hidden.
  await page.mouse.move(10, 10);
  expect(
    await colors([
      [84, 64],
      [64, 44],
      [64, 64],
      [40, 64],
    ]),
  ).toEqual(['red', 'green', 'none', 'none', 'wall']);
  await page.mouse.move(84, 64);
  expect(
    await colors([
      [84, 64],
      [64, 44],
    ]),
  ).toEqual(['yellow', 'green', 'wall']);
  await drag(84, 64, 9);
  // The box is 5 m away, where the picture is 4.44 m high: 9 pixels are 0.31 m, which the steps round to 0.25 m.
  expect(await look()).toMatchObject({
    position: [0.25, 0, 0],
    turn: 0,
    heard: ['gizmo start box', 'gizmo change box', 'gizmo end box'],
  });
  await page.evaluate(() => {
    (window as unknown as Held).gizmo.mode = 'rotate';
  });
  await page.mouse.move(10, 10);
  expect(
    await colors([
      [98, 54],
      [71, 80],
    ]),
  ).toEqual(['blue', 'red', 'wall']);
  const leaks = await page.evaluate(async () => (await (window as unknown as Held).engine.dispose()).leaks);
  expect(leaks).toEqual([]);
});
