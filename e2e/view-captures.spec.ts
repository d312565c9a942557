import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';

// R11: views that can't be read reject with the cause, and the rest of the picture continues.

for (const isolated of [true, false]) {
  test(`R11: a view that can’t be read rejects with the cause, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { boxGeometry, createEngine, renderTexture, unlitMaterial } = window.fencepost;
      const { kit } = window;
      const results: Record<string, unknown>[] = [];
      for (const threading of modes) {
        const engine = await createEngine(kit.view, { threading, antialias: false, validation: true });
        const events = kit.listen(engine);
        const { world } = engine;
        world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f00' }) });
        const camera = world.addCamera({ position: [0, 0, 2] });
        const other = world.addCamera({ position: [0, 0, 2] });
        world.activeCamera = camera;
        const refusal = async (action: () => unknown) => {
          const { name, code, message } = await kit.refusal(action);
          return [name, code, message];
        };
        const huge = renderTexture({ width: 16384, height: 8, name: 'wall' });
        const wide = engine.addView({ camera: other, target: huge });
        const tooLarge = await refusal(() => huge.read());
        const again = await refusal(() => wide.captureFrame());
        wide.dispose();
        const canvas = new OffscreenCanvas(8, 8);
        const view = engine.addView({ camera: other, canvas });
        const before = await view.captureFrame();
        view.enabled = false;
        const disabled = await refusal(() => view.captureFrame());
        view.enabled = true;
        other.destroy();
        const blind = await refusal(() => view.captureFrame());
        view.camera = camera;
        const after = await view.captureFrame();
        const wrong = await refusal(() => engine.addView({ camera: 3 as never }));
        await engine.step(0);
        const middle = kit.pixel(await engine.captureFrame(), 64, 64).join();
        const { leaks } = await engine.dispose();
        const pictures = [before, after].map(({ width, data }) => `${width} ${data[(4 * width + 4) * 4]}`);
        results.push({ tooLarge, again, disabled, blind, wrong, middle, pictures, events, leaks });
      }
      return results;
    }, modesOf(isolated));
    expect(results).toHaveLength(modesOf(isolated).length);
    for (const result of results) {
      const tooLarge = [
        'AssetError',
        'texture-too-large',
        'Render texture "wall" is 16384 × 8; this device takes at most 8192 in each direction. Make it smaller.',
      ];
      expect.soft(result).toEqual({
        tooLarge,
        again: tooLarge,
        disabled: ['StateError', 'view-not-drawn', expect.stringContaining('is not enabled')],
        blind: ['StateError', 'view-not-drawn', expect.stringContaining('has no camera')],
        wrong: ['OptionError', 'option-invalid', expect.not.stringContaining('undefined')],
        middle: '255,0,0,255',
        pictures: ['8 255', '8 255'],
        events: ['error texture-too-large'],
        leaks: [],
      });
    }
  });
}

test('R11: a view that is disposed of during a read returns its picture or rejects, at every moment', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { boxGeometry, createEngine, renderTexture, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const results: Record<string, unknown>[] = [];
    for (const threading of modes) {
      const engine = await createEngine(kit.view, { threading, antialias: false });
      const events = kit.listen(engine);
      const { world } = engine;
      world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f00' }) });
      const camera = world.addCamera({ position: [0, 0, 2] });
      await engine.step(0);
      const answers: Record<string, string[]> = { canvas: [], part: [], texture: [], read: [] };
      for (const [kind, seen] of Object.entries(answers)) {
        // The first reads also load code, which takes time.
        for (let turns = -1; turns < 24; turns++) {
          const target = renderTexture({ width: 8, height: 8, name: 'mirror' });
          const rect = { x: 0, y: 0, width: 0.5, height: 0.5 };
          const options = { canvas: { canvas: new OffscreenCanvas(8, 8) }, part: { rect } }[kind];
          const view = engine.addView({ camera, ...(options ?? { target }) });
          await engine.step(0);
          const reading = kind === 'read' ? target.read() : view.captureFrame();
          const answer = reading.then(
            (picture) => kit.pixel(picture, picture.width >> 1, picture.height >> 1).join(),
            ({ code, message }) => `${code}: ${message.slice(0, 26)}`,
          );
          if (turns < 0) await answer;
          for (let turn = 0; turn < turns; turn++) await null;
          view.dispose();
          const text = await answer;
          if (!seen.includes(text)) seen.push(text);
        }
      }
      const { leaks } = await engine.dispose();
      results.push({ answers, events, leaks });
    }
    return results;
  }, MODES);
  expect(results).toHaveLength(MODES.length);
  for (const { answers, events, leaks } of results) {
    const gone = 'option-invalid: captureFrame takes a view ';
    for (const [kind, seen] of Object.entries(answers as Record<string, string[]>)) {
      const refusal = kind === 'read' ? `render-texture-unused: "mirror" can't be read, be` : gone;
      expect.soft(seen, kind).toContain(refusal);
      expect.soft(new Set([...seen, '255,0,0,255', refusal]).size, seen.join(' | ')).toBe(2);
    }
    expect.soft([events, leaks]).toEqual([[], []]);
  }
});
