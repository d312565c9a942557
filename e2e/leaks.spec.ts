// Tests the leak report of an engine (L9). The leak is a buffer that a pass of a render module forgets.
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';
import { holdWorkers } from './workers.js';

declare global {
  interface Window {
    /** Adds a render module whose pass forgets a buffer. */
    forget(engine: Engine): Promise<void>;
  }
}

for (const isIsolated of [true, false]) {
  test(`L9: an engine reports leaks, also after a lost device and a dead worker, in every mode, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await holdWorkers(page);
    await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
    await page.evaluate(() => {
      window.forget = async (engine) => {
        const code = `export default ({ graph }) => graph.addPass('frame', () => {
          let forgotten;
          return {
            name: 'forgetful',
            kind: 'compute',
            setup(builder) { builder.keep(); },
            prepare({ rhi }) {
              // The buffer is created outside the pass's calls. So the pass does not own the buffer, and its
              // end does not destroy it.
              forgotten ??= Promise.resolve().then(() =>
                rhi.createBuffer({ label: 'forgotten', byteLength: 16, usage: 8 }),
              );
            },
            execute() {},
          };
        });`;
        const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        await engine.addRenderModule(url);
      };
    });
    const reports = await page.evaluate(async (modes) => {
      const { createEngine } = window.fencepost;
      const reports: Record<string, unknown> = {};
      for (const threading of modes) {
        for (const how of ['whole', 'lost, stopped', 'lost, restored', 'dead, restarted'] as const) {
          if (how === 'dead, restarted' && threading === 'single') continue;
          window.workers.length = 0;
          const engine = await createEngine(window.kit.view, {
            threading,
            taskWorkers: 0,
            deviceLost: how === 'lost, stopped' ? 'stop' : 'recover',
            watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
          });
          engine.addEventListener('error', () => {});
          window.kit.addScene(engine);
          await window.forget(engine);
          await engine.step(0);
          if (how.startsWith('lost')) await engine.simulateDeviceLoss();
          if (how === 'dead, restarted') window.workers[0]!.terminate();
          // A stopped engine draws no frame. Any other engine draws it, if necessary on a new device or new
          // threads.
          if (how !== 'lost, stopped') await engine.step(0);
          const { leaks, unreported } = await engine.dispose();
          reports[`${threading}, ${how}`] = [leaks.map(({ kind, label }) => `${kind} ${label}`), unreported];
        }
      }
      return reports;
    }, modesOf(isIsolated));
    const cases = modesOf(isIsolated).flatMap((mode) =>
      ['whole', 'lost, stopped', 'lost, restored', 'dead, restarted']
        .filter((how) => mode !== 'single' || how !== 'dead, restarted')
        .map((how) => [`${mode}, ${how}`, [['buffer forgotten'], undefined]]),
    );
    expect(reports).toEqual(Object.fromEntries(cases));
  });
}
