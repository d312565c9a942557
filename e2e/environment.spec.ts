import { expect, test } from './fixtures.js';
import { hdrFile } from './hdr-file.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

// Light from all around: `world.setEnvironment` and `world.setAmbient`, through the public API.

const base64 = (file: Buffer): string => file.toString('base64');
test('a white furnace: in uniform light every surface reflects all of it, within 0.5 %', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const grey = base64(hdrFile(16, 8, () => [0.5, 0.5, 0.5]));
  const pixels = await page.evaluate(async (file) => {
    const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'render' });
    engine.world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 3 } });
    const geometry = sphereGeometry({ radius: 0.45, segments: 32 });
    for (let column = 0; column < 6; column++) {
      for (let row = 0; row < 6; row++) {
        const material = standardMaterial({ baseColor: '#fff', metallic: row / 5, roughness: column / 5 });
        engine.world.addMesh({ geometry, material, position: [column - 2.5, row - 2.5, 0] });
      }
    }
    await engine.world.setEnvironment(window.kit.bytes(file), { background: true });
    await engine.step(0);
    const { data } = await engine.captureFrame();
    await engine.dispose();
    const seen: Record<string, number> = {};
    for (let at = 0; at < data.length; at += 4) {
      const key = [...data.slice(at, at + 3)].join();
      seen[key] = (seen[key] ?? 0) + 1;
    }
    return seen;
  }, grey);
  // 0.5 is 187.5 in sRGB. Half a percent of light is 0.4 of a step.
  expect(Object.keys(pixels).filter((key) => !/^(187|188),(187|188),(187|188)$/.test(key))).toEqual([]);
});

test('the sun of an image lights matte surfaces like a light from its direction, and leaves their backs dark', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const around = 0.1;
  // The sun covers four texels of a uniform image. The nine spherical harmonics alone would turn the sun into a
  // broad glow.
  const [column, row, radiance] = [340, 90, 3000];
  const isSun = (x: number, y: number) => x >> 1 === column >> 1 && y >> 1 === row >> 1;
  const sunny = hdrFile(512, 256, (x, y) => Array(3).fill(isSun(x, y) ? radiance : around));
  const plain = hdrFile(16, 8, () => [around, around, around]);
  const pictures = await page.evaluate(
    async (files) => {
      const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { antialias: false });
      engine.world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 1 } });
      const material = standardMaterial({ roughness: 1 });
      engine.world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 96 }), material });
      const pictures: { size: number; white: number[]; black: number[] }[] = [];
      for (const file of files) {
        await engine.world.setEnvironment(window.kit.bytes(file));
        const pictureIn = async (baseColor: string): Promise<number[]> => {
          material.baseColor = baseColor;
          await engine.step(0);
          return [...(await engine.captureFrame()).data];
        };
        const white = await pictureIn('#fff');
        pictures.push({ size: engine.canvas.width, white, black: await pictureIn('#000') });
      }
      await engine.dispose();
      return pictures;
    },
    [base64(sunny), base64(plain)],
  );
  const linear = (value: number): number =>
    value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  // The white and the black sphere have the same reflection, so the difference removes it.
  const [lit, unlit] = pictures.map(({ white, black }) =>
    white.map((value, at) => linear(value) - linear(black[at]!)),
  );
  const size = pictures[0]!.size;
  const [azimuth, polar] = [((column + 1) / 512 - 0.5) * 2 * Math.PI, ((row + 1) / 256) * Math.PI];
  const toSun = [
    Math.sin(polar) * Math.cos(azimuth),
    Math.cos(polar),
    Math.sin(polar) * Math.sin(azimuth),
  ] as const;
  const solidAngle = 4 * ((2 * Math.PI) / 512) * (Math.PI / 256) * Math.sin(polar);
  let [most, count, backs] = [0, 0, 0];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [right, up] = [((x + 0.5) / size) * 2 - 1, 1 - ((y + 0.5) / size) * 2];
      const front = 1 - right * right - up * up;
      if (front < 0.1) continue;
      const cosine = right * toSun[0] + up * toSun[1] + Math.sqrt(front) * toSun[2];
      const expected = around + (radiance * solidAngle * Math.max(cosine, 0)) / Math.PI;
      const at = (y * size + x) * 4;
      most = Math.max(most, Math.abs((lit![at]! / unlit![at]!) * around - expected) / expected);
      count++;
      if (cosine < 0) backs++;
    }
  }
  expect(backs).toBeGreaterThan(500);
  expect(count).toBeGreaterThan(5000);
  // One 8-bit step of a picture is 2.4 % of the uniform light. The result contains the rounding errors of four pictures.
  expect(most).toBeLessThan(0.1);
});

test('pixels that a surface covers in part are not brighter than their surroundings', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const brighter = await page.evaluate(async () => {
    const { createEngine, standardMaterial, torusGeometry } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: true });
    const { world } = engine;
    world.addCamera({ position: [0, 5, 7], lookAt: [0, 0, 0], fovY: 0.4 });
    await world.setEnvironment('studio', { intensity: 0.4 });
    const material = standardMaterial({ baseColor: '#ff9a4d', roughness: 0.35 });
    const geometry = torusGeometry({ radius: 0.55, tube: 0.2 });
    for (const x of [-1, 1])
      for (const z of [-1, 1]) world.addMesh({ geometry, material, position: [x, 0, z] });
    await engine.step(0);
    const { data, width, height } = await engine.captureFrame();
    await engine.dispose();
    const blue = (x: number, y: number): number => data[(y * width + x) * 4 + 2] as number;
    const places: string[] = [];
    for (let y = 1; y < height - 1; y++) {
      for (let x = 1; x < width - 1; x++) {
        let most = 0;
        for (const [dx, dy] of [
          [-1, -1],
          [0, -1],
          [1, -1],
          [-1, 0],
          [1, 0],
          [-1, 1],
          [0, 1],
          [1, 1],
        ] as const) {
          most = Math.max(most, blue(x + dx, y + dy));
        }
        if (blue(x, y) > most + 20) places.push(`${x}, ${y}: ${blue(x, y)} beside ${most}`);
      }
    }
    return places;
  });
  expect(brighter).toEqual([]);
});

test('an equirectangular image is oriented as in three.js: its centre towards +X, its top row up; rotation turns it', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  // The image has four columns of equal width. Blue is around the centre, and red is split between the left and the
  // right edge.
  const file = base64(
    hdrFile(64, 32, (x, y) => {
      if (y < 6) return [1, 1, 1];
      if (y >= 26) return [0.25, 0.25, 0.25];
      const quarter = Math.floor(((x + 8) % 64) / 16);
      return [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
      ][quarter] as number[];
    }),
  );
  const seen = await page.evaluate(async (bytes) => {
    const { createEngine } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'render' });
    const camera = engine.world.addCamera({ position: [0, 0, 0], fovY: 0.5 });
    const look = async (x: number, y: number, z: number) => {
      camera.lookAt([x, y, z]);
      await engine.step(0);
      const frame = await engine.captureFrame();
      return window.kit
        .pixel(frame, frame.width / 2, frame.height / 2)
        .slice(0, 3)
        .join();
    };
    const directions = [
      [1, 0, 0],
      [0, 0, 1],
      [-1, 0, 0],
      [0, 0, -1],
    ] as const;
    await engine.world.setEnvironment(window.kit.bytes(bytes), { background: true });
    const plain: string[] = [];
    for (const [x, y, z] of directions) plain.push(await look(x, y, z));
    // A quarter turn, counter-clockwise from above, moves what was towards +X to −Z.
    await engine.world.setEnvironment(window.kit.bytes(bytes), { background: true, rotation: Math.PI / 2 });
    const turned: string[] = [];
    for (const [x, y, z] of directions) turned.push(await look(x, y, z));
    await engine.dispose();
    return { plain, turned };
  }, file);
  const [red, green, blue, yellow] = ['255,0,0', '0,255,0', '0,0,255', '255,255,0'];
  expect(seen.plain).toEqual([blue, yellow, red, green]);
  expect(seen.turned).toEqual([yellow, red, green, blue]);
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`all modes draw the same picture, also after a lost device and on other threads, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const file = base64(hdrFile(32, 16, (x, y) => [x / 32, y / 16, 0.5]));
    const results = await page.evaluate(
      async ({ bytes, modes }) => {
        const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
        const pictures: string[] = [];
        for (const threading of modes) {
          const engine = await createEngine(window.kit.view, { threading });
          engine.world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
          const material = standardMaterial({ baseColor: '#c84', metallic: 0.5, roughness: 0.3 });
          engine.world.addMesh({ geometry: sphereGeometry(), material });
          engine.world.setAmbient({ sky: '#adf', ground: '#420' }, 0.7);
          await engine.step(0);
          const ambient = await window.kit.picture(engine);
          await engine.world.setEnvironment(window.kit.bytes(bytes), {
            background: true,
            backgroundBlur: 0.4,
          });
          await engine.step(0);
          const picture = await window.kit.picture(engine);
          const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
          await engine.simulateDeviceLoss();
          await restored;
          const afterLoss = await window.kit.picture(engine);
          await engine.setThreading(threading === 'single' ? 'render' : 'single');
          const afterSwitch = await window.kit.picture(engine);
          await engine.world.setEnvironment(null);
          await engine.step(0);
          const without = await window.kit.picture(engine);
          pictures.push([ambient, picture, afterLoss, afterSwitch, without].join(' '));
          await engine.dispose();
        }
        return pictures;
      },
      { bytes: file, modes: modesOf(isolation) },
    );
    const [first = ''] = results;
    expect(results).toEqual(modesOf(isolation).map(() => first));
    const [ambient, picture, afterLoss, afterSwitch, without] = first.split(' ');
    expect([afterLoss, afterSwitch]).toEqual([picture, picture]);
    expect(without).toBe(ambient);
    expect(picture).not.toBe(ambient);
  });
}

test('an invalid environment or ambient light is refused with a typed error, and the engine continues', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const whole = hdrFile(32, 16, () => [1, 1, 1]);
  const results = await page.evaluate(
    async (files) => {
      const { createEngine } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading: 'render' });
      const { world } = engine;
      const refusals = [
        await window.kit.refusal(() => world.setEnvironment(window.kit.bytes(files.cutOff))),
        await window.kit.refusal(() => world.setEnvironment(window.kit.bytes(files.text))),
        await window.kit.refusal(() => world.setEnvironment('no-such-file.hdr')),
        await window.kit.refusal(() => world.setEnvironment('studio', { intensity: -1 })),
        await window.kit.refusal(() => world.setEnvironment('studio', { blur: 1 } as never)),
        await window.kit.refusal(() => world.setEnvironment('sky', { sunDirection: [0, 0, 0] })),
        await window.kit.refusal(() => world.setAmbient('#fff', Number.NaN)),
        await window.kit.refusal(() =>
          world.setEnvironment('studio', { intensity: Number.POSITIVE_INFINITY }),
        ),
        await window.kit.refusal(() => world.setEnvironment('studio', { signal: 3 as never })),
        await window.kit.refusal(() => world.setAmbient('#fff', Number.POSITIVE_INFINITY)),
        await window.kit.refusal(() =>
          world.setAmbient({ sky: '#fff', ground: '#000', sides: '#888' } as never),
        ),
        await window.kit.refusal(() => world.setAmbient({ ground: '#000' } as never)),
      ];
      await engine.step(0);
      const picture = await engine.captureFrame();
      await engine.dispose();
      return {
        refusals: refusals.map(({ name, code }) => `${name} ${code}`),
        messages: refusals.map(({ message }) => message),
        bytes: picture.data.length,
      };
    },
    { cutOff: base64(whole.subarray(0, whole.length - 200)), text: base64(Buffer.from('no radiance')) },
  );
  expect(results.refusals).toEqual([
    'AssetError hdr-truncated',
    'AssetError hdr-invalid',
    'AssetError fetch-failed',
    'OptionError option-out-of-range',
    'OptionError option-unknown',
    'OptionError option-invalid',
    'OptionError option-out-of-range',
    'OptionError option-out-of-range',
    'OptionError option-invalid',
    'OptionError option-out-of-range',
    'OptionError option-unknown',
    'OptionError color-invalid',
  ]);
  expect(results.messages[8]).toMatch(/signal of setEnvironment is 3; it has to be an AbortSignal/);
  expect(results.messages[11]).toMatch(/^sky of setAmbient/);
  expect(results.bytes).toBeGreaterThan(0);
});

test('removing the environment restores the earlier picture', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const pictures = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { threading: 'single', antialias: false });
    kit.addScene(engine);
    const { world } = engine;
    const picture = async () => {
      await engine.whenReady();
      await engine.step(0);
      return kit.picture(engine);
    };
    const before = await picture();
    const pictures: string[] = [];
    for (const source of [null, 'studio', null] as const) {
      await world.setEnvironment(source);
      pictures.push(await picture());
    }
    world.setAmbient('#fff', 0.5);
    pictures.push(await picture());
    world.setAmbient('#fff', 0);
    pictures.push(await picture());
    await engine.dispose();
    return pictures.map((each) => each === before);
  });
  expect(pictures).toEqual([true, false, true, false, true]);
});
