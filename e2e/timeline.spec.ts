/** The timeline of a real engine: traces of all modes against the format, the overlap of stages, and the view. */
import type { Page } from '@playwright/test';
import {
  checkTrace,
  laneOf,
  type TraceContents,
  type TraceEvent,
} from '../src/tools/testing/trace-format.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const MODES = ['single', 'render', 'render+rhi'] as const;
type Mode = (typeof MODES)[number];

/** What browsers round clocks by, in microseconds; threads' clocks may differ by twice as much. */
const CLOCK_ERROR = 250;

/** A trace of `frames` steps of a small scene. */
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
  if (!bar) throw new Error(`There is no "${name}".`);
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
  for (const isolation of ['isolated', 'plain'] as const) {
    test(`F10: a trace in ${threading}, ${isolation}, keeps to the format, and its clocks agree`, async ({
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
