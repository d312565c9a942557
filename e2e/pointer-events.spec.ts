import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

// The actors that receive pointer events, and the frames that are drawn for them.

for (const isolated of [true, false]) {
  test(`a click reaches the actor that was under the pointer at that time, however fast it moves, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const heard = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const all: string[][] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const wall = world.addMesh({
          geometry: fencepost.boxGeometry({ size: 30 }),
          position: [0, 0, -20],
          name: 'wall',
        });
        const box = world.addMesh({ geometry: fencepost.boxGeometry({ size: 1 }), name: 'box' });
        const heard: string[] = [];
        const isClicked = new Promise<void>((resolve) => {
          for (const actor of [wall, box]) {
            for (const type of ['pointermove', 'pointerdown', 'pointerup', 'click'] as const) {
              actor.addEventListener(type, ({ target }) => {
                heard.push(`${type} ${target.name}`);
                if (type === 'click') resolve();
              });
            }
          }
        });
        await engine.whenReady();
        let frame = 0;
        // The box moves by 0.2 m per frame. It is under the pointer in five of a hundred frames.
        world.onTick(() => {
          frame++;
          box.position.x = ((frame % 100) - 50) * 0.2;
          if (frame !== 49) return;
          const { left, top } = engine.canvas.getBoundingClientRect();
          const at = { clientX: left + 64, clientY: top + 64, bubbles: true };
          for (const type of ['pointermove', 'pointerdown', 'pointerup'])
            engine.canvas.dispatchEvent(new PointerEvent(type, at));
          engine.canvas.dispatchEvent(new MouseEvent('click', at));
        });
        engine.start();
        await isClicked;
        await engine.dispose();
        all.push(heard);
      }
      return all;
    }, modesOf(isolated));
    const toBox = ['pointermove box', 'pointerdown box', 'pointerup box', 'click box'];
    expect(heard).toEqual(modesOf(isolated).map(() => toBox));
  });
}

test('events without listeners draw nothing, and events of one frame share one pick', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const box = world.addMesh({ geometry: fencepost.boxGeometry({ size: 4 }), name: 'box' });
    const heard: string[] = [];
    const hear = ({ type, nativeEvent }: { type: string; nativeEvent: MouseEvent }): void => {
      heard.push(`${type} ${nativeEvent.offsetX}`);
    };
    box.addEventListener('click', hear);
    await engine.step(0);
    await engine.whenReady();
    const send = (type: string, x: number): void => {
      const { left, top } = engine.canvas.getBoundingClientRect();
      const at = { clientX: left + x, clientY: top + 64, bubbles: true };
      engine.canvas.dispatchEvent(new PointerEvent(type, at));
    };
    /** Sends events and then a double click. Returns the number of frames drawn until the double click arrives. */
    const framesOf = async (events: readonly (readonly [string, number])[]): Promise<number> => {
      const before = engine.stats().frame;
      const clicked = new Promise<void>((resolve) =>
        box.addEventListener('dblclick', () => resolve(), { once: true }),
      );
      for (const [type, x] of events) send(type, x);
      send('dblclick', events.at(-1)?.[1] ?? 64);
      await clicked;
      return engine.stats().frame - before;
    };
    const moves = [60, 61, 62, 63, 64].map((x) => ['pointermove', x] as const);
    const frames = [];
    // Moves and presses have no listener.
    for (const [type, x] of moves) send(type, x);
    send('pointerdown', 64);
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    await engine.whenReady();
    frames.push(engine.stats().frame);
    frames.push(await framesOf([...moves, ['pointerdown', 64], ['pointerup', 64], ['click', 64]]));
    box.addEventListener('pointermove', hear);
    // Consecutive moves are merged into the last one. A click between them separates them.
    frames.push(await framesOf([...moves, ['click', 64], ['pointermove', 65], ['pointermove', 66]]));
    await engine.dispose();
    return { frames, heard };
  });
  expect(seen.frames).toEqual([1, 1, 1]);
  expect(seen.heard).toEqual(['click 64', 'pointermove 64', 'click 64', 'pointermove 66']);
});
