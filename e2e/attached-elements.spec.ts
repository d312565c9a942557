import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';

// Page elements that follow actors (`engine.attachElement`), through the public API.

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`elements follow their actors in each frame, and are hidden where the actors do not show, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const { boxGeometry, unlitMaterial } = fencepost;
      const all = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading });
        const { world } = engine;
        const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const mesh = { geometry: boxGeometry(), material: unlitMaterial() };
        const robot = world.addMesh({ ...mesh, position: [1, 0, 0] });
        const label = Object.assign(document.createElement('div'), { textContent: 'robot' });
        Object.assign(label.style, { width: '20px', height: '10px', color: 'red' });
        const before = label.style.cssText;
        const attachment = engine.attachElement(label, robot, { offset: [0, 1, 0], occlude: true });
        /** Returns the centre of an element, in CSS pixels of the canvas. */
        const look = async (element = label): Promise<string> => {
          await engine.step(0);
          if (element.style.visibility !== 'visible') return 'hidden';
          const outer = engine.canvas.getBoundingClientRect();
          const { left, top, width, height } = element.getBoundingClientRect();
          return [left + width / 2 - outer.left, top + height / 2 - outer.top].map(Math.round).join();
        };
        const places: Record<string, string> = { first: await look() };
        robot.position.set(-1, 1, 0);
        // While the frame ticks, the canvas and the label still show the previous frame.
        const old = label.style.transform;
        let isEarly = false;
        const endTicks = world.onTick(() => {
          queueMicrotask(() => {
            isEarly = label.style.transform !== old;
          });
        });
        places.moved = await look();
        endTicks();
        robot.rotateZ(Math.PI);
        places.turned = await look();
        camera.position.set(0, 1, 10);
        places.camera = await look();
        const spots: string[] = [];
        if (threading === 'render') {
          const spot = Object.assign(document.createElement('div'), { textContent: '+' });
          Object.assign(spot.style, { width: '20px', height: '10px' });
          const hit = await engine.pick(50, 62);
          const spotted = engine.attachElement(spot, hit!, { occlude: true });
          spots.push(await look(spot));
          robot.rotateZ(Math.PI / 2);
          spots.push(await look(spot));
          robot.rotateY(Math.PI);
          spots.push(await look(spot));
          robot.rotateY(-Math.PI);
          robot.rotateZ(-Math.PI / 2);
          spotted.dispose();
        }
        const wall = world.addMesh({ ...mesh, position: [-1, 0, 3], scale: 2 });
        places.behindWall = await look();
        wall.destroy();
        robot.visible = false;
        places.invisible = await look();
        robot.visible = true;
        robot.position.set(-20, 1, 0);
        places.outside = await look();
        robot.position.set(0, 1, 0);
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        places.otherThreads = await look();
        attachment.dispose();
        const given = [label.isConnected, label.style.cssText === before];
        const other = document.createElement('p');
        document.body.append(other);
        engine.attachElement(other, robot);
        await engine.step(0);
        const shown = other.style.visibility;
        robot.destroy();
        await engine.step(0);
        const left = [other.isConnected, other.style.cssText];
        other.remove();
        await engine.dispose();
        all.push({ places, spots, isEarly, given, shown, left });
      }
      return all;
    }, modesOf(isolation));
    // The picked point turns with the robot about its middle at 48, 64, and is then on the far side.
    const spots = results.flatMap((result) => result.spots);
    expect(spots).toEqual(isolation === 'isolated' ? [] : ['50,62', '46,62', 'hidden']);
    for (const { places, isEarly, given, shown, left } of results) {
      expect(isEarly).toBe(false);
      // A metre is 16 pixels.
      expect(places).toEqual({
        first: '80,48',
        moved: '48,32',
        turned: '48,64',
        camera: '48,80',
        behindWall: 'hidden',
        invisible: 'hidden',
        outside: 'hidden',
        otherThreads: '64,80',
      });
      expect(given).toEqual([false, true]);
      expect(shown).toBe('visible');
      expect(left).toEqual([true, '']);
    }
  });
}

test('elements stay in place with a border, without a tick and after changes in the last tick group, and hide outside the camera’s range; in every mode', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async (modes) => {
    const { fencepost, kit } = window;
    const all = [];
    for (const threading of modes) {
      const engine = await fencepost.createEngine(kit.view, { threading });
      const { world } = engine;
      const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      const actor = world.spawn(new fencepost.SceneComponent());
      const label = document.createElement('div');
      Object.assign(label.style, { width: '20px', height: '10px' });
      engine.attachElement(label, actor);
      /** Returns the centre of the label, in CSS pixels of the picture. */
      const look = (): string => {
        if (label.style.visibility !== 'visible') return 'hidden';
        const { canvas } = engine;
        const outer = canvas.getBoundingClientRect();
        const { left, top, width, height } = label.getBoundingClientRect();
        return [
          left + width / 2 - outer.left - canvas.clientLeft,
          top + height / 2 - outer.top - canvas.clientTop,
        ]
          .map(Math.round)
          .join();
      };
      const step = async (): Promise<string> => {
        await engine.step(0);
        return look();
      };
      const places: Record<string, string> = { first: await step() };
      // This listener runs after all others of the tick.
      const end = world.onTick(
        () => {
          camera.position.x += 1;
        },
        { group: 'post-update' },
      );
      places.lastOfTick = await step();
      end();
      // A pick draws a picture without a tick.
      camera.position.set(0, 1, 10);
      await engine.pick(1, 1);
      await engine.flush();
      places.untimely = look();
      camera.position.set(0, 0, 10);
      camera.root.far = 5;
      places.beyond = await step();
      camera.root.far = 100;
      places.within = await step();
      camera.position.set(0, 0, -10);
      places.behind = await step();
      camera.position.set(0, 0, 10);
      engine.canvas.style.border = '7px solid red';
      places.bordered = await step();
      await engine.dispose();
      all.push(places);
    }
    return all;
  }, MODES);
  for (const places of seen) {
    expect(places).toEqual({
      ...{ first: '64,64', lastOfTick: '48,64', untimely: '64,80' },
      ...{ beyond: 'hidden', within: '64,64', behind: 'hidden', bordered: '64,64' },
    });
  }
  expect(seen).toHaveLength(MODES.length);
});

test('invalid attachments are rejected, and elements get their styles back when the engine ends', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view);
    const actor = engine.world.addMesh({ geometry: fencepost.boxGeometry() });
    const label = document.createElement('div');
    const codes = (
      [
        [null, actor],
        [label, null],
        [label, {}],
        [label, actor, { ofset: 1 }],
        [label, actor, { offset: [1] }],
        [label, actor, { offset: [0, Number.NaN, 0] }],
      ] as unknown[][]
    ).map((given) => {
      try {
        engine.attachElement(...(given as [never, never]));
        return 'taken';
      } catch (error) {
        return error instanceof fencepost.OptionError ? error.code : String(error);
      }
    });
    engine.attachElement(label, actor);
    await engine.step(0);
    const during = label.isConnected;
    await engine.dispose();
    return { codes, during, after: [label.isConnected, label.style.cssText] };
  });
  expect(seen.codes).toEqual([
    'option-invalid',
    'option-invalid',
    'option-invalid',
    'option-unknown',
    'option-invalid',
    'option-out-of-range',
  ]);
  expect(seen.during).toBe(true);
  expect(seen.after).toEqual([false, '']);
});

test('an element that is attached again, by the same engine or another, follows the last actor and gets its own style back', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const canvas = kit.view.cloneNode() as HTMLCanvasElement;
    kit.view.after(canvas);
    const create = async (view: HTMLCanvasElement) => {
      const engine = await fencepost.createEngine(view);
      const { world } = engine;
      world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      const at = (x: number) => world.addMesh({ geometry: fencepost.boxGeometry(), position: [x, 0, 0] });
      return { engine, left: at(-2), right: at(2) };
    };
    const [first, second] = [await create(kit.view as HTMLCanvasElement), await create(canvas)];
    const results: Record<string, unknown> = {};
    for (const where of ['in the document', 'nowhere']) {
      const label = Object.assign(document.createElement('div'), { textContent: 'x' });
      const own = 'width: 20px; height: 10px; color: red;';
      label.style.cssText = own;
      if (where === 'in the document') kit.view.after(label);
      const look = async (): Promise<string> => {
        for (const { engine } of [first, second]) await engine.step(0);
        if (label.style.cssText === own) return label.isConnected ? 'as it was' : 'gone';
        if (label.style.visibility !== 'visible') return 'hidden';
        const outer = kit.view.getBoundingClientRect();
        const { left, width } = label.getBoundingClientRect();
        return `${Math.round((100 * (left + width / 2 - outer.left)) / outer.width)} %`;
      };
      const looks: string[] = [];
      const one = first.engine.attachElement(label, first.left);
      looks.push(await look());
      const two = first.engine.attachElement(label, first.right);
      looks.push(await look());
      one.dispose();
      looks.push(await look());
      two.dispose();
      looks.push(await look());
      // The second attachment ends first. It belongs to another engine's canvas.
      const three = first.engine.attachElement(label, first.left);
      await look();
      const four = second.engine.attachElement(label, second.right);
      await look();
      looks.push(label.style.visibility);
      four.dispose();
      looks.push(await look());
      three.dispose();
      looks.push(await look());
      // An attachment that ends with its actor leaves the next attachment alone.
      first.engine.attachElement(label, first.engine.world.addMesh({ geometry: fencepost.boxGeometry() }));
      const last = first.engine.attachElement(label, first.right);
      looks.push(await look());
      last.dispose();
      looks.push(await look());
      results[where] = looks;
    }
    for (const { engine } of [first, second]) await engine.dispose();
    return results;
  });
  const looks = (end: string) => [
    ...['25 %', '75 %', '75 %', end],
    ...['visible', end, end],
    ...['75 %', end],
  ];
  expect(seen).toEqual({ 'in the document': looks('as it was'), nowhere: looks('gone') });
});
