/** Tasks with shared memory, in Chromium with real workers: locks that block, and arenas. */
import { expect, test } from './fixtures.js';
import { MODULE, openTasks } from './open-tasks.js';

test('T13: workers block on mutexes, barriers and semaphores, and the page never does: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const { createTaskSystem, sharedArray } = window.tasking;
    const code = (promise: PromiseLike<unknown>) =>
      promise.then(
        () => 'done',
        (error) => error.code,
      );
    const tasks = createTaskSystem({ workers: 4 });
    const module = await tasks.load(url);
    const words = sharedArray(Int32Array, 8);
    await Promise.all(Array.from({ length: 4 }, () => module.run('deposit', { words, times: 1000 })));
    const last = await Promise.all(Array.from({ length: 3 }, () => module.run('meet', { words, size: 3 })));
    words[4] = 1;
    await Promise.all([true, false].map((isFirst) => module.run('pass', { words, times: 100, isFirst })));
    const inVain = await code(module.run('waitInVain', { words }));
    await tasks.dispose();
    const onPage = createTaskSystem({ workers: 0 });
    const here = await onPage.load(url);
    return {
      deposits: words[1],
      last: last.filter(Boolean).length,
      passed: words[6],
      inVain,
      onPage: await code(here.run('waitInVain', { words })),
    };
  }, MODULE);
  expect(found).toEqual({
    deposits: 4000,
    last: 1,
    passed: 200,
    inVain: 'wait-timed-out',
    onPage: 'wait-not-possible',
  });
});

test('T13: conditions, read-write locks and pooled events work between workers: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async (url) => {
    const { createTaskSystem, sharedArray } = window.tasking;
    const tasks = createTaskSystem({ workers: 4 });
    const module = await tasks.load(url);
    const condition = { words: sharedArray(Int32Array, 4) };
    const [heard] = await Promise.all([
      module.run('awaitValue', condition),
      module.run('setValue', { ...condition, value: 42 }),
    ]);
    const both = { words: sharedArray(Int32Array, 6), times: 500 };
    const [first, second] = await Promise.all(
      ['readBoth', 'readBoth', 'writeBoth', 'writeBoth'].map((name) => module.run(name, both)),
    );
    const pooled = { words: sharedArray(Int32Array, 8) };
    const taken = [];
    for (let round = 0; round < 3; round++) {
      const [one] = await Promise.all([module.run('awaitPooled', pooled), module.run('setPooled', pooled)]);
      taken.push(one);
    }
    await tasks.dispose();
    return {
      heard,
      different: [first, second],
      written: [...both.words.subarray(4)],
      taken: new Set(taken).size,
    };
  }, MODULE);
  // A returned signal is used again.
  expect(found).toEqual({ heard: 42, different: [0, 0], written: [1000, 1000], taken: 1 });
});

test('T13: locks and signals in memory that is copied are refused: not isolated', async ({
  page,
  plainURL,
}) => {
  await openTasks(page, plainURL);
  const codes = await page.evaluate(async (url) => {
    const tasks = window.tasking.createTaskSystem({ workers: 1 });
    const module = await tasks.load(url);
    const words = window.tasking.sharedArray(Int32Array, 8);
    const codes = [
      await window.codeOf(module.run('waitInVain', { words })),
      await window.codeOf(module.run('lockFree', { words })),
      await window.codeOf(module.run('deposit', { words, times: 1 })),
    ];
    await tasks.dispose();
    return codes;
  }, MODULE);
  expect(codes).toEqual(['memory-not-shared', 'memory-not-shared', 'memory-not-shared']);
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`M5: arenas allocate by tag with a block per worker, are freed by tag, and count high-water marks: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTasks(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const found = await page.evaluate(async (url) => {
      const { createTaskSystem } = window.tasking;
      const tasks = createTaskSystem({ workers: 2 });
      const module = await tasks.load(url);
      const arenas = tasks.arenas({ blockBytes: 4096, blocks: 8, isDevelopment: true });
      const mine = arenas.allocate('game', 100).fill(1);
      // Each tag has a block, which is freed without the others.
      const others = (['render', 'gpu', 8] as const).map((tag) => {
        const view = arenas.allocate(tag, 100).fill(2);
        return [arenas.freeTag(tag), view[0], mine[0]].join(' ');
      });
      const { memory } = arenas;
      const parts = await Promise.all(
        Array.from({ length: 8 }, (_, value) =>
          module.run('fillArena', { memory, tag: 7, value, bytes: 1000 }),
        ),
      ).catch((error) => error.code);
      const used = tasks.stats().memory.arenas;
      const places = Array.isArray(parts)
        ? parts.map((part) => (part as { byteOffset: number }).byteOffset)
        : parts;
      const values = Array.isArray(places)
        ? places.map((at) =>
            new Uint8Array(memory.words.buffer, at, 1000).every((each, _, all) => each === all[0]),
          )
        : [];
      const freed = arenas.freeTag(7);
      const after = tasks.stats().memory;
      const late = mine[50];
      arenas.freeTag('game');
      await tasks.dispose();
      return {
        distinct: Array.isArray(places) ? new Set(places).size : places,
        isWhole: values.every(Boolean),
        isCounted: used - freed === after.arenas && after.arenasPeak >= used && used >= 4096,
        freed: freed > 0,
        late: [late, mine[50]],
        others,
      };
    }, MODULE);
    const isIsolated = isolation === 'isolated';
    expect(found).toEqual({
      distinct: isIsolated ? 8 : 'memory-not-shared',
      isWhole: true,
      isCounted: true,
      freed: isIsolated,
      late: [1, 0xdd],
      others: Array(3).fill(`4096 ${0xdd} 1`),
    });
  });
}

test('M5: workers that allocate at the same time fill blocks of their own: isolated', async ({
  page,
  isolatedURL,
}) => {
  await openTasks(page, isolatedURL);
  const found = await page.evaluate(async () => {
    const { createTaskSystem, sharedArray } = window.tasking;
    const source = `export default {
      // Three tasks that wait for each other run on three workers.
      fill({ words, memory, value }, _begin, _end, task) {
        const barrier = new task.tools.TaskBarrier({ words, index: 0 }, 3);
        barrier.arrive(performance.now() + 20_000);
        const arenas = task.tools.openArenas(memory);
        const views = [0, 1].map(() => arenas.allocate(7, 1000).fill(value));
        barrier.arrive(performance.now() + 20_000);
        return views.map((view) => [view.byteOffset, view.every((each) => each === value)]);
      },
    };`;
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const tasks = createTaskSystem({ workers: 3 });
    const module = await tasks.load(url);
    const { memory } = tasks.arenas({ blockBytes: 4096, blocks: 8, isDevelopment: true });
    const words = sharedArray(Int32Array, 4);
    const parts = (await Promise.all(
      [1, 2, 3].map((value) => module.run('fill', { words, memory, value })),
    )) as [number, boolean][][];
    const { arenas } = tasks.stats().memory;
    await tasks.dispose();
    const starts = parts.map(([first, second]) => (second?.[0] ?? 0) - (first?.[0] ?? 0));
    const distances = parts.map(([first]) => Math.abs((first?.[0] ?? 0) - (parts[0]?.[0]?.[0] ?? 0)) % 4096);
    return {
      areWhole: parts.flat().every(([, isWhole]) => isWhole),
      firsts: new Set(parts.map(([first]) => first?.[0])).size,
      starts,
      distances,
      arenas,
    };
  });
  expect(found).toEqual({
    areWhole: true,
    firsts: 3,
    // Both allocations of a worker lie in one block. Blocks begin at multiples of their size.
    starts: [1008, 1008, 1008],
    distances: [0, 0, 0],
    arenas: 3 * 4096,
  });
});
