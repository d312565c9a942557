/** The timeline of a real engine: the format of traces in all modes, the overlap of stages, and the view. */
import type { BrowserContext, Page } from '@playwright/test';
import {
  checkTrace,
  laneOf,
  type TraceContents,
  type TraceEvent,
} from '../src/tools/testing/trace-format.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { isolationsOf, MODES } from './threading-modes.js';
import { atStartOfWorkers } from './workers.js';

type Mode = (typeof MODES)[number];

/** The rounding of clocks by browsers, in microseconds. Clocks of two threads may differ by twice as much. */
const CLOCK_ERROR = 250;

/** Returns a trace of `frames` steps of a small scene. */
async function trace(page: Page, threading: Mode, frames: number): Promise<TraceContents> {
  const text = await page.evaluate(
    async ([threading, frames]) => {
      const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
      const cube = world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
      world.onTick((deltaSeconds) => cube.rotateY(deltaSeconds));
      await engine.step(0);
      await engine.startTrace();
      await Promise.all(Array.from({ length: frames }, () => engine.step(0.01)));
      // A step only waits until its frame is complete. The flush also waits for the frame's releases.
      await engine.flush();
      const text = JSON.stringify(await engine.stopTrace());
      await engine.dispose();
      return text;
    },
    [threading, frames] as const,
  );
  return checkTrace(text);
}

function find({ bars, lanes }: TraceContents, name: string, lane: RegExp = /./): TraceEvent {
  const bar = bars.find((each) => each.name === name && lane.test(lanes.get(laneOf(each)) ?? ''));
  if (!bar) throw new Error(`The trace has no bar "${name}".`);
  return bar;
}
const begin = ({ ts = 0 }: TraceEvent): number => ts;
const end = ({ ts = 0, dur = 0 }: TraceEvent): number => ts + dur;

const LANES: Readonly<Record<Mode, readonly string[]>> = {
  single: ['main thread'],
  render: ['main thread', 'render worker'],
  'render+rhi': ['main thread', 'render worker', 'RHI worker'],
};

for (const threading of MODES) {
  for (const isolation of isolationsOf(threading)) {
    test(`F10: a trace in ${threading}, ${isolation}, follows the format, and its clocks agree`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const FRAMES = 12;
      const contents = await trace(page, threading, FRAMES);
      expect(contents.problems).toEqual([]);
      const lanes = [...contents.lanes.values()];
      expect(lanes.filter((lane) => /thread$|worker$/.test(lane))).toEqual(LANES[threading]);
      expect(lanes).toEqual(expect.arrayContaining(['GPU', 'GPU · 3D queue']));
      expect(lanes.slice(-3)).toEqual(['fence rendered', 'fence submitted', 'fence completed']);

      for (let frame = 2; frame < FRAMES + 2; frame++) {
        const steps = [
          find(contents, `tick ${frame}`),
          find(contents, `update ${frame}`),
          find(contents, `commands ${frame}`),
          find(contents, `record ${frame}`),
          find(contents, `execute ${frame}`),
          find(contents, `submit ${frame}`),
          find(contents, `GPU ${frame}`),
          find(contents, `completed ${frame}`, /fence/),
          find(contents, `release ${frame}`),
        ];
        const begins = steps.map(begin);
        for (const [index, time] of begins.entries()) {
          if (index === 0) continue;
          const what = `${steps[index]?.name} at ${time} after ${steps[index - 1]?.name} at ${begins[index - 1]}`;
          expect(time + CLOCK_ERROR, what).toBeGreaterThanOrEqual(begins[index - 1] ?? 0);
        }
        const cull = find(contents, `cull ${frame}`);
        const record = find(contents, `record ${frame}`);
        expect(begin(cull)).toBeGreaterThanOrEqual(begin(record));
        expect(end(cull)).toBeLessThanOrEqual(end(record) + 0.5);
      }

      const flows = [...contents.flows.values()];
      const whole = flows.filter((points) => points.map(({ ph }) => ph).join('') === 'sttttf');
      expect(whole.map(([first]) => first?.name)).toEqual(
        Array.from({ length: FRAMES }, (_, index) => `frame ${index + 2}`),
      );
      // A wait ends after its signal.
      const waits = flows.filter(([first]) => first?.cat === 'wait');
      expect(waits.length).toBeGreaterThan(0);
      for (const [signal, wait] of waits) expect(wait?.ts).toBeGreaterThanOrEqual(signal?.ts ?? 0);
    });
  }
}

test('R15: with render+rhi three frames are in progress at one moment: game N, render N − 1, RHI N − 2', async ({
  page,
  context,
  isolatedURL,
}) => {
  await meetInEveryFrame(context, page);
  await openEnginePage(page, isolatedURL);
  const text = await page.evaluate(async (last) => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    const { meeting } = window as unknown as { meeting: Int32Array };
    window.kit.view.style.cssText = 'width:16px;height:16px';
    const engine = await createEngine(window.kit.view, { threading: 'render+rhi' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
    world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
    await engine.step(0);
    let frame = 1;
    world.onTick(() => {
      frame++;
      Atomics.store(meeting, 0, frame);
      Atomics.notify(meeting, 0);
      const began = performance.now();
      // The page's thread must not block, so it polls until the other threads have arrived, or ten seconds have
      // passed.
      while (Atomics.load(meeting, 1) < frame - 1 || Atomics.load(meeting, 2) < frame - 2) {
        if (performance.now() - began > 10_000)
          throw new Error(`The workers did not arrive at frame ${frame} in time.`);
      }
      const met = performance.now();
      while (performance.now() - met < 3); // longer than the difference of the clocks
    });
    // No thread waits before the first frame in which all three can meet, nor after the last one.
    Atomics.store(meeting, 1, 2);
    Atomics.store(meeting, 2, 1);
    Atomics.store(meeting, 3, last);
    await engine.startTrace();
    await Promise.all(Array.from({ length: last - 1 }, () => engine.step(0.01)));
    const text = JSON.stringify(await engine.stopTrace());
    await engine.dispose();
    return text;
  }, LAST_MEETING);
  const contents = checkTrace(text);
  expect(contents.problems).toEqual([]);
  for (let frame = 4; frame <= LAST_MEETING; frame++) {
    const game = [begin(find(contents, `tick ${frame}`)), end(find(contents, `tick ${frame}`))] as const;
    const render = find(contents, `record ${frame - 1}`, /^render worker$/);
    const rhi = contents.bars
      .filter(({ name }) => name === `execute ${frame - 2}`)
      .map((bar) => [begin(bar), end(bar)] as const);
    const overlaps = rhi.map(
      ([from, to]) => Math.min(game[1], end(render), to) - Math.max(game[0], begin(render), from),
    );
    expect(
      Math.max(...overlaps),
      `µs in which ${frame}, ${frame - 1}, ${frame - 2} were in work`,
    ).toBeGreaterThan(CLOCK_ERROR);
  }
});

const LAST_MEETING = 16;

/**
 * Stops two workers until the game is in the tick of frame N: the render worker while it records N − 1, and the
 * RHI worker while it executes N − 2. So the frames can only end if all three are in progress at once. The
 * shared block contains the last frame at which game, render and RHI have arrived, and the last frame for which
 * a thread waits.
 */
async function meetInEveryFrame(context: BrowserContext, page: Page): Promise<void> {
  await atStartOfWorkers(context, `(${installMeeting})();`);
  await page.addInitScript(() => {
    const meeting = new Int32Array(new SharedArrayBuffer(16));
    Object.assign(window, { meeting });
    const NativeWorker = Worker;
    window.Worker = class extends NativeWorker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        this.postMessage(meeting);
      }
    };
  });
}

/** Installs the meeting. Runs in a worker before its script. */
function installMeeting(): void {
  let meeting: Int32Array = new Int32Array(4);
  addEventListener('message', (event: MessageEvent) => {
    if (!(event.data instanceof Int32Array)) return;
    event.stopImmediatePropagation();
    meeting = event.data;
  });
  /**
   * Waits until the two other threads are in the matching frames.
   * @param own 1 for the render thread, 2 for the RHI's; also the number of frames that the game is ahead
   */
  const meet = (own: number, frame: number): void => {
    if (frame <= Atomics.load(meeting, own)) return; // before the meetings
    Atomics.store(meeting, own, frame);
    Atomics.notify(meeting, own);
    const wanted = frame + own;
    if (wanted > Atomics.load(meeting, 3)) return;
    const others = [0, 1, 2].filter((each) => each !== own);
    for (const other of others) {
      const least = wanted - other;
      for (let now = Atomics.load(meeting, other); now < least; now = Atomics.load(meeting, other)) {
        if (Atomics.wait(meeting, other, now, 10_000) === 'timed-out')
          throw new Error('Another thread did not arrive at the meeting in time.');
      }
    }
    const met = performance.now();
    while (performance.now() - met < 3);
  };
  globalThis.fencepostFrameStep = (step, frame) => {
    if (step === 'recording') meet(1, frame);
  };
  // The executor requests the canvas texture once per frame.
  let executed = 0;
  const { getCurrentTexture } = GPUCanvasContext.prototype;
  GPUCanvasContext.prototype.getCurrentTexture = function () {
    meet(2, ++executed);
    return getCurrentTexture.call(this);
  };
}

/** Starts a running engine, and waits until some frames have been drawn. */
async function start(page: Page, threading: Mode): Promise<void> {
  await page.evaluate(async (threading) => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    window.kit.view.style.cssText = 'width:32px;height:32px';
    const engine = await createEngine(window.kit.view, { threading });
    engine.world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
    const cube = engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
    engine.world.onTick((deltaSeconds) => cube.rotateY(deltaSeconds));
    engine.start();
    for (let frame = 0; frame < 8; frame++) await engine.step(0.01);
    Object.assign(window, { engine });
  }, threading);
}

interface Held {
  readonly engine: Awaited<ReturnType<Window['fencepost']['createEngine']>>;
}

/** Counts the pixels of bars in the view: those that are neither empty nor grey. */
const countBars = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.querySelector('fencepost-timeline')?.shadowRoot?.querySelector('canvas');
    const { data } = canvas!.getContext('2d')!.getImageData(0, 0, canvas!.width, canvas!.height);
    let colored = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.slice(at, at + 4);
      if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) colored++;
    }
    return colored;
  });

for (const threading of MODES) {
  for (const isolation of isolationsOf(threading)) {
    test(`F10: the key shows the timeline in ${threading}, ${isolation}, with bars, and Escape closes it`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      await start(page, threading);
      await expect(page.locator('fencepost-timeline')).toHaveCount(0);
      await page.keyboard.press('F8');
      const panel = page.getByRole('region', { name: 'Timeline' });
      await expect(panel).toBeVisible();
      await expect(panel).toBeFocused();
      await expect.poll(() => countBars(page)).toBeGreaterThan(500);
      await page.keyboard.press('Escape');
      await expect(page.locator('fencepost-timeline')).toHaveCount(0);
      await page.evaluate(() => (window as unknown as Held).engine.dispose());
    });
  }
}

test('F10: the timeline can be zoomed, moved, paused and queried, by pointer and keys, also for a stopped engine', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await start(page, 'render+rhi');
  await page.evaluate(async () => {
    const { engine } = window as unknown as Held;
    // The first frame may take so long that later ones are a sliver at the edge. Stepping continues until the
    // shown interval has only later frames.
    const shown = 500;
    const began = performance.now();
    while (performance.now() - began < shown) await engine.step(0.01);
    engine.stop();
    const first = await engine.showTimeline({ milliseconds: shown });
    if ((await engine.showTimeline()) !== first) throw new Error('There are two timelines.');
    Object.assign(window, { handle: first });
  });
  const panel = page.getByRole('region', { name: 'Timeline' });
  await expect.poll(() => countBars(page)).toBeGreaterThan(300);
  const status = panel.getByRole('status');
  await expect(status).toHaveText(/Escape: close/);

  const pause = panel.getByRole('button', { name: 'Pause' });
  await pause.click();
  await expect(panel.getByRole('button', { name: 'Go on' })).toHaveAttribute('aria-pressed', 'true');
  // The lane at the bottom is "fence completed". The pointer is over one of its values, or over an empty place
  // during a long frame.
  const canvas = panel.locator('canvas');
  const box = (await canvas.boundingBox())!;
  const y = box.y + box.height - 14;
  let x = box.x + box.width - 48;
  const pointed = async (): Promise<string | null> => {
    x -= 12;
    await page.mouse.move(x, y);
    return status.textContent();
  };
  await expect
    .poll(pointed, { intervals: [50] })
    .toMatch(/^completed, frame \d+ · [\d.]+ ms · fence completed · list \d+$/);
  // Zooming keeps the bar under the pointer.
  const before = await status.textContent();
  await page.mouse.wheel(0, -600);
  await expect(status).toHaveText(before!);
  // After a long move to the right, no bar is under the pointer.
  await page.mouse.down();
  await page.mouse.move(box.x + 150, y, { steps: 4 });
  await page.mouse.up();
  for (let step = 0; step < 30; step++) await page.keyboard.press('ArrowRight');
  await expect(status).toHaveText(/Escape: close/);
  await expect.poll(() => countBars(page)).toBe(0);
  await page.keyboard.press('End');
  await expect.poll(() => countBars(page)).toBeGreaterThan(0);

  await panel.getByRole('button', { name: 'Close the timeline' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('fencepost-timeline')).toHaveCount(0);
  await page.evaluate(async () => {
    const { engine, handle } = window as unknown as Held & { handle: { close(): void } };
    handle.close();
    for (const milliseconds of [0, '200'] as number[]) {
      const refused = await window.kit.refusal(() => engine.showTimeline({ milliseconds }));
      if (refused.code !== 'option-out-of-range') throw new Error(refused.code);
    }
    const container = 'body' as unknown as HTMLElement;
    const refused = await window.kit.refusal(() => engine.showTimeline({ container }));
    if (refused.code !== 'option-invalid') throw new Error(refused.code);
    await engine.showTimeline();
    await engine.dispose();
  });
  // The view closes when its engine ends.
  await expect(page.locator('fencepost-timeline')).toHaveCount(0);
});

test('F10: the timeline shows that it loads until the first reading; its canvas changes only with its size', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await start(page, 'render');
  const atFirst = await page.evaluate(async () => {
    const { engine } = window as unknown as Held;
    engine.stop();
    await engine.showTimeline();
    const root = document.querySelector('fencepost-timeline')!.shadowRoot!;
    const loading = root.querySelector<HTMLElement>('.loading')!;
    const shown = [loading.textContent, loading.checkVisibility()];
    // The result is returned in a later task. On a busy machine, Chromium's inspector otherwise reports the
    // promise as "garbage collected", although the function runs to its end.
    await new Promise((resolve) => setTimeout(resolve));
    return shown;
  });
  expect(atFirst).toEqual(['Loading …', true]);
  await expect.poll(() => countBars(page)).toBeGreaterThan(0);
  const panel = page.getByRole('region', { name: 'Timeline' });
  await expect(panel.getByText('Loading')).toBeHidden();
  expect(await panel.evaluate((section) => getComputedStyle(section).backgroundColor)).toBe(
    'rgb(18, 19, 26)',
  );
  // Readings continue four times a second, and each draws. Lanes may appear and disappear meanwhile.
  const resizesForNothing = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const canvas = document.querySelector('fencepost-timeline')!.shadowRoot!.querySelector('canvas')!;
        const context = canvas.getContext('2d')!;
        const { clearRect } = context;
        let draws = 0;
        let resizes = 0;
        new MutationObserver((records) => {
          const isSame = records.every(
            ({ oldValue, attributeName }) => oldValue === canvas.getAttribute(attributeName ?? ''),
          );
          if (isSame) resizes++;
        }).observe(canvas, { attributeFilter: ['width', 'height'], attributeOldValue: true });
        context.clearRect = (...area) => {
          clearRect.apply(context, area);
          if (++draws === 4) resolve(resizes);
        };
      }),
  );
  expect(resizesForNothing).toBe(0);
  await page.evaluate(() => (window as unknown as Held).engine.dispose());
});

test('F10: the timeline opens with another key, or with none', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const other = await createEngine(window.kit.view, { backend: 'null', timelineKey: 'F9' });
    const none = await createEngine(window.kit.view, { backend: 'null', timelineKey: null });
    Object.assign(window, { engines: [other, none] });
  });
  await page.keyboard.press('F8');
  await page.keyboard.press('F9');
  await expect(page.locator('fencepost-timeline')).toHaveCount(1);
  await page.keyboard.press('F9');
  await expect(page.locator('fencepost-timeline')).toHaveCount(0);
  await page.evaluate(async () => {
    for (const engine of (window as unknown as { engines: Held['engine'][] }).engines) await engine.dispose();
  });
  await page.keyboard.press('F9');
  await expect(page.locator('fencepost-timeline')).toHaveCount(0);
});

test('F10: a trace continues across a change of threads', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const text = await page.evaluate(async () => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'render' });
    engine.world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
    engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
    await engine.startTrace();
    await engine.step(0.01);
    await engine.setThreading('render+rhi');
    await engine.step(0.01);
    const text = JSON.stringify(await engine.stopTrace());
    await engine.dispose();
    return text;
  });
  const contents = checkTrace(text);
  expect(contents.problems).toEqual([]);
  const last = Math.max(...contents.bars.map(({ args }) => Number(args?.frame ?? 0)));
  expect(find(contents, `completed ${last}`)).toBeDefined();
  expect(contents.lanes.get(laneOf(find(contents, `record ${last}`)))).toBe('render worker');
  expect(contents.lanes.get(laneOf(find(contents, `submit ${last}`)))).toBe('RHI worker');
});

for (const threading of MODES) {
  for (const isolation of isolationsOf(threading)) {
    test(`F9, F10, M8: a trace has the logs of queues, fences and memory: ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const { text, index, memory, isTracing } = await page.evaluate(
        async ([threading, source]) => {
          const engine = await window.fencepost.createEngine(window.kit.view, { threading });
          window.kit.addScene(engine);
          const fences = await engine.fences();
          const [go, drawn] = [fences.create('go'), fences.create('drawn')];
          const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
          const data = { go: go.share(), drawn: drawn.share() };
          const module = await engine.addRenderModule(address, { name: 'traced', data });
          const signal = async (value: bigint | number, count: number) => {
            module.send('signal', [`${value}`, count]);
            await engine.step(0.01);
            await drawn.whenReached(BigInt(value) + BigInt(count) - 1n);
          };
          await signal(1, 1); // before the trace, so not part of it
          await engine.startTrace();
          const isTracing = [fences.isTracing];
          module.send('hold', 1);
          const held = engine.step(0.01);
          await new Promise((resolve) => setTimeout(resolve, 30));
          go.signal(1);
          await held;
          await signal(2n ** 60n, 1);
          const index = drawn.index;
          // More entries than the first region of a log can hold. The log grows while a trace runs.
          await signal(2n ** 60n + 1n, 200);
          const { memory } = engine.stats();
          const text = JSON.stringify(await engine.stopTrace());
          isTracing.push(fences.isTracing);
          await engine.dispose();
          return { text, index, memory, isTracing };
        },
        [threading, FENCE_MODULE] as const,
      );
      const contents = checkTrace(text);
      expect(contents.problems).toEqual([]);
      const { otherData, traceEvents } = JSON.parse(text) as {
        otherData: Record<string, unknown>;
        traceEvents: TraceEvent[];
      };
      expect(otherData).toMatchObject({ fenceLogs: 'complete', lostFenceEntries: 0 });
      expect(otherData.fenceClock).toContain('CPU-observed');
      const inLane = (lane: RegExp): TraceEvent[] =>
        contents.bars.filter((bar) => lane.test(contents.lanes.get(laneOf(bar)) ?? ''));
      const values = [2n ** 60n, ...Array.from({ length: 200 }, (_, each) => 2n ** 60n + 1n + BigInt(each))];
      const log = inLane(/^queue GPU \(\d\)$/);
      expect(log.map(({ name }) => name)).toEqual([
        'WAIT_UNBLOCKED go 1',
        ...values.map((value) => `SIGNAL_EXECUTED drawn ${value}`),
      ]);
      // The wait ends when the page signals. The clocks of the two threads may differ by up to a millisecond.
      // The worker may have begun the wait late, so the start of the wait is not checked.
      const signalled = inLane(/^fence go \(\d\)$/).find(({ name }) => name === 'go 1');
      expect(Number(log[0]?.ts) + Number(log[0]?.dur)).toBeGreaterThan(Number(signalled?.ts) - 1000);
      expect(log[0]?.args).toMatchObject({ fence: 'go', value: '1', times: 'CPU-observed' });
      expect(inLane(/^queue GPU \(\d\) · CPU events$/).map(({ name }) => name)).toEqual([
        'WAIT_QUEUED go 1',
        ...values.map((value) => `SIGNAL_QUEUED drawn ${value}`),
      ]);
      expect(inLane(/^fence go \(\d\)$/).map(({ name }) => name)).toEqual(['go 0', 'go 1']);
      const drawn = inLane(new RegExp(`^fence drawn \\(${index}\\)$`)).map(({ name }) => name);
      expect([drawn[0], drawn[1], drawn.at(-1)]).toEqual([
        'drawn 1',
        `drawn ${2n ** 60n}`,
        `drawn ${2n ** 60n + 200n}`,
      ]);
      // The arrow leads from the page's signal to the queue's wait that the signal has ended.
      const arrows = [...contents.flows.values()].filter(
        ([from, to]) =>
          /^fence go/.test(contents.lanes.get(laneOf(from as TraceEvent)) ?? '') &&
          /^queue GPU/.test(contents.lanes.get(laneOf(to as TraceEvent)) ?? ''),
      );
      expect(arrows).toHaveLength(1);
      const figures = traceEvents.filter(({ name, ph }) => name === 'memory' && ph === 'C');
      expect(figures.at(-1)?.args).toMatchObject({ geometry: memory.geometry, textures: memory.textures });
      expect(memory.geometry).toBeGreaterThan(0);
      expect(isTracing).toEqual([true, false]);
    });
  }
}

const FENCE_MODULE = `
export default async ({ data, openFence, defineCommand, signalFence, waitFence }) => {
  const [go, drawn] = await Promise.all([data.go, data.drawn].map(openFence));
  defineCommand('hold', (value) => waitFence(go, value));
  defineCommand('signal', ([first, count]) => {
    for (let index = 0; index < count; index++) signalFence(drawn, BigInt(first) + BigInt(index));
  });
};`;

test('F10, F13: log entries that a thread without shared memory made before the end of a trace are part of it', async ({
  page,
  plainURL,
}) => {
  // Without shared memory the worker's entries arrive by messages. Only one thread draws, so the end of the
  // trace awaits no other answer that could bring the entries along.
  await openEnginePage(page, plainURL);
  const text = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, {
      threading: 'single',
      backend: 'null',
    });
    const fences = await engine.fences();
    const [go, drawn] = [fences.create('go'), fences.create('drawn')];
    const source = `
      import { joinFences } from '${location.origin}/dist/rhi.js';
      onmessage = ({ data }) => {
        const fences = joinFences(data.invitation, { name: 'the worker' });
        const go = fences.open(data.go);
        const drawn = fences.openQueue('of the worker').use(fences.open(data.drawn));
        go.whenReached(1).then(() => drawn.signal(2));
        drawn.signal(1);
      };`;
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), {
      type: 'module',
    });
    const { invitation, transfer } = fences.invite();
    worker.postMessage({ invitation, go: go.share(), drawn: drawn.share() }, transfer);
    await drawn.whenReached(1);
    await engine.startTrace();
    // The worker receives the signal before the request for its log, because messages keep their order.
    go.signal(1);
    const text = JSON.stringify(await engine.stopTrace());
    await engine.dispose();
    worker.terminate();
    return text;
  });
  const { bars, lanes, problems } = checkTrace(text);
  expect(problems).toEqual([]);
  const log = bars.filter((bar) => /^queue of the worker \(\d\)$/.test(lanes.get(laneOf(bar)) ?? ''));
  expect(log.map(({ name }) => name)).toEqual(['SIGNAL_EXECUTED drawn 2']);
});

test('F9: a log that is overwritten before it is read marks the trace as lossy, and every fence is read again', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const text = await page.evaluate(
    async ([source]) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading: 'render' });
      window.kit.addScene(engine);
      const fences = await engine.fences();
      const [go, drawn] = [fences.create('go'), fences.create('drawn')];
      const address = URL.createObjectURL(new Blob([source as string], { type: 'text/javascript' }));
      const data = { go: go.share(), drawn: drawn.share() };
      const module = await engine.addRenderModule(address, { name: 'traced', data });
      // No thread reads the log, which has room for 126 entries.
      module.send('signal', [1, 300]);
      await engine.step(0.01);
      await drawn.whenReached(300);
      await engine.flush();
      const text = JSON.stringify(await engine.stopTrace());
      await engine.dispose();
      return text;
    },
    [FENCE_MODULE] as const,
  );
  const { bars, problems } = checkTrace(text);
  expect(problems).toEqual([]);
  const names = bars.map(({ name }) => name);
  const { otherData } = JSON.parse(text) as { otherData: Record<string, unknown> };
  expect(otherData.lostFenceEntries).toBe(175);
  expect(otherData.fenceLogs).toContain('lossy');
  expect(names).toContain('175 entries lost');
  expect(names.filter((name) => name.startsWith('SIGNAL_EXECUTED'))).toHaveLength(125);
  expect(names).toContain('drawn 300');
});

test('F10: the timeline in the page has a lane for each queue and each fence of the page', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  await page.evaluate(
    async ([source]) => {
      window.kit.view.style.cssText = 'width:32px;height:32px';
      const engine = await window.fencepost.createEngine(window.kit.view, { threading: 'render+rhi' });
      window.kit.addScene(engine);
      await engine.step(0.01);
      await engine.showTimeline({ milliseconds: 2000 });
      // The fences are created while the timeline is open.
      const fences = await engine.fences();
      const [go, drawn] = [fences.create('go'), fences.create('drawn')];
      const address = URL.createObjectURL(new Blob([source as string], { type: 'text/javascript' }));
      const data = { go: go.share(), drawn: drawn.share() };
      const module = await engine.addRenderModule(address, { name: 'traced', data });
      module.send('signal', [5, 1]);
      await engine.step(0.01);
      await drawn.whenReached(5);
      Object.assign(window, { engine });
    },
    [FENCE_MODULE] as const,
  );
  const panel = page.getByRole('region', { name: 'Timeline' });
  const status = panel.getByRole('status');
  const box = async () => (await panel.locator('canvas').boundingBox())!;
  /**
   * Returns the status text for the right end of a lane's last bar. @param fromBottom index of the lane from
   * the bottom
   */
  const lane = async (fromBottom: number): Promise<string> => {
    await panel.locator('canvas').evaluate((canvas) => canvas.scrollIntoView({ block: 'end' }));
    const { x, y, width, height } = await box();
    // The pointer is right of the names, slightly before the newest event, which is followed by a margin of 3
    // %.
    await page.mouse.move(x + 142 + (width - 142) * 0.97 - 4, y + height - 14 - 21 * fromBottom);
    // The status changes with the next picture.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    return (await status.textContent()) ?? '';
  };
  // The lowest lane is the fence of the GPU's progress. It also belongs to the page, and is the last by name.
  await expect.poll(() => lane(1)).toMatch(/^go 0 · .* · fence go \(\d\) · CPU-observed$/);
  await expect.poll(() => lane(2)).toMatch(/^drawn 5 · .* · fence drawn \(\d\) · CPU-observed$/);
  await page.evaluate(() => (window as unknown as Held).engine.dispose());
});
