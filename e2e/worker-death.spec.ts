/** R9: workers that are killed, throw or hang are replaced, and the picture is the one before. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { holdWorkers } from './workers.js';

for (const [threading, killed, name] of [
  ['render', 0, 'render'],
  ['render+rhi', 0, 'RHI'],
  ['render+rhi', 1, 'render'],
] as const) {
  test(`R9: ${threading}: a killed ${name} worker is replaced; the same pixels`, async ({
    page,
    isolatedURL,
  }) => {
    await holdWorkers(page);
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(
      async ([threading, killed]) => {
        const { kit } = window;
        const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
        kit.addScene(engine);
        const events = kit.listen(engine);
        const messages: string[] = [];
        engine.addEventListener('error', ({ detail }) => messages.push(detail.message));
        await engine.step(0.1);
        const before = await kit.picture(engine);
        window.workers[killed]!.terminate();
        const after = await kit.picture(engine);
        await engine.step(0.1);
        const { leaks } = await engine.dispose();
        return { before, after, events, messages, leaks };
      },
      [threading, killed] as const,
    );
    console.log(JSON.stringify(result));
    expect(result.after).toBe(result.before);
  });
}
