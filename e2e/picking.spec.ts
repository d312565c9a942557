import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';
import { MODES, modesOf } from './threading-modes.js';

// Picking: the actor that shows at a position of the canvas, through the public API.

for (const isolated of [true, false]) {
  test(`pick returns the actor, position and distance of a pixel, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const { boxGeometry, planeGeometry, standardMaterial, texture, unlitMaterial } = fencepost;
      const results: unknown[] = [];
      for (const threading of modes) {
        // Positions are also exact at a distance of a thousand kilometres.
        for (const far of [0, 1e6]) {
          const engine = await fencepost.createEngine(kit.view, {
            threading,
            antialias: false,
            validation: true,
          });
          const errors: string[] = [];
          engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
          const { world } = engine;
          const box = world.addMesh({
            geometry: boxGeometry({ size: 2 }),
            material: unlitMaterial(),
            position: [far, 0, 0],
            name: 'box',
          });
          // A sheet in front of the right half. Its upper half is masked.
          const data = new Uint8Array([255, 255, 255, 0, 255, 255, 255, 255]);
          const baseColorTexture = texture(
            { width: 1, height: 2, data },
            { sampler: { magnify: 'nearest', mipmap: 'none' } },
          );
          world.addMesh({
            geometry: planeGeometry({ width: 1, height: 2 }),
            material: standardMaterial({ baseColorTexture, alphaMode: 'mask' }),
            position: [far + 0.5, 0, 2],
            name: 'sheet',
          });
          const camera = world.addCamera({ position: [far, 0, 6], fovY: Math.PI / 2 });
          await engine.step(0);
          await engine.whenReady();
          const round = (value: number): number => Math.round(value * 100) / 100 + 0;
          const pick = async (x: number, y: number) => {
            const hit = await engine.pick(x, y);
            if (!hit) return null;
            const { actor, component, primitive, instance, position, normal, uv, distance } = hit;
            const point = position.map((value, axis) => round(axis ? value : value - far));
            const place = component === actor.root && primitive === 0 && instance === 0;
            return [actor.name, place, point, normal.map(round), uv.map(round), round(distance)];
          };
          // In 128 × 128 pixels, a pixel at a depth of 5 m is 10/128 m wide.
          const middle = await pick(60, 64);
          const cutOut = await pick(70, 58);
          const sheet = await pick(71, 71);
          const nothing = [await pick(2, 2), await pick(-5, 64), await pick(500, 64)];
          camera.root.orthographic = { halfHeight: 4 };
          const parallel = await pick(56, 64);
          box.root.layers = 0b10;
          engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.5 }, layers: 0b01 });
          const hidden = await pick(24, 32);
          box.root.layers = 0b01;
          const inView = await pick(24, 32);
          box.visible = false;
          const gone = await pick(56, 72);
          const several = await Promise.all([pick(70, 100), pick(80, 80), pick(96, 64)]);
          const { leaks } = await engine.dispose();
          results.push({
            middle,
            cutOut,
            sheet,
            nothing,
            parallel,
            hidden,
            inView,
            gone,
            several,
            leaks,
            errors,
          });
        }
      }
      return results;
    }, modesOf(isolated));
    for (const result of seen) {
      expect(result).toEqual({
        middle: ['box', true, [-0.31, 0, 1], [0, 0, 1], [0.34, 0.5], 5.01],
        cutOut: ['box', true, [0.47, 0.47, 1], [0, 0, 1], [0.73, 0.27], 5.04],
        sheet: ['sheet', true, [0.44, -0.44, 2], [0, 0, 1], [0.44, 0.72], 4.05],
        nothing: [null, null, null],
        parallel: ['box', true, [-0.5, 0, 1], [0, 0, 1], [0.25, 0.5], 5],
        hidden: null,
        inView: ['box', true, [-1, 0, 1], [0, 0, 1], [0, 0.5], 5],
        gone: null,
        several: [null, null, null],
        leaks: [],
        errors: [],
      });
    }
    expect(seen).toHaveLength(2 * modesOf(isolated).length);
  });
}

test('pickRectangle finds the meshes that show in a part of the canvas, in every mode', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async (modes) => {
    const { fencepost, kit } = window;
    const geometry = fencepost.boxGeometry({ size: 1 });
    const results: object[] = [];
    for (const threading of modes) {
      const engine = await fencepost.createEngine(kit.view, { threading, validation: true });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
      const { world } = engine;
      // 16 pixels are 1 m.
      world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      for (const [name, x, y, z] of [
        ['left', -2, 0, 0],
        ['middle', 0, 0, 0],
        ['hidden', 0, 0, -2],
        ['right', 2, 0, 0],
      ] as const) {
        world.addMesh({ geometry, position: [x, y, z], name });
      }
      await engine.step(0);
      const find = async (...rectangle: readonly [number, number, number, number]) =>
        (await engine.pickRectangle(...rectangle)).map(({ actor }) => actor.name).join(' ');
      const found = await Promise.all([
        find(0, 0, 128, 128),
        find(20, 50, 50, 20),
        find(64, 64, 0.5, 0.5),
        find(-500, -500, 580, 1200),
        find(0, 0, 128, 40),
        find(64, 64, 0, 0),
        find(300, 300, 10, 10),
      ]);
      const single = await engine.pick(64, 64);
      const view = engine.addView({
        camera: world.activeCamera!,
        rect: { x: 0.5, y: 0, width: 0.5, height: 1 },
        layers: 2,
      });
      (world.actors.find(({ name }) => name === 'left')!.mesh!.layers as number) = 3;
      const inView = [await find(64, 0, 64, 128), await find(0, 0, 60, 128)];
      view.dispose();
      const refused = await kit.refusal(() => engine.pickRectangle(0, 0, -1, 1));
      const { leaks } = await engine.dispose();
      results.push({ found, single: single?.actor.name, inView, refused: refused.code, leaks, errors });
    }
    return results;
  }, MODES);
  expect(seen).toHaveLength(MODES.length);
  for (const result of seen) {
    expect(result).toEqual({
      found: ['left middle right', 'left middle', 'middle', 'left middle', '', '', ''],
      single: 'middle',
      inView: ['left', 'left middle'],
      refused: 'option-out-of-range',
      leaks: [],
      errors: [],
    });
  }
});

test('pick finds a mesh where its joints have bent it, and the camera’s projection and rays agree with it', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(`window.skinnedGltf = ${skinnedGltf}`);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    const camera = world.addCamera({ position: [3, 2, 8], lookAt: [0, 1, 0] }).root;
    const level = await world.load(window.skinnedGltf());
    const at = async (point: readonly number[]) => {
      const { x, y } = camera.project(point)!;
      const hit = await engine.pick(x, y);
      const { origin, direction } = camera.ray(x, y);
      const along = Math.hypot(...point.map((value, axis) => value - origin[axis]!));
      const onRay = point.map((value, axis) => Math.abs(origin[axis]! + direction[axis]! * along - value));
      const apart = hit && Math.hypot(...hit.position.map((value, axis) => value - point[axis]!));
      // The raycast on the page agrees with the picture.
      const met = world.raycast(origin, direction);
      const differences =
        hit && met ? hit.position.map((value, axis) => Math.abs(value - met.position[axis]!)) : [0];
      const isSame =
        (met?.actor ?? null) === (hit?.actor ?? null) &&
        met?.primitive === hit?.primitive &&
        Math.max(...differences) < 1e-3 &&
        (!hit || Math.abs(hit.normal[2] - met!.normal[2]) < 0.01);
      return [hit?.actor.name ?? null, apart !== null && apart < 1e-3, Math.max(...onRay) < 1e-6 && isSame];
    };
    const straight = [await at([0, 1.8, 0]), await at([-0.8, 1, 0])];
    level.play('bend', { speed: 0, startSeconds: 1 });
    const bent = [await at([0, 1.8, 0]), await at([-0.8, 1, 0])];
    level.unload();
    const gone = [await at([0, 0.5, 0])];
    await engine.setThreading('single');
    world.addMesh({ geometry: fencepost.boxGeometry(), position: [0, 0.5, -0.5], name: 'box' });
    const after = await at([0, 0.5, 0]);
    return { straight, bent, gone, after };
  });
  const bar = ['bar', true, true];
  const nothing = [null, false, true];
  expect(seen).toEqual({
    straight: [bar, nothing],
    bent: [nothing, bar],
    gone: [nothing],
    after: ['box', true, true],
  });
});

declare global {
  interface Window {
    heard: string[];
    switchThreads(): Promise<void>;
  }
}

test('actors receive pointer events, also after a mode switch: clicks bubble to parents, enter and leave do not', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const corner = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    window.heard = [];
    engine.addEventListener('error', ({ detail }) => window.heard.push(`${detail.code}: ${detail.message}`));
    const geometry = fencepost.boxGeometry({ size: 2 });
    const parent = world.addMesh({ geometry, position: [-2, 0, 0], name: 'parent' });
    const child = world.addMesh({ geometry, position: [4, 0, 0], name: 'child' });
    child.attachTo(parent);
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    for (const actor of [parent, child]) {
      for (const type of ['click', 'pointerenter', 'pointerleave'] as const) {
        actor.addEventListener(type, ({ target, currentTarget, hit, nativeEvent }) => {
          const at = hit ? hit.position.map((value) => Math.round(value * 10) / 10).join() : 'nowhere';
          window.heard.push(
            `${type} ${target.name} > ${currentTarget.name} ${at} ${nativeEvent.constructor.name}`,
          );
        });
      }
    }
    child.addEventListener('click', () => window.heard.push('once'), { once: true });
    child.addEventListener('dblclick', (event) => event.stopPropagation());
    parent.addEventListener('dblclick', () => window.heard.push('never'));
    child.addEventListener('contextmenu', () => {
      throw new Error('no menu');
    });
    const controller = new AbortController();
    child.addEventListener('pointerdown', () => window.heard.push('never'), { signal: controller.signal });
    controller.abort();
    window.switchThreads = async () => {
      await engine.setThreading('single');
      await engine.step(0);
    };
    await engine.step(0);
    await engine.whenReady();
    const { x, y } = kit.view.getBoundingClientRect();
    return { x, y };
  });
  const at = (metres: number): readonly [number, number] => [corner.x + 64 + metres * 16, corner.y + 64];
  const heard = async (...expected: string[]): Promise<void> => {
    await expect.poll(() => page.evaluate(() => window.heard)).toEqual(expected);
    await page.evaluate(() => {
      window.heard.length = 0;
    });
  };
  await page.mouse.move(...at(0));
  await page.mouse.move(...at(2));
  await heard(
    'pointerenter child > parent 2,0,1 PointerEvent',
    'pointerenter child > child 2,0,1 PointerEvent',
  );
  await page.mouse.click(...at(2));
  await heard('click child > child 2,0,1 PointerEvent', 'once', 'click child > parent 2,0,1 PointerEvent');
  await page.mouse.dblclick(...at(2));
  await heard(
    'click child > child 2,0,1 PointerEvent',
    'click child > parent 2,0,1 PointerEvent',
    'click child > child 2,0,1 PointerEvent',
    'click child > parent 2,0,1 PointerEvent',
  );
  await page.mouse.move(...at(-2));
  await heard('pointerleave child > child -2,0,1 PointerEvent');
  await page.mouse.move(...at(0));
  await heard('pointerleave parent > parent nowhere PointerEvent');
  await page.mouse.click(...at(2), { button: 'right' });
  await heard(
    'pointerenter child > parent 2,0,1 PointerEvent',
    'pointerenter child > child 2,0,1 PointerEvent',
    'listener-failed: A listener for "contextmenu" of "child" threw: no menu',
  );
  await page.evaluate(() => window.switchThreads());
  await page.mouse.click(...at(-2));
  await heard('pointerleave child > child -2,0,1 PointerEvent', 'click parent > parent -2,0,1 PointerEvent');
});

test('a pick of an actor that was destroyed meanwhile names no other actor, in every mode', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async (modes) => {
    const { fencepost, kit } = window;
    const results: unknown[] = [];
    for (const threading of modes) {
      const engine = await fencepost.createEngine(kit.view, { antialias: false, threading });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 5] });
      const geometry = fencepost.boxGeometry();
      const mesh = world.addMesh({ geometry, name: 'shown' });
      await engine.step(0);
      const before = (await engine.pick(64, 64))?.actor.name;
      const answers = [engine.pick(64, 64), engine.pickRectangle(60, 60, 8, 8)] as const;
      // After these turns the picks have requested a frame. The first step draws it at the latest. No message arrives
      // before the actor is destroyed, because the page's thread has not returned to its event loop.
      for (let turn = 0; turn < 20; turn++) await null;
      const frames = [engine.step(0)];
      mesh.destroy();
      let isAdded = false;
      world.onTick(() => {
        if (!isAdded) world.addMesh({ geometry, name: 'other', position: [50, 0, 0] });
        isAdded = true;
      });
      frames.push(engine.step(0), engine.step(0));
      results.push([before, ...(await Promise.all(answers))]);
      await Promise.all(frames);
      await engine.dispose();
    }
    return results;
  }, MODES);
  const expected = ['shown', null, []];
  expect(seen).toEqual([expected, expected, expected]);
});
