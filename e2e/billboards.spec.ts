import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// Lines, points and sprites, through the public API.

inEveryMode(
  'lines are as wide as set, in pixels and in metres, also if they start behind the camera',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    const { camera } = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    // 16 pixels are 1 m.
    const strip = await world.addLines({
      positions: [-3, 2, 0, 0, 2, 0, 0, -3, 0],
      color: '#f00',
      width: 6,
    });
    const widthAt = async (x: number, y: number, isAcross: boolean): Promise<number> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      let count = 0;
      for (let step = -20; step < 20; step++) {
        const [red = 0] = kit.pixel(
          frame,
          64 + x * 16 + (isAcross ? step : 0),
          64 - y * 16 + (isAcross ? 0 : step),
        );
        if (red > 128) count++;
      }
      return count;
    };
    const seen: unknown[] = [await widthAt(-1.5, 2, false), await widthAt(0, -1, true)];
    // The corner of the strip has no gap.
    const frame = await engine.captureFrame();
    seen.push(kit.pixel(frame, 66, 30)[0]);
    strip.root.width = 10;
    seen.push(await widthAt(0, -1, true));
    strip.root.widthUnits = 'metres';
    strip.root.width = 0.5;
    strip.scale.set(1.5, 1.5, 1.5);
    seen.push(await widthAt(0, -1, true));
    strip.scale.set(1, 1, 1);
    strip.root.update({ positions: [-3, 0, 0, 0, 0, 0, 3, 0, 0] });
    seen.push(await widthAt(-2, 0, false), strip.bounds.max);
    strip.root.update({ positions: [2, -3, 0, 2, 3, 0], colors: [1, 0, 0, 1, 0, 0] });
    seen.push(await widthAt(2, 1, true), strip.root.pointCount);
    strip.destroy();
    // The line runs from far behind the camera into the picture, equally wide everywhere.
    if (camera) camera.orthographic = null;
    world.activeCamera?.position.set(0, 1.5, 6);
    world.activeCamera?.lookAt([0, 0, 0]);
    await world.addLines({ positions: [0, 0, 20, 0, 0, -20], color: '#f00', width: 5 });
    await world.addLines({
      positions: [-3, 1, 0, 3, 1, 0, -3, 1, 0, 3, 1, 0],
      connect: 'segments',
      color: '#0f0',
    });
    seen.push(await widthAt(0, -3.5, true), await widthAt(0, -0.5, true));
    return seen;
  },
  (seen) => expect(seen).toEqual([6, 6, 255, 10, 12, 8, [3.25, 0.25, 0.25], 8, 2, 5, 5]),
);

inEveryMode(
  'points and sprites face the camera, have sizes, colours and textures, and are picked',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    // The camera looks from the side. A quad that did not face it would show as a line.
    world.addCamera({ position: [10, 0, 0], lookAt: [0, 0, 0], orthographic: { halfHeight: 4 } });
    const points = await world.addPoints({
      positions: [0, 2, 0, 0, -2, 0],
      colors: [1, 0, 0, 0, 1, 0],
      sizes: [4, 8],
    });
    const image = { width: 2, height: 1, data: new Uint8Array([0, 0, 255, 255, 0, 0, 255, 0]) };
    const picture = fencepost.texture(image, { sampler: { magnify: 'nearest', mipmap: 'none' } });
    const sprite = await world.addSprite({ texture: picture, size: [2, 1], alphaMode: 'mask' });
    sprite.rotateY(1);
    const area = async (channel: number): Promise<number> => {
      await engine.step(0);
      const { data } = await engine.captureFrame();
      let count = 0;
      for (let at = channel; at < data.length; at += 4) if ((data[at] as number) > 128) count++;
      return count;
    };
    await engine.whenReady();
    // The sprite covers 32 × 16 pixels, and only its left half is blue.
    const seen: unknown[] = [await area(0), await area(1), await area(2)];
    const hits = [
      await engine.pick(64 - 8, 64),
      await engine.pick(64 + 8, 64),
      await engine.pick(64, 64 + 32),
    ];
    seen.push(hits.map((hit) => hit && [hit.component === sprite.root, hit.component === points.root]));
    // Normals of hits point towards the viewer, although points and sprites have none.
    seen.push(hits.map((hit) => hit?.normal.map(Math.round).join(' ')));
    points.root.update({ sizes: [6, 8] });
    seen.push(await area(0));
    points.root.update({ positions: [0, 3, 0] });
    points.root.size = 10;
    points.root.material.baseColor = [0, 1, 0, 1];
    seen.push(await area(1));
    sprite.scale.set(2, 2, 2);
    seen.push(await area(2));
    // The point's centre lies just above the picture, and a third of the point lies inside. Culling must not
    // test the centre alone.
    points.position.set(0, 1.1, 0);
    seen.push(await area(1), engine.stats().visible);
    const copy = sprite.clone({ position: [0, -2, 0], scale: 1 });
    seen.push(await area(2), copy.root.texture === picture, copy.root.material === sprite.root.material);
    return [...seen, kit.pixel(await engine.captureFrame(), 2, 126)];
  },
  (seen) =>
    expect(seen).toEqual([
      16,
      64,
      256,
      [[true, false], null, [false, true]],
      ['1 0 0', undefined, '1 0 0'],
      36,
      100,
      1024,
      30,
      2,
      1024 + 256,
      true,
      false,
      [0, 0, 0, 255],
    ]),
);

inEveryMode(
  'billboards are picked where they show, also at the edge of a perspective picture and if a line begins behind the camera',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    // At the sprite's distance, 6.4 pixels are 1 m.
    world.addCamera({ position: [0, 1, 10], fovY: Math.PI / 2 });
    await world.addSprite({ position: [8, 1, 0], size: 2, color: '#f00' });
    await world.addLines({
      positions: [7, 9, 0, 9, 9, 0],
      width: 2,
      widthUnits: 'metres',
      color: '#0f0',
    });
    // The blue line runs below the camera, from far behind it to in front of it.
    const line = await world.addLines({ positions: [0, 0, 40, 0, 0, -10], color: '#00f', width: 9 });
    await engine.step(0);
    await engine.whenReady();
    await engine.step(0);
    const frame = await engine.captureFrame();
    const seen: unknown[] = [];
    /**
     * Compares the pixels that show a colour with the pixels that are picked, along a row or a column. Returns
     * whether more than nine pixels show the colour, and whether both sets of pixels are equal.
     */
    const extents = async (channel: number, x: number, y: number, dx: number, dy: number) => {
      const [shown, picked]: [number[], number[]] = [[], []];
      const steps = Array.from({ length: 20 }, (_, step) => step - 10);
      const hits = await Promise.all(
        steps.map((step) => engine.pick(x + step * dx + 0.5, y + step * dy + 0.5)),
      );
      for (const [index, step] of steps.entries()) {
        const color = kit.pixel(frame, x + step * dx, y + step * dy);
        if ((color[channel] as number) > 128) shown.push(step);
        if (hits[index]) picked.push(step);
      }
      return [shown.length > 9, shown.join() === picked.join()];
    };
    seen.push(await extents(0, 115, 64, 1, 0), await extents(0, 115, 64, 0, 1));
    seen.push(await extents(1, 115, 13, 0, 1));
    for (const y of [80, 96, 120]) {
      const hit = await engine.pick(64, y);
      const [x = 9, height = 9, z = 9] = hit?.position ?? [];
      // The line lies a metre below the camera, so the row determines the distance.
      const depth = 64 / (y - 64);
      const isThere = Math.abs(x) < 0.05 && Math.abs(height) < 0.1 && Math.abs(10 - z - depth) < 0.1 * depth;
      seen.push([hit?.component === line.root, isThere]);
      // `uv[0]` is the share of the line's 50 m between its start and the hit.
      seen.push(Math.abs((hit?.uv[0] ?? 9) - (30 + depth) / 50) < 0.01);
    }
    return seen;
  },
  (seen) =>
    expect(seen).toEqual([
      [true, true],
      [true, true],
      [true, true],
      ...Array(3)
        .fill([[true, true], true])
        .flat(),
    ]),
);

inEveryMode(
  'billboards sized in metres are drawn and picked at the picture’s edge, where their points lie outside it',
  async (engine) => {
    const { kit } = window;
    const { world } = engine;
    // 16 pixels are 1 m. Points below −4 m are outside the picture.
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const sizeUnits = 'metres';
    await world.addSprite({ name: 'sprite', color: '#f00', position: [-3.4, -4.3, 0] });
    await world.addPoints({ name: 'point', color: '#f00', positions: [-2.4, -4.3, 0], size: 1, sizeUnits });
    const widthUnits = 'metres';
    await world.addLines({
      name: 'line',
      color: '#f00',
      positions: [-2, -4.2, 0, -1, -4.2, 0],
      width: 1,
      widthUnits,
    });
    // A mitred corner reaches farther out than its line's width.
    const positions = [-0.25, -6, 0, 0, -4.5, 0, 0.25, -6, 0];
    await world.addLines({ name: 'corner', color: '#f00', positions, width: 0.5, widthUnits });
    // The longest axis of the scale sets the size, whichever axis it is.
    await world.addSprite({ name: 'squashed', color: '#f00', position: [2.3, -5, 0], scale: [3, 0.1, 1] });
    await world.addText({
      name: 'text',
      text: 'HHH',
      color: '#f00',
      size: 1,
      sizeUnits,
      position: [3, 4.15, 0],
    });
    await engine.whenReady();
    await engine.step(0);
    const frame = await engine.captureFrame();
    const seen: unknown[] = [];
    for (const [x, y] of [
      [-3.4, -3.9],
      [-2.4, -3.9],
      [-1.5, -3.8],
      [0, -3.7],
      [2.3, -3.7],
    ] as const) {
      const [left, top] = [Math.floor(64 + x * 16), Math.floor(64 - y * 16)];
      seen.push(kit.pixel(frame, left, top)[0], (await engine.pick(left, top))?.actor.name);
    }
    let lit = 0;
    for (let left = 90; left < 128; left++) if ((kit.pixel(frame, left, 0)[0] ?? 0) > 128) lit++;
    return { seen, isTextSeen: lit > 2 };
  },
  (seen) =>
    expect(seen).toEqual({
      seen: [255, 'sprite', 255, 'point', 255, 'line', 255, 'corner', 255, 'squashed'],
      isTextSeen: true,
    }),
);

inEveryMode(
  'lines, points and texts that were emptied show nothing',
  async (engine) => {
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const points = await world.addPoints({ positions: [0, 2, 0], size: 8 });
    const lines = await world.addLines({ positions: [-1, 0, 0, 1, 0, 0], width: 4 });
    const text = await world.addText({ text: 'H', position: [0, -2, 0] });
    await engine.whenReady();
    const lit = async (): Promise<boolean[]> => {
      await engine.step(0);
      const { data, width } = await engine.captureFrame();
      return [32, 64, 96].map((row) => {
        const part = data.subarray((row - 10) * width * 4, (row + 10) * width * 4);
        return part.some((value, at) => at % 4 === 0 && value > 128);
      });
    };
    const before = await lit();
    points.root.update({ positions: [] });
    lines.root.update({ positions: [1, 0, 0] });
    text.root.text = '';
    const emptied = await lit();
    points.root.update({ positions: [1, 2, 0] });
    lines.root.update({ positions: [-2, 0, 0, 1, 0, 0] });
    text.root.text = 'E';
    return [before, emptied, await lit()];
  },
  (seen) => expect(seen).toEqual([Array(3).fill(true), Array(3).fill(false), Array(3).fill(true)]),
);

test('lines, points and sprites reject invalid input with named errors', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const codes = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    const positions = [0, 0, 0, 1, 0, 0];
    const code = async (action: () => unknown) => (await kit.refusal(action)).code;
    const lines = await world.addLines({ positions });
    const codes = [
      await code(() => world.addLines({ points: positions } as never)),
      await code(() => world.addLines({ positions: [1, 2] })),
      await code(() => world.addLines({ positions, connect: 'segments', colors: [1, 1, 1] })),
      await code(() => world.addLines({ positions: [0, Number.NaN, 0] })),
      await code(() => world.addLines({ positions, width: -1 })),
      await code(() => world.addLines({ positions, widthUnits: 'cm' as never })),
      await code(() => lines.root.update({ colors: [1, 1] })),
      await code(() => world.addPoints({ positions, sizes: [1] })),
      await code(() => world.addPoints({ positions, sizes: [1, -1] })),
      await code(() => world.addPoints({ positions, texture: 'spark.png' as never })),
      await code(() => world.addSprite({ size: [1, 2, 3] })),
      await code(() => world.addSprite({ color: 'no colour' })),
    ];
    const count = world.actors.length;
    await engine.dispose();
    codes.push(await code(() => world.addSprite()));
    return { codes, count };
  });
  expect(codes).toEqual({
    codes: [
      'option-unknown',
      'option-invalid',
      'option-invalid',
      'option-out-of-range',
      'option-out-of-range',
      'option-invalid',
      'option-invalid',
      'option-invalid',
      'option-out-of-range',
      'option-invalid',
      'option-invalid',
      'color-invalid',
      'engine-disposed',
    ],
    count: 1,
  });
});

test('billboards among lights that cast shadows cause no error, and the floor looks as before once they are destroyed', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const results: unknown[] = [];
    const modes = [
      ['single', 'forward'],
      ['render', 'deferred'],
      ['render+rhi', 'forward'],
    ] as const;
    for (const [threading, renderer] of modes) {
      const engine = await fencepost.createEngine(kit.view, { threading, renderer, antialias: false });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
      const { world } = engine;
      world.addCamera({ position: [0, 20, 0.01], lookAt: [0, 0, 0], orthographic: { halfHeight: 4 } });
      world.addDirectionalLight({ direction: [0.5, -1, 0], castShadow: { mapSize: 256, cascades: 1 } });
      world.addPointLight({ position: [0, 3, 3], intensity: 20, castShadow: { mapSize: 128 } });
      world.addMesh({
        geometry: fencepost.planeGeometry({ size: 20 }),
        material: fencepost.standardMaterial({ baseColor: '#fff' }),
        rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
      });
      const image = fencepost.texture({ width: 1, height: 1, data: new Uint8Array([255, 0, 0, 200]) });
      const spot = { positions: [-3, 2, -3, -2, 2, -3], width: 8, color: '#f00' };
      await engine.step(0);
      await engine.whenReady();
      const floor = await kit.picture(engine);
      const shown = [
        await world.addLines(spot),
        await world.addLines({ ...spot, alphaMode: 'mask' }),
        await world.addPoints({ positions: spot.positions }),
        await world.addText({ text: 'x', position: [0, 2, 0] }),
        await world.addSprite({ texture: image, position: [0, 2, 0] }),
        await world.addSprite({ texture: image, position: [0, 2, 0], alphaMode: 'mask' }),
      ];
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const isShown = (await kit.picture(engine)) !== floor;
      for (const actor of shown) actor.destroy();
      await engine.step(0);
      const isFloorSame = (await kit.picture(engine)) === floor;
      await engine.dispose();
      results.push({ errors, isShown, isFloorSame });
    }
    return results;
  });
  expect(results).toEqual(Array(3).fill({ errors: [], isShown: true, isFloorSame: true }));
});
