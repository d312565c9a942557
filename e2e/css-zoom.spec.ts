import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// CSS `zoom` on the canvas, on its container, or on both. Zoom scales the positions of pointer events, but
// not the sizes that `clientWidth` and `clientHeight` report.

const ZOOMS = [
  { around: 1, own: 1 },
  { around: 1.5, own: 1 },
  { around: 1, own: 1.5 },
  { around: 1.5, own: 2 },
];

for (const { around, own } of ZOOMS) {
  test(`clicks, picks, rays and labels match the picture: zoom ${own} of the canvas, ${around} around it`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const at = await page.evaluate(
      async ([around, own]) => {
        const { fencepost, kit } = window;
        kit.view.style.cssText = `zoom: ${around}; position: relative; width: 160px; height: 100px; padding: 3px`;
        kit.view.innerHTML = `<canvas style="display: block; zoom: ${own}; width: 160px; height: 100px; border: 2px solid"></canvas>`;
        const canvas = kit.view.firstElementChild as HTMLCanvasElement;
        const engine = await fencepost.createEngine(canvas, { antialias: false });
        const { world } = engine;
        // A metre is ten pixels of the canvas.
        const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 5 } });
        const box = world.addMesh({
          geometry: fencepost.boxGeometry(),
          position: [4, 2, 0],
          name: 'box',
        });
        await world.addPoints({ positions: [-4, -2, 0], size: 10, name: 'point' });
        const label = document.createElement('div');
        label.style.cssText = 'width: 4px; height: 4px; background: red; pointer-events: none';
        engine.attachElement(label, box);
        const heard: unknown[] = [];
        const nameOf = (hit: { actor: { name: string } } | null) => hit?.actor.name ?? null;
        canvas.addEventListener('click', async ({ offsetX, offsetY }) => {
          const scale = around * own;
          const { origin, direction } = camera.root.ray(offsetX, offsetY);
          const projected = camera.root.project([4, 2, 0]);
          const dot = camera.root.project([-4, -2, 0]);
          const rectangle = await engine.pickRectangle(offsetX - 2, offsetY - 2, 4, 4);
          heard.push({
            pick: nameOf(await engine.pick(offsetX, offsetY)),
            rectangle: rectangle.map(nameOf),
            ray: nameOf(world.raycast(origin, direction)),
            // The dot is ten canvas pixels wide. It is picked inside its edge and not outside.
            point: await Promise.all(
              [4, 6].map(async (pixels) =>
                nameOf(await engine.pick((dot?.x ?? 0) + pixels * scale, dot?.y ?? 0)),
              ),
            ),
            isProjected: Math.hypot((projected?.x ?? 0) - offsetX, (projected?.y ?? 0) - offsetY) <= 1,
          });
        });
        const clicked: string[] = [];
        box.addEventListener('click', ({ target }) => clicked.push(target.name));
        await engine.step(0);
        await engine.whenReady();
        Object.assign(window, { heard, clicked, engine });
        const { left, top, width, height } = canvas.getBoundingClientRect();
        const border = 2 * around * own;
        const seen = label.getBoundingClientRect();
        const place = {
          x: left + border + (width - 2 * border) * (0.5 + 4 / 16),
          y: top + border + (height - 2 * border) * (0.5 - 2 / 10),
        };
        return {
          ...place,
          labelOff: Math.hypot(seen.left + seen.width / 2 - place.x, seen.top + seen.height / 2 - place.y),
        };
      },
      [around, own] as const,
    );
    await page.mouse.click(at.x, at.y);
    const result = await page.evaluate(async () => {
      const { clicked, heard, engine } = window as unknown as {
        clicked: string[];
        heard: unknown[];
        engine: { step(seconds: number): Promise<void> };
      };
      // The click listener's picks come after the engine's own pick for the actor's click event. Each pick
      // needs a frame, so step until the results have arrived.
      while (heard.length === 0) await engine.step(0);
      return { clicked, heard: heard[0] };
    });
    expect(result).toEqual({
      clicked: ['box'],
      heard: { pick: 'box', rectangle: ['box'], ray: 'box', point: ['point', null], isProjected: true },
    });
    // `offsetLeft` and `offsetTop` round the canvas's position to whole pixels, and zoom enlarges the rounding error.
    expect(at.labelOff).toBeLessThan(0.5 + Math.SQRT1_2 * around * own);
  });

  test(`a drag turns the camera as far as it does without zoom: zoom ${own} of the canvas, ${around} around it`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const box = await page.evaluate(
      async ([around, own]) => {
        const { fencepost, kit } = window;
        kit.view.style.cssText = `zoom: ${around}; width: 160px; height: 100px`;
        kit.view.innerHTML = `<canvas style="display: block; zoom: ${own}; width: 160px; height: 100px"></canvas>`;
        const canvas = kit.view.firstElementChild as HTMLCanvasElement;
        const engine = await fencepost.createEngine(canvas, { backend: 'null' });
        const camera = engine.world.addCamera({ position: [0, 0, 10] });
        const controls = fencepost.orbitControls(engine, camera);
        await engine.step(0);
        Object.assign(window, { controls });
        const { left, top, width, height } = canvas.getBoundingClientRect();
        return { left, top, width, height };
      },
      [around, own] as const,
    );
    await page.mouse.move(box.left + box.width / 2, box.top + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.left + box.width / 2 + box.height / 4, box.top + box.height / 2);
    await page.mouse.up();
    const azimuth = await page.evaluate(
      () => (window as unknown as { controls: { azimuth: number } }).controls.azimuth,
    );
    // The drag is a quarter of the canvas's height. The full height would be a turn of 360 degrees.
    expect(azimuth).toBeCloseTo(-Math.PI / 2, 1);
  });
}
