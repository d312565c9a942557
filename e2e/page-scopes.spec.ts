import { checkTrace, laneOf, type TraceEvent } from '../src/tools/testing/trace-format.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

// R18: the page adds bars to the timeline with `engine.scope` and with the browser's own `performance.measure`.

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R18: a trace has the scopes, measures and counters of the page, in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    for (const threading of modesOf(isolation)) {
      const { text, results } = await page.evaluate(async (threading) => {
        const engine = await window.fencepost.createEngine(window.kit.view, { threading });
        const { world } = engine;
        world.addCamera();
        const results: unknown[] = [];
        engine.scope('before the trace', () => {});
        performance.measure('measured before', { start: performance.now(), duration: 0 });
        await engine.step(0);
        await engine.startTrace();
        const end = world.onTick(() =>
          engine.scope('physics', () => {
            engine.counter('enemies', 12);
            results.push(engine.scope('collisions', () => 'done'));
          }),
        );
        await engine.step(0.1);
        end();
        const level = engine.scope('level', () => engine.step(0.1).then(() => 'loaded'));
        results.push(level instanceof Promise, await level);
        try {
          engine.scope('failing', () => {
            throw new Error('a slip');
          });
        } catch (error) {
          results.push((error as Error).message);
        }
        results.push((await window.kit.refusal(() => engine.scope(5 as never, () => {}))).code);
        results.push((await window.kit.refusal(() => engine.counter('enemies', Number.NaN))).code);
        performance.mark('begin');
        await engine.step(0.1);
        performance.measure('of the page', 'begin');
        const text = JSON.stringify(await engine.stopTrace());
        engine.scope('after the trace', () => {});
        await engine.dispose();
        return { text, results };
      }, threading);
      expect(results).toEqual(['done', true, 'loaded', 'a slip', 'option-invalid', 'option-invalid']);
      const { bars, lanes, problems } = checkTrace(text);
      expect(problems).toEqual([]);
      const find = (name: string): TraceEvent => {
        const [bar, ...others] = bars.filter((each) => each.name === name);
        if (!bar || others.length > 0) throw new Error(`${threading}: ${others.length} further "${name}".`);
        return bar;
      };
      const isWithin = (inner: TraceEvent, outer: TraceEvent): boolean =>
        laneOf(inner) === laneOf(outer) &&
        inner.ts! >= outer.ts! &&
        inner.ts! + inner.dur! <= outer.ts! + outer.dur!;
      const physics = find('physics');
      expect(lanes.get(laneOf(physics))).toBe('main thread');
      expect(isWithin(find('collisions'), physics)).toBe(true);
      expect(isWithin(physics, find('tick 2')), threading).toBe(true);
      expect(lanes.get(laneOf(find('level')))).toBe('main · scopes');
      expect(lanes.get(laneOf(find('failing')))).toBe('main thread');
      expect(lanes.get(laneOf(find('of the page')))).toBe('main · measures');
      expect(find('of the page').dur).toBeGreaterThan(0);
      const { traceEvents } = JSON.parse(text) as { traceEvents: TraceEvent[] };
      const counted = traceEvents.filter(({ ph, name }) => ph === 'C' && name === 'enemies');
      expect(counted.map(({ args }) => args)).toEqual([{ enemies: 12 }]);
      expect(bars.filter(({ name }) => /before|after the trace/.test(name))).toEqual([]);
    }
  });
}
