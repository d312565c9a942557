/** R3: threads are switched while the engine runs; the picture does not change by a byte, and nothing in flight is lost. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R3: every mode to every other, ${isolation}: the same pixels, the scene goes on`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.setTimeout(180_000);
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const all = await page.evaluate(async (modes) => {
      const { kit } = window;
      const all = [];
      for (const from of modes) {
        for (const to of modes) {
          if (from === to) continue;
          const engine = await window.fencepost.createEngine(kit.view, {
            threading: from,
            background: '#123',
          });
          const cube = kit.addScene(engine);
          const events = kit.listen(engine);
          await engine.step(0.1);
          const before = await kit.picture(engine);
          const { canvas } = engine;
          canvas.dataset.mine = 'yes';
          const frames = engine.stats().presentedFrames;
          await engine.setThreading(to);
          const after = await kit.picture(engine);
          const isSameCanvas = engine.canvas === canvas;
          const isInPlace = kit.view.children.length === 1 && kit.view.firstChild === engine.canvas;
          const mine = engine.canvas.dataset.mine;
          cube.rotateY(0.5);
          await engine.step(0.1);
          const moved = await kit.picture(engine);
          await engine.setThreading(from);
          const back = await kit.picture(engine);
          const total = engine.stats().presentedFrames;
          const { leaks } = await engine.dispose();
          all.push({
            from,
            to,
            before,
            after,
            moved,
            back,
            isSameCanvas,
            isInPlace,
            mine,
            events,
            leaks,
            hasGrown: total > frames,
          });
        }
      }
      return all;
    }, modes);
    for (const result of all) {
      const label = `${result.from} to ${result.to}`;
      expect(result.after, label).toBe(result.before);
      expect(result.moved, label).not.toBe(result.before);
      expect(result.back, label).toBe(result.moved);
      const keepsCanvas = result.from !== 'single' && result.to !== 'single';
      expect(result.isSameCanvas, label).toBe(keepsCanvas);
      expect(result.events, label).toEqual(keepsCanvas ? [] : ['surfacechange', 'surfacechange']);
      expect(result, label).toMatchObject({ isInPlace: true, mine: 'yes', leaks: [], hasGrown: true });
    }
    expect(new Set(all.map(({ before }) => before)).size).toBe(1);
  });
}
