import type { Actor, DragControls, Engine, MeshComponent, OrbitControls } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** The objects of the page that the functions below work with. */
interface Held {
  engine: Engine;
  orbit: OrbitControls;
  drags: DragControls;
  box: Actor<MeshComponent>;
  heard: string[];
}

test('the user drags an actor; elsewhere the camera turns', async ({ page, isolatedURL }) => {
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
    Object.assign(window, { engine, orbit, drags, box, heard });
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
  const leaks = await page.evaluate(async () => (await (window as unknown as Held).engine.dispose()).leaks);
  expect(leaks).toEqual([]);
});
