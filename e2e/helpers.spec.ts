import { animatedGltf, type TestChannel } from './animated-gltf.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

// R1, R13, H5, T14: the workers of the engine's pool share the work of large scenes, through the public API. They cull
// thousands of primitives in groups, record thousands of draws, and sample thousands of tracks of clips.

/** Number of primitives, slightly more than the 16,384 above which the engine starts helpers. */
const COUNT = 17_000;

declare global {
  interface Window {
    drawCrowd: typeof drawCrowd;
    drawUnmergeable: typeof drawUnmergeable;
    playCrowd: typeof playCrowd;
    drawBesideTasks: typeof drawBesideTasks;
  }
}

/** Draws a moving crowd in the page. Returns the recorded bytes, the pixels, and whether helpers took part. */
async function drawCrowd(threading: (typeof MODES)[number], taskWorkers: number, count: number) {
  const { fencepost, kit } = window;
  const started: Worker[] = [];
  const { Worker } = window;
  window.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      if (String(url).includes('task-worker')) started.push(this);
    }
  };
  const engine = await fencepost.createEngine(kit.view, { threading, taskWorkers, antialias: false });
  const errors = kit.listen(engine);
  const { world } = engine;
  const camera = world.addCamera({ position: [0, 0, 30], near: 1, far: 60 });
  const crowd = world.addInstances({
    geometry: fencepost.planeGeometry({ size: 0.3 }),
    material: fencepost.unlitMaterial({ baseColor: '#fa4' }),
    count,
  });
  // The wall occludes most of the crowd, because a software adapter needs time for each drawn pixel. The
  // helpers also find the occluded primitives.
  const wall = world.addMesh({
    geometry: fencepost.boxGeometry({ size: [2.4, 3, 0.1] }),
    material: fencepost.unlitMaterial({ baseColor: '#48a' }),
    position: [-1, 0, 26],
    occluder: true,
  });
  let frame = 0;
  /** Moves most of the crowd, so that each frame shows a different set. */
  const step = async (): Promise<void> => {
    frame++;
    const { positions } = crowd;
    const end = frame === 1 ? count : count * 0.75;
    for (let place = 0; place < end; place++) {
      const angle = place * 2.4 + frame * 0.01;
      const radius = Math.sqrt(place) * 0.3;
      positions[place * 3] = Math.cos(angle) * radius;
      positions[place * 3 + 1] = Math.sin(angle) * radius;
      positions[place * 3 + 2] = (place % 50) - 25;
    }
    crowd.touch(0, end);
    camera.root.rotation.set(0, Math.sin(frame * 0.1) * 0.3, 0, 1);
    await engine.step(0.02);
  };
  // The number of frames is fixed, because captures contain frame numbers. Helpers start during these frames,
  // and the picture does not depend on their start.
  await engine.startTrace();
  while (frame < 12) await step();
  // A terminated helper loses no work.
  if (taskWorkers === 4) for (const worker of started) worker.terminate();
  while (frame < 16) await step();
  const hasHelped = async (): Promise<boolean> => {
    const { traceEvents } = await engine.stopTrace();
    return traceEvents.some(({ ph, tid, args }) => {
      if (ph !== 'M' || !/^task worker \d+$/.test(String(args?.name))) return false;
      return traceEvents.some((event) => event.name === 'loop' && event.tid === tid);
    });
  };
  let helped = await hasHelped();
  await engine.startCapture();
  for (let more = 0; more < 3; more++) await step();
  const capture = (await engine.stopCapture()) as Blob | ArrayBuffer;
  const bytes = new Uint8Array(capture instanceof Blob ? await capture.arrayBuffer() : capture);
  const picture = await kit.picture(engine);
  const { visible } = engine.stats();
  const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
  await engine.simulateDeviceLoss();
  await restored;
  await engine.whenReady();
  await engine.step(0);
  const again = await kit.picture(engine);
  wall.root.occluder = false;
  await engine.step(0);
  const unhidden = { visible: engine.stats().visible, isSame: (await kit.picture(engine)) === again };
  wall.root.occluder = true;
  // Tries again, because on a busy machine the render thread may finish each frame before a helper is awake.
  const areAlive = crossOriginIsolated && (taskWorkers === 1 || taskWorkers === 2);
  while (areAlive && !helped) {
    await engine.startTrace();
    for (let more = 0; more < 20; more++) await step();
    helped = await hasHelped();
  }
  const { leaks } = await engine.dispose();
  window.Worker = Worker;
  return {
    drawn: { capture: kit.hash(bytes), picture, again, visible, unhidden },
    helped,
    // The pool reports workers that the page has terminated.
    errors: errors.filter(
      (each) => each.startsWith('error') && !(taskWorkers === 4 && each === 'error task-worker-died'),
    ),
    leaks,
  };
}

test('R13: culling gives the same bytes and pixels with 0, 1, 2 and 4 helpers, in all modes, isolated and not, after a lost device', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.slow();
  const results = [];
  for (const [url, counts] of [
    [isolatedURL, [0, 1, 2, 4]],
    [plainURL, [0, 2]],
  ] as const) {
    await openEnginePage(page, url);
    await page.evaluate(`window.drawCrowd = ${drawCrowd}`);
    for (const mode of MODES) {
      for (const helpers of counts) {
        const isHelped = url === isolatedURL && helpers > 0;
        const result = await page.evaluate(
          ([threading, taskWorkers, count]) => window.drawCrowd(threading, taskWorkers, count),
          [mode, helpers, COUNT] as const,
        );
        expect(result).toEqual({
          ...result,
          // All helpers were terminated. Whether one had taken part before depends on the machine.
          helped: helpers === 4 ? result.helped : isHelped,
          errors: [],
          leaks: [],
        });
        results.push(result.drawn);
      }
    }
  }
  expect(results).toHaveLength(18);
  for (const drawn of results) expect(drawn).toEqual(results[0]);
  expect(results[0]!.again).toBe(results[0]!.picture);
  expect(results[0]!.visible).toBeGreaterThan(1000);
  expect(results[0]!.visible).toBeLessThan(COUNT / 2);
  const { visible, unhidden } = results[0]!;
  expect(unhidden).toEqual({ visible: expect.any(Number), isSame: true });
  expect(unhidden.visible - visible, `${unhidden.visible} without, ${visible} with`).toBeGreaterThan(800);
  // Helpers look for hidden primitives only if at least 2,048 primitives are in the picture.
  expect(unhidden.visible).toBeGreaterThan(2048);
});

/**
 * Draws, in the page, thousands of primitives that can't merge into fewer draws. Each frame shows another
 * set, so its draws are recorded anew.
 */
async function drawUnmergeable(
  threading: (typeof MODES)[number],
  taskWorkers: number,
  side = 82,
  recordingTasks = 0,
) {
  const { fencepost, kit } = window;
  const { planeGeometry, unlitMaterial } = fencepost;
  const options = { threading, taskWorkers, recordingTasks, antialias: false } as const;
  const engine = await fencepost.createEngine(kit.view, options);
  const errors = kit.listen(engine);
  const { world } = engine;
  const halfHeight = side / 2;
  const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight } });
  const materials = ['#f40', '#4f0', '#04f'].map((baseColor) => unlitMaterial({ baseColor }));
  // These primitives lie behind the camera. Their number makes the engine start helpers.
  const position = [0, 0, 100];
  if (side > 40)
    world.addInstances({ geometry: planeGeometry(), material: materials[0], count: 10_000, position });
  for (let index = 0; index < side * side; index++) {
    world.addMesh({
      geometry: planeGeometry({ size: 0.6 + (index % 7) * 0.05 }),
      material: materials[index % 3],
      position: [(index % side) - halfHeight + 0.5, Math.floor(index / side) - halfHeight + 0.5, 0],
    });
  }
  let frame = 0;
  const step = async (): Promise<void> => {
    frame++;
    camera.position.x = frame % 3;
    await engine.step(0.02);
  };
  while (frame < 6) await step();
  await engine.startTrace();
  /** Whether the render thread has recorded a pass in a loop. */
  let isShared = false;
  const hasHelped = async (): Promise<boolean> => {
    const { traceEvents } = await engine.stopTrace();
    isShared ||= traceEvents.some(({ name }) => name === 'loop');
    // All primitives are at rest, in groups with bounds, so helpers do not cull. A helper's loop span can only
    // be recording.
    return traceEvents.some(({ ph, tid, args }) => {
      if (ph !== 'M' || !/^task worker \d+$/.test(String(args?.name))) return false;
      return traceEvents.some((event) => event.name === 'loop' && event.tid === tid);
    });
  };
  await engine.startCapture();
  while (frame < 12) await step();
  const capture = (await engine.stopCapture()) as Blob | ArrayBuffer;
  const bytes = new Uint8Array(capture instanceof Blob ? await capture.arrayBuffer() : capture);
  const picture = await kit.picture(engine);
  const { drawCalls } = engine.stats();
  let helped = await hasHelped();
  const hasWorkers = crossOriginIsolated && taskWorkers > 0;
  const isMissing = (): boolean => hasWorkers && !(recordingTasks > 0 ? isShared : helped);
  for (let more = 0; isMissing() && more < 200; more += 10) {
    await engine.startTrace();
    for (let each = 0; each < 10; each++) await step();
    helped = await hasHelped();
  }
  const { leaks } = await engine.dispose();
  return {
    drawn: { capture: kit.hash(bytes), picture, drawCalls },
    helped,
    isShared,
    errors: errors.filter((each) => each.startsWith('error')),
    leaks,
  };
}

test('H4 H5 H9: helpers record sub-lists of thousands of draws with the same bytes and pixels, in all modes, isolated and not', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.slow();
  const results = [];
  for (const [url, runs] of [
    [
      isolatedURL,
      [
        ['render', 0],
        ['render', 5],
        ['single', 5],
        ['render+rhi', 5],
      ],
    ],
    [plainURL, [['render', 5]]],
  ] as const) {
    await openEnginePage(page, url);
    await page.evaluate(`window.drawUnmergeable = ${drawUnmergeable}`);
    for (const [threading, taskWorkers] of runs) {
      const result = await page.evaluate(([mode, workers]) => window.drawUnmergeable(mode, workers), [
        threading,
        taskWorkers,
      ] as const);
      const helped = url === isolatedURL && taskWorkers > 0;
      expect(result).toEqual({ ...result, helped, errors: [], leaks: [] });
      results.push(result.drawn);
    }
  }
  for (const drawn of results) expect(drawn).toEqual(results[0]);
  expect(results[0]!.drawCalls).toBeGreaterThan(6144);
});

test('H4 H5: recordingTasks makes tasks record small passes too, with the same bytes for 0, 1, 2 and 4 workers', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.slow();
  const results = [];
  for (const [url, runs] of [
    [
      isolatedURL,
      [
        ['render', 2, 0],
        ['render', 0, 3],
        ['render', 1, 3],
        ['render', 2, 3],
        ['render', 4, 16],
        ['single', 2, 3],
        ['render+rhi', 2, 3],
      ],
    ],
    [plainURL, [['render', 2, 3]]],
  ] as const) {
    await openEnginePage(page, url);
    await page.evaluate(`window.drawUnmergeable = ${drawUnmergeable}`);
    for (const [threading, taskWorkers, recordingTasks] of runs) {
      const result = await page.evaluate(
        ([mode, workers, tasks]) => window.drawUnmergeable(mode, workers, 20, tasks),
        [threading, taskWorkers, recordingTasks] as const,
      );
      const isShared = url === isolatedURL && taskWorkers > 0 && recordingTasks > 0;
      expect(result).toEqual({ ...result, isShared, errors: [], leaks: [] });
      results.push(result.drawn);
    }
  }
  for (const drawn of results) expect(drawn).toEqual(results[0]);
  expect(results[0]!.drawCalls).toBeGreaterThan(300);
});

/** Plays clips of thousands of tracks in the page, with two clips mixed on each figure. */
async function playCrowd(threading: (typeof MODES)[number], taskWorkers: number, file: string) {
  const { fencepost, kit } = window;
  const engine = await fencepost.createEngine(kit.view, { threading, taskWorkers, antialias: false });
  const errors = kit.listen(engine);
  const { world } = engine;
  world.addCamera({ position: [0, 0, 20], orthographic: { halfHeight: 8 } });
  const bytes = Uint8Array.from(atob(file), (each) => each.charCodeAt(0));
  const first = await world.load(bytes.buffer);
  for (let figure = 0; figure < 180; figure++) {
    const level = figure === 0 ? first : first.clone();
    level.root?.position.set((figure % 15) - 7, Math.floor(figure / 15) - 6, 0);
    level.play('sway', { startSeconds: figure * 0.011, weight: 0.7 });
    level.play('turn', { speed: 0.5 + figure * 0.003, weight: 0.3, additive: figure % 4 === 0 });
  }
  let frame = 0;
  const step = async (): Promise<void> => {
    frame++;
    await engine.step(0.03);
  };
  const hasHelped = async (): Promise<boolean> => {
    const { traceEvents } = await engine.stopTrace();
    return traceEvents.some(({ ph, tid, args }) => {
      if (ph !== 'M' || !/^task worker \d+$/.test(String(args?.name))) return false;
      return traceEvents.some((event) => event.name === 'loop' && event.tid === tid);
    });
  };
  await engine.startTrace();
  while (frame < 20) await step();
  await engine.startCapture();
  while (frame < 24) await step();
  const capture = (await engine.stopCapture()) as Blob | ArrayBuffer;
  const recorded = new Uint8Array(capture instanceof Blob ? await capture.arrayBuffer() : capture);
  const picture = await kit.picture(engine);
  let helped = await hasHelped();
  while (crossOriginIsolated && taskWorkers > 0 && !helped) {
    await engine.startTrace();
    for (let each = 0; each < 20; each++) await step();
    helped = await hasHelped();
  }
  const { leaks } = await engine.dispose();
  return {
    drawn: { capture: kit.hash(recorded), picture },
    helped,
    errors: errors.filter((each) => each.startsWith('error')),
    leaks,
  };
}

test('R1: clips of thousands of tracks give the same bytes and pixels with 0, 1, 2 and 4 helpers, in all modes, isolated and not', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.slow();
  const times = [0, 0.4, 1];
  const half = Math.SQRT1_2;
  const channels = [0, 1].flatMap((node): TestChannel[] => [
    { node, path: 'translation', times, values: [0, 0, 0, 0.3, 0.1 * node, 0, 0, 0, 0] },
    { node, path: 'rotation', times, values: [0, 0, 0, 1, 0, 0, half, half, 0, 0, 0, 1] },
    { node, path: 'scale', times, values: [0.5, 0.5, 0.5, 0.8, 0.4, 1, 0.5, 0.5, 0.5] },
  ]);
  const file = animatedGltf([
    { name: 'sway', channels },
    { name: 'turn', channels: channels.toReversed() },
  ]);
  const text = Buffer.from(file).toString('base64');
  const results = [];
  for (const [url, counts] of [
    [isolatedURL, [0, 1, 2, 4]],
    [plainURL, [2]],
  ] as const) {
    await openEnginePage(page, url);
    await page.evaluate(`window.playCrowd = ${playCrowd}`);
    for (const mode of MODES) {
      for (const helpers of counts) {
        // Tests one mode with each number of helpers, and each mode with two helpers.
        if (mode !== 'render' && helpers !== 2) continue;
        const result = await page.evaluate(
          ([threading, taskWorkers, bytes]) => window.playCrowd(threading, taskWorkers, bytes),
          [mode, helpers, text] as const,
        );
        const helped = url === isolatedURL && helpers > 0;
        expect(result).toEqual({ ...result, helped, errors: [], leaks: [] });
        results.push(result.drawn);
      }
    }
  }
  expect(results).toHaveLength(9);
  for (const drawn of results) expect(drawn).toEqual(results[0]);
});

/** Number of frames of the crowd that are drawn while long tasks run. */
const LONG_TASK_FRAMES = 5;

/**
 * Draws a moving crowd in the page while tasks that take seconds keep all workers of the normal set busy.
 * Returns the number of started workers, their sets, and the number of workers that took part in loops
 * meanwhile.
 */
async function drawBesideTasks(taskWorkers: number, frames: number, url: string) {
  const { fencepost, kit } = window;
  const started: string[] = [];
  const { Worker } = window;
  window.Worker = class extends Worker {
    constructor(address: string | URL, options?: WorkerOptions) {
      super(address, options);
      started.push(String(address).split('/').at(-1) as string);
    }
  };
  const engine = await fencepost.createEngine(kit.view, { taskWorkers, antialias: false });
  const errors = kit.listen(engine);
  const { world } = engine;
  world.addCamera({ position: [0, 0, 30], near: 1, far: 60 });
  const count = 17_000;
  const crowd = world.addInstances({
    geometry: fencepost.planeGeometry({ size: 0.1 }),
    material: fencepost.unlitMaterial({ baseColor: '#fa4' }),
    count,
  });
  let frame = 0;
  const step = async (): Promise<void> => {
    frame++;
    for (let place = 0; place < count; place++) {
      crowd.positions[place * 3] = (place % 100) + frame * 0.01;
      crowd.positions[place * 3 + 2] = -100 - (place % 50);
    }
    crowd.touch(0, count);
    await engine.step(0.02);
  };
  for (let each = 0; each < 5; each++) await step();
  const module = await engine.tasks.load(url);
  const normal = engine.tasks.threads().filter(({ set }) => set === 'normal').length;
  const helpersBesideTasks = async (): Promise<number> => {
    const tasks = Array.from({ length: normal }, () => module.run('busy', { milliseconds: 3000 }));
    while (
      engine.tasks.threads().filter(({ set, state }) => set === 'normal' && state === 'running').length <
      normal
    )
      await new Promise((resolve) => setTimeout(resolve));
    await engine.startTrace();
    for (let each = 0; each < frames; each++) await step();
    const { traceEvents } = await engine.stopTrace();
    // A worker whose task has ended meanwhile may have helped as well. Then these frames prove nothing.
    const isShown = engine.tasks.stats()?.pending === normal;
    await Promise.all(tasks);
    if (!isShown) return 0;
    const lanes = traceEvents.filter(
      ({ ph, args }) => ph === 'M' && String(args?.name).startsWith('task worker'),
    );
    return lanes.filter(({ tid }) => traceEvents.some((event) => event.name === 'loop' && event.tid === tid))
      .length;
  };
  let helped = 0;
  while (helped === 0) helped = await helpersBesideTasks();
  const sets = engine.tasks
    .threads()
    .flatMap(({ set }) => set ?? [])
    .sort();
  await engine.dispose();
  window.Worker = Worker;
  return { helped, sets, started: started.filter((name) => name.startsWith('task')).length, errors };
}

test('T14: one pool serves loops and tasks: a worker of the high set helps the render thread beside tasks that take seconds', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  await page.evaluate(`window.drawBesideTasks = ${drawBesideTasks}`);
  const found = await page.evaluate(([frames, url]) => window.drawBesideTasks(2, frames, url), [
    LONG_TASK_FRAMES,
    '/e2e/pages/task-module.js',
  ] as const);
  expect(found).toEqual({ helped: 1, sets: ['high', 'normal'], started: 2, errors: [] });
});
