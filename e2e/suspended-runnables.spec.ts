/** T15: threads of a program are suspended at their safe points and resumed, in Chromium with real threads. */
import { expect, test } from './fixtures.js';
import { MODULE, openTasks } from './open-tasks.js';

for (const isolation of ['isolated', 'not isolated'] as const)
  test(`T15: runnables are suspended at their safe points, and resumed: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
    expectErrors,
  }) => {
    if (isolation !== 'isolated') expectErrors(/blockAtSafePoint\(\) needs .* shared memory/);
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem, sharedArray } = window.tasking;
      const runnable = '/e2e/pages/runnable.js';
      const results: unknown[] = [];
      // Without workers the page itself runs the thread.
      for (const workers of [1, 0]) {
        const tasks = createTaskSystem({ workers });
        const thread = await tasks.createThread(runnable, { name: 'steps', args: { kind: 'steps' } });
        /** Asks the thread, whose event loop runs while it pauses, for the number of its rounds. */
        const rounds = () =>
          new Promise<number>((resolve) => {
            thread.port.onmessage = ({ data }) => resolve(data);
            thread.port.postMessage('rounds?');
          });
        const reach = async (round: number) => {
          while ((await rounds()) < round);
        };
        await reach(3);
        const paused = [await thread.suspend(), await thread.suspend(), thread.resume(), thread.state];
        const before = await rounds();
        for (let asked = 0; asked < 50; asked++) await rounds();
        const isStill = (await rounds()) === before;
        const resumed = [thread.resume(), thread.state];
        await reach(before + 3);
        await thread.suspend();
        results.push([...paused, isStill, ...resumed, await thread.stop()]);
        await tasks.dispose();
      }
      const tasks = createTaskSystem({ workers: 1 });
      const module = await tasks.load(url);
      const words = sharedArray(Int32Array, 2);
      const blocking = await tasks.createThread(runnable, {
        name: 'blocks',
        args: { kind: 'blocks', words },
      });
      if (!crossOriginIsolated) results.push(await window.codeOf(blocking.done));
      else {
        const paused = [await blocking.suspend(), blocking.state];
        const before = Atomics.load(words, 1);
        for (let run = 0; run < 50; run++) await module.run('where');
        const isStill = before === Atomics.load(words, 1);
        blocking.resume();
        while (Atomics.load(words, 1) < before + 3) await module.run('where');
        await blocking.suspend();
        results.push([...paused, isStill, await blocking.stop()]);
      }
      await tasks.dispose();
      return results;
    }, MODULE);
    const steps = [true, true, false, 'suspended', true, true, 'running', 'ended'];
    const blocks = [true, 'suspended', true, 'ended'];
    expect(found).toEqual([steps, steps, isolation === 'isolated' ? blocks : 'wait-not-possible']);
  });
