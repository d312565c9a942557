/** Bad input to decals, shadow catchers and the sky: typed errors name the option, and the picture goes on. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

test('a decal whose picture is missing or broken is reported and shows nothing, and the rest of the picture goes on', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/404/);
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { createEngine, planeGeometry, texture, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const results = [];
    for (const threading of modes) {
      const engine = await createEngine(kit.view, { threading, antialias: false, background: '#000' });
      const messages: string[] = [];
      engine.addEventListener('error', ({ detail }) => messages.push(`${detail.code} ${detail.message}`));
      const { world } = engine;
      world.addCamera({ position: [0, 0, 5], orthographic: { halfHeight: 2 } });
      world.addMesh({ geometry: planeGeometry({ size: 6 }), material: unlitMaterial({ baseColor: '#00f' }) });
      const broken = new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0)], {
        type: 'image/png',
      });
      const green = texture({ width: 1, height: 1, data: Uint8Array.of(0, 255, 0, 255) });
      world.addDecal({ texture: texture('/nowhere/mark.png'), position: [-1, 0, 0] });
      world.addDecal({ texture: texture(broken), position: [1, 0, 0] });
      // A missing normal map hides its decal, too.
      world.addDecal({ texture: green, normalMap: texture('/nowhere/normals.png'), position: [0, 1, 0] });
      world.addDecal({ texture: green, position: [0, -1, 0] });
      await engine.whenReady();
      await engine.step(0);
      const shot = await engine.captureFrame();
      const pixels = [32, 96].map((x) => kit.pixel(shot, x, 64).join());
      pixels.push(kit.pixel(shot, 64, 32).join(), kit.pixel(shot, 64, 96).join());
      const { leaks } = await engine.dispose();
      results.push({ messages, pixels, leaks });
    }
    return results;
  }, MODES);
  expect(results).toHaveLength(MODES.length);
  for (const { messages, pixels, leaks } of results) {
    expect(pixels).toEqual(['0,0,255,255', '0,0,255,255', '0,0,255,255', '0,255,0,255']);
    expect(messages.sort()).toEqual(
      [
        expect.stringMatching(/^texture-load-failed .*mark\.png.*404/s),
        expect.stringMatching(/^texture-load-failed .*normals\.png.*404/s),
        expect.stringMatching(/^texture-load-failed /),
      ].sort(),
    );
    expect(leaks).toEqual([]);
  }
});

test('wrong options of decals, shadow catchers and the sky are refused by name, and change nothing', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const { refused, isSame, errors, leaks } = await page.evaluate(async () => {
    const { createEngine, planeGeometry, standardMaterial, texture } = window.fencepost;
    const { kit } = window;
    const engine = await createEngine(kit.view, { antialias: false, background: '#000' });
    const errors = kit.listen(engine);
    const { world } = engine;
    world.addCamera({ position: [0, 3, 4], lookAt: [0, 0, 0] });
    const geometry = planeGeometry({ size: 6, facing: 'y' });
    world.addMesh({ geometry, material: standardMaterial({ baseColor: '#888' }) });
    const mark = texture({ width: 1, height: 1, data: Uint8Array.of(255, 0, 0, 255) });
    const decal = world.addDecal({ texture: mark });
    const catcher = world.addShadowCatcher({ size: 2 });
    world.setSky({ sunDirection: [0, -1, -0.5] });
    await engine.whenReady();
    await engine.step(0);
    const before = await kit.picture(engine);
    const actions: readonly (() => unknown)[] = [
      () => world.addDecal({} as never),
      () => world.addDecal({ texture: 'mark.png' as never }),
      () => world.addDecal({ texture: mark, size: 0 }),
      () => world.addDecal({ texture: mark, size: [1, Number.NaN, 1] }),
      () => world.addDecal({ texture: mark, position: [Number.POSITIVE_INFINITY, 0, 0] }),
      () => world.addDecal({ texture: mark, opacity: 1.5 }),
      () => world.addDecal({ texture: mark, renderOrder: 40_000 }),
      () => world.addDecal({ texture: mark, colour: 'red' } as never),
      () => Object.assign(decal.root, { size: [1, 2] }),
      () => Object.assign(decal.root, { color: 'reddish' }),
      () => decal.position.set(Number.NaN, 0, 0),
      () => world.addShadowCatcher({ size: -1 }),
      () => world.addShadowCatcher({ position: [0, Number.NaN, 0] }),
      () => world.addShadowCatcher({ softness: Number.POSITIVE_INFINITY }),
      () => Object.assign(catcher.root, { opacity: 2 }),
      () => Object.assign(catcher.root, { height: 0 }),
      () => Object.assign(catcher.root, { size: [1, Number.POSITIVE_INFINITY] }),
      () => world.setSky({ sunDirection: [0, 0, 0] }),
      () => world.setSky({ turbidity: Number.NaN }),
    ];
    const refused: string[] = [];
    for (const action of actions) {
      const { name, code, message } = await kit.refusal(action);
      refused.push(`${name} ${code} ${message}`);
    }
    await engine.step(0);
    const isSame = (await kit.picture(engine)) === before;
    const { leaks } = await engine.dispose();
    return { refused, isSame, errors, leaks };
  });
  expect({ isSame, errors, leaks }).toEqual({ isSame: true, errors: [], leaks: [] });
  const starts = [
    'OptionError option-invalid texture of addDecal is undefined; it has to be a texture,',
    'OptionError option-invalid texture of addDecal is "mark.png"; it has to be a texture,',
    'OptionError option-out-of-range size of addDecal is 0; it has to be a number from 0.0001 to 100000.',
    'OptionError option-out-of-range size of addDecal is NaN;',
    'SceneError transform-not-finite The position of "decal" can\'t be (Infinity, 0, 0):',
    'OptionError option-out-of-range opacity of addDecal is 1.5; it has to be a number from 0 to 1.',
    'OptionError option-out-of-range renderOrder of addDecal is 40000;',
    'OptionError option-unknown addDecal has no option "colour". Did you mean "color"?',
    'OptionError option-invalid size of the decal ',
    'OptionError color-invalid color of the decal is',
    'SceneError transform-not-finite The position of "decal" can\'t be (NaN, 0, 0):',
    'OptionError option-out-of-range size of addShadowCatcher is -1;',
    'SceneError transform-not-finite The position of "shadow catcher" can\'t be (0, NaN, 0):',
    'OptionError option-out-of-range softness of addShadowCatcher is Infinity;',
    'OptionError option-out-of-range opacity of the shadow catcher is 2; it has to be a number from 0 to 1.',
    'OptionError option-out-of-range height of the shadow catcher is 0;',
    'OptionError option-out-of-range the second number of size of the shadow catcher is Infinity;',
    'OptionError option-out-of-range the length of sunDirection of setSky is 0;',
    'OptionError option-out-of-range turbidity of setSky is NaN; it has to be a number from 1 to 10.',
  ];
  expect(refused.map((message, index) => message.slice(0, starts[index]?.length))).toEqual(starts);
});
