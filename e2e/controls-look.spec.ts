import type { Actor, CameraComponent, Engine, LookControls } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** The objects of the page that the functions below work with. */
interface Held {
  engine: Engine;
  camera: Actor<CameraComponent>;
  controls: LookControls;
}

test('drags, keys, the wheel and a locked pointer move a flying and a walking camera of a stopped engine', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { threading: 'render', antialias: false });
    const { world } = engine;
    const geometry = fencepost.boxGeometry({ size: 2 });
    const material = fencepost.unlitMaterial({ baseColor: '#0f0' });
    world.addMesh({ geometry, material, position: [-6, 1, 6] });
    const camera = world.addCamera({ position: [0, 1, 6] });
    const controls = fencepost.flyControls(engine, camera, { damping: 0, speed: 4, lookSpeed: 2 * Math.PI });
    await engine.whenReady();
    Object.assign(window, { engine, camera, controls });
  });
  const placeOf = () =>
    page.evaluate(() => {
      const { camera, controls } = window as unknown as Held;
      const round = (value: number): number => Math.round(value * 1000) / 1000 + 0;
      return [...camera.position, controls.speed].map(round);
    });

  // The canvas has 128 pixels of height, so 32 pixels to the left are a quarter turn to the left.
  await page.mouse.move(80, 64);
  await page.mouse.down();
  await page.mouse.move(48, 64, { steps: 4 });
  await page.mouse.up();
  const turned = await page.evaluate(async () => {
    const { engine, camera } = window as unknown as Held;
    await engine.step(0.01);
    const { data, width, height } = await engine.captureFrame();
    const at = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 4;
    return { color: data.slice(at, at + 3).join(), y: camera.rotation.y };
  });
  expect(turned).toEqual({ color: '0,255,0', y: expect.closeTo(Math.SQRT1_2, 5) });

  // The drag has focused the canvas. Without ticks, a held key moves the camera in animation frames.
  await page.keyboard.down('KeyS');
  await expect.poll(async () => (await placeOf())[0]).toBeGreaterThan(0);
  // From the first step on, only steps move it.
  const stepped = await page.evaluate(async () => {
    const { engine, camera } = window as unknown as Held;
    await engine.step(0.001);
    const before = camera.position.x;
    await engine.step(0.5);
    return camera.position.x - before;
  });
  expect(stepped).toBeCloseTo(2, 5);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  const blurred = await placeOf();
  await page.evaluate(() => (window as unknown as Held).engine.step(1));
  expect(await placeOf()).toEqual(blurred);
  await page.keyboard.up('KeyS');

  await page.mouse.wheel(0, -1000 * Math.log(2));
  await expect.poll(async () => (await placeOf())[3]).toBeCloseTo(8, 2);

  await page.evaluate(() => {
    const { fencepost } = window;
    const held = window as unknown as Held;
    held.controls.dispose();
    held.camera.position = [0, 1, 6];
    held.camera.lookAt([0, 1, 0]);
    held.controls = fencepost.firstPersonControls(held.engine, held.camera, {
      damping: 0,
      pointerLock: true,
    });
  });
  const isLocked = () => page.evaluate(() => (window as unknown as Held).controls.isLocked);
  await page.mouse.click(64, 64);
  await expect.poll(isLocked).toBe(true);
  await page.mouse.move(84, 64, { steps: 4 });
  await expect
    .poll(() => page.evaluate(() => (window as unknown as Held).camera.rotation.y))
    .toBeLessThan(-0.05);
  const end = await page.evaluate(async () => {
    const { engine, controls } = window as unknown as Held;
    controls.isEnabled = false;
    const { canvas } = engine;
    const seen = [controls.isLocked, canvas.style.touchAction, canvas.tabIndex];
    return [...seen, (await engine.dispose()).leaks];
  });
  expect(end).toEqual([false, '', -1, []]);
});
