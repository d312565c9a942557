/** Page functions of the smoke suite. They run in both browsers, so they use nothing outside their own bodies. */
export interface SmokeStep {
  readonly picture?: string;
  readonly events?: readonly string[];
  readonly value?: unknown;
}

type Threading = 'single' | 'render' | 'render+rhi';

/**
 * Goes through a picture, a lost device, other threads and back, a blocked page, picks, captures and tasks, in
 * one mode.
 */
export async function smoke(threading: Threading): Promise<Record<string, SmokeStep>> {
  const { fencepost, kit } = window;
  const steps: Record<string, SmokeStep> = {};
  const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
  const events = kit.listen(engine);
  const cube = kit.addScene(engine);
  const see = async (): Promise<SmokeStep> => {
    await engine.whenReady();
    await engine.step(0);
    return { picture: await kit.picture(engine), events: events.splice(0) };
  };
  const restored = (): Promise<unknown> =>
    new Promise((resolve) => engine.addEventListener('devicerestored', resolve, { once: true }));
  steps.first = await see();
  for (const turn of [1, 2]) {
    const restoration = restored();
    await engine.simulateDeviceLoss();
    await restoration;
    steps[`device loss ${turn}`] = await see();
  }
  for (const mode of ['render+rhi', 'single', 'render', threading] as const) {
    await engine.setThreading(mode);
    steps[`threads ${mode}`] = await see();
  }
  const restoration = restored();
  await engine.simulateDeviceLoss();
  await restoration;
  steps['loss after switches'] = await see();

  const pick = await engine.pick(64, 64);
  steps.pick = { value: [pick?.actor === cube, pick?.distance.toFixed(3)] };

  engine.start();
  const began = performance.now();
  while (performance.now() - began < 2000);
  await engine.whenReady();
  engine.stop();
  steps['page blocked for 2 s'] = await see();

  if (threading !== 'single') {
    await engine.startCapture();
    await engine.step(0);
    const file = await engine.stopCapture();
    const { picture, frames, errors } = await kit.replayed(file);
    steps.capture = { value: { picture, frames, errors } };
  }
  const module = await engine.tasks.load('/e2e/pages/task-module.js');
  const numbers = Float64Array.from({ length: 1000 }, (_, index) => index);
  steps.tasks = { value: [await module.run('sum', { numbers }), await module.run('where')] };
  const { leaks } = await engine.dispose();
  steps.end = { value: leaks, events };
  return steps;
}

/** Terminates a worker while the engine draws. The replacement has to draw the same picture. */
export async function killWorkers(threading: 'render' | 'render+rhi'): Promise<Record<string, SmokeStep>> {
  const { fencepost, kit } = window;
  const steps: Record<string, SmokeStep> = {};
  const workers: Worker[] = [];
  const Native = window.Worker;
  window.Worker = class extends Native {
    constructor(...parameters: ConstructorParameters<typeof Worker>) {
      super(...parameters);
      workers.push(this);
    }
  };
  const engine = await fencepost.createEngine(kit.view, {
    threading,
    antialias: false,
    watchdog: { reportSeconds: 2, restartSeconds: 4 },
  });
  window.Worker = Native;
  kit.addScene(engine);
  engine.addEventListener('error', () => {});
  await engine.whenReady();
  await engine.step(0);
  steps.before = { picture: await kit.picture(engine) };
  for (const [index, worker] of workers.entries()) {
    const restarted = new Promise<string>((resolve) =>
      engine.addEventListener('threadrestarted', ({ detail }) => resolve(detail.thread), { once: true }),
    );
    worker.terminate();
    engine.start();
    steps[`killed ${index}`] = { value: await restarted };
    engine.stop();
    await engine.whenReady();
    await engine.step(0);
    steps[`after ${index}`] = { picture: await kit.picture(engine) };
  }
  const { leaks } = await engine.dispose();
  steps.end = { value: leaks };
  return steps;
}
