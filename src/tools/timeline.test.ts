import { describe, expect, test } from 'vitest';
import type { ThreadEvents } from '../core/events/event-reader.js';
import { EVENT_NUMBERS, TimelineEvent } from '../core/events/event-ring.js';
import { chromeTrace } from './chrome-trace.js';
import { GpuClock } from './gpu-clock.js';
import { checkTrace, groupBy } from './testing/trace-format.js';
import { labelOf, TimelineModel } from './timeline-model.js';

type Event = readonly [
  type: keyof typeof TimelineEvent,
  frame: number,
  begin: number,
  end: number,
  extra?: number,
];

function batch(thread: string, ...events: readonly Event[]): ThreadEvents {
  return ofRing(1, thread, ...events);
}

function ofRing(ring: number, thread: string, ...events: readonly Event[]): ThreadEvents {
  const numbers = new Float64Array(events.length * EVENT_NUMBERS);
  for (const [index, [type, frame, begin, end, extra = 0]] of events.entries()) {
    numbers.set([TimelineEvent[type], frame, begin, end, extra], index * EVENT_NUMBERS);
  }
  return { thread, ring, next: events.length, lost: 0, begun: [0, 0, 0], events: numbers };
}

/**
 * Creates the model of three frames in the placement `render+rhi`, 10 ms per stage and frame. The GPU's clock is 5000
 * ms behind.
 */
function threeFrames(hasGpuTimes = true): TimelineModel {
  const model = new TimelineModel();
  for (let frame = 1; frame <= 3; frame++) {
    const at = 1000 + frame * 10;
    model.add(
      batch(
        'RHI',
        ['execute', frame, at + 20, at + 23],
        ['submit', frame, at + 23, at + 24, 9],
        ['submitted', frame, at + 24, at + 24, frame],
        ...(hasGpuTimes
          ? ([
              ['gpuPass', frame, at - 5000 + 24, at - 5000 + 27, frame * 4],
              ['gpuPass', frame, at - 5000 + 27, at - 5000 + 28, frame * 4 + 1],
            ] as const)
          : []),
        ['completed', frame, at + 29, at + 29, frame],
        ['purge', 0, at + 29, at + 29.5, frame],
        ['present', frame, at + 24, at + 33],
      ),
    );
    model.add(
      batch(
        'render',
        ['commands', frame, at + 9, at + 10],
        ['cull', frame, at + 11, at + 12],
        ['record', frame, at + 10, at + 19, 400],
        ['rendered', frame, at + 19, at + 19.1],
        ['renderWait', frame + 1, at + 20, at + 29.2, frame],
      ),
    );
    model.add(
      batch(
        'main',
        ['tick', frame, at, at + 6],
        ['update', frame, at + 6, at + 9, 120],
        ['gameWait', frame + 2, at + 15, at + 19.2, frame],
      ),
    );
  }
  return model;
}

const names = (model: TimelineModel): string[] => model.lanes.map(({ name }) => name);

test('R18: values of a counter last until the next one, and are counters of the file', () => {
  const model = new TimelineModel();
  model.scopeOf = () => 'enemies';
  model.add(
    batch('main', ['counter', 1, 1000, 1000, 3], ['tick', 1, 1000, 1010], ['counter', 1, 1005, 1005, 4]),
  );
  const lane = model.lanes.find(({ kind }) => kind === 'counter')!;
  expect(lane.name).toBe('counter enemies');
  expect(lane.bars.map((bar) => [labelOf(bar), bar.begin, bar.end])).toEqual([
    ['enemies 3', 1000, 1005],
    ['enemies 4', 1005, 1005],
  ]);
  const { traceEvents } = chromeTrace(model);
  const counted = traceEvents.filter(({ ph, name }) => ph === 'C' && name === 'enemies');
  expect(counted.map(({ ts, args }) => [ts, args.enemies])).toEqual([
    [0, 3],
    [5000, 4],
  ]);
  expect(traceEvents.filter(({ name }) => /enemies \d/.test(name))).toEqual([]);
});

test('R18: scopes of the page nest in its lane, with names; promises and measures have lanes of their own', () => {
  const model = new TimelineModel();
  model.from = 1000;
  model.scopeOf = (scope) => ['', 'physics', 'load'][scope] ?? null;
  model.add(
    batch(
      'main',
      ['scope', 1, 1002, 1004],
      ['tick', 7, 1001, 1005],
      ['span', 2, 1001, 1008],
      ['scope', 9, 1008, 1009],
    ),
  );
  model.page.addMeasures([
    { name: 'older', begin: 900, end: 1100 },
    { name: 'outer', begin: 1001, end: 1009 },
    { name: 'inner', begin: 1002, end: 1003 },
  ]);
  const bars = model.lanes.flatMap(({ name, bars }) => bars.map((bar) => `${name}: ${labelOf(bar)}`));
  expect(bars).toEqual([
    'main thread: physics',
    'main thread: tick 7',
    'main thread: scope',
    'main · measures: outer',
    'main · measures 2: inner',
    'main · scopes: load',
  ]);
  expect([...model.chains.keys()]).toEqual([]);
  const trace = checkTrace(JSON.stringify(chromeTrace(model)));
  expect(trace.problems).toEqual([]);
  expect(trace.bars.map(({ name }) => name)).toEqual(expect.arrayContaining(['physics', 'load', 'inner']));
});

test('F10: a runnable has a lane of its stages, also of stages that are unfinished or older than the trace', () => {
  const model = new TimelineModel();
  model.from = 1000;
  const lane = 'runnable physics';
  const ended = batch(
    lane,
    ['runnable', 1, 900, 920],
    ['runnable', 2, 920, 1030],
    ['runnable', 3, 1030, 1031],
  );
  model.add(ended);
  model.add({ ...batch('runnable wind'), begun: [TimelineEvent.runnable, 2, 950] });
  model.add({ ...batch('runnable tide'), begun: [TimelineEvent.runnable, 2, 1020] });
  const { traceEvents } = chromeTrace(model);
  const lanes = new Map(
    traceEvents.filter(({ name }) => name === 'thread_name').map(({ tid, args }) => [tid, args.name]),
  );
  const bars = traceEvents.filter(({ ph }) => ph === 'X');
  expect(bars.map(({ name, tid }) => `${lanes.get(tid)}: ${name}`).sort()).toEqual([
    'runnable physics: physics.exit',
    'runnable physics: physics.run',
    'runnable tide: tide.run',
    'runnable wind: wind.run',
  ]);
  const timesOf = (bar: string) =>
    bars.filter(({ name }) => name === bar).map(({ ts = 0, dur = 0 }) => [ts, ts + dur]);
  expect(timesOf('physics.run')).toEqual([[0, 30_000]]);
  const until = (model.readAt - 1000) * 1000;
  expect([...timesOf('wind.run'), ...timesOf('tide.run')]).toEqual([
    [0, until],
    [20_000, until],
  ]);
});

describe('timeline model', () => {
  test('F10 H6: threads, overlapping waits, the GPU, its declared queues and fences have lanes', () => {
    expect(names(threeFrames())).toEqual([
      'main thread',
      'main · game waits',
      'render worker',
      'render · waits',
      'RHI worker',
      'RHI · canvas',
      'GPU',
      'GPU · 3D queue',
      'GPU · compute queue',
      'fence rendered',
      'fence submitted',
      'fence completed',
    ]);
    expect(names(threeFrames(false))).not.toContain('GPU · 3D queue');
  });

  test('F10: a frame’s chain has all of its bars, in any order of arrival', () => {
    const model = threeFrames();
    const chain = model.chains.get(2)?.map((bar) => `${bar?.name} ${bar?.frame} in ${bar?.lane.name}`);
    expect(chain).toEqual([
      'update 2 in main thread',
      'record 2 in render worker',
      'submit 2 in RHI worker',
      'gpu 2 in GPU',
      'completed 2 in fence completed',
      'purge 2 in RHI worker',
    ]);
  });

  test('F10: the span of the last frames reaches from their first begin until now, or is null for too few', () => {
    const model = threeFrames();
    const begin = model.chains.get(2)?.[0]?.begin ?? 0;
    expect(begin).toBeGreaterThan(0);
    expect(model.spanOfFrames(2)).toBe(model.newest - begin);
    expect(model.spanOfFrames(4)).toBeNull();
    expect(new TimelineModel().spanOfFrames(1)).toBeNull();
    // A frame that the GPU has not completed yet does not count.
    model.add(batch('main', ['update', 4, 1100, 1101]));
    expect(model.spanOfFrames(2)).toBe(model.newest - begin);
  });

  test('F10: a wait has the signal that ended it', () => {
    const model = threeFrames();
    const waits = model.lanes.filter(({ kind }) => kind === 'wait').flatMap(({ bars }) => bars);
    const signals = waits.map((wait) => {
      const signal = model.signalOf(wait);
      expect(signal?.begin).toBeLessThanOrEqual(wait.end);
      return `${wait.name} ${wait.frame}: ${signal?.name} ${signal?.frame}`;
    });
    expect(signals).toEqual([
      'gameWait 3: rendered 1',
      'gameWait 4: rendered 2',
      'gameWait 5: rendered 3',
      'renderWait 2: completed 1',
      'renderWait 3: completed 2',
      'renderWait 4: completed 3',
    ]);
  });

  test('F10: without timestamps a list lasts from its submission to its completion', () => {
    const model = threeFrames(false);
    expect(model.hasGpuTimes).toBe(false);
    const gpu = model.lanes.find(({ name }) => name === 'GPU');
    expect(gpu?.bars.map(({ begin, end }) => [begin, end])).toEqual([
      [1034, 1039],
      [1044, 1049],
      [1054, 1059],
    ]);
  });

  test('F10: further lists of a frame neither signal it again nor replace its bars', () => {
    const model = new TimelineModel();
    model.add(
      batch(
        'RHI',
        ['submit', 5, 1, 2],
        ['submitted', 5, 2, 2, 1],
        ['completed', 5, 4, 4, 1],
        ['submit', 5, 5, 6],
        ['submitted', 5, 6, 6, 2],
        ['completed', 5, 8, 8, 2],
        ['purge', 0, 8, 9, 2],
      ),
    );
    expect(model.chains.get(5)?.map((bar) => bar?.begin)).toEqual([undefined, undefined, 1, 2, 4, 8]);
    const completed = model.lanes.find(({ name }) => name === 'fence completed');
    expect(completed?.bars.map(({ frame, begin }) => [frame, begin])).toEqual([[5, 4]]);
    expect(model.lanes.find(({ name }) => name === 'GPU')?.bars).toHaveLength(2);
  });

  test('F10: concurrent loads have separate lanes, earlier events are omitted, and lanes keep `capacity` bars', () => {
    const model = new TimelineModel();
    model.from = 10;
    model.add(
      batch(
        'main',
        ['tick', 1, 9, 11],
        ['load', 0, 12, 40, 1],
        ['load', 0, 20, 30, 2],
        ['load', 0, 41, 45, 3],
      ),
    );
    expect(model.lanes.map(({ name, bars }) => [name, bars.map(({ extra }) => extra)])).toEqual([
      ['main · loads', [1, 3]],
      ['main · loads 2', [2]],
    ]);
    model.capacity = 10;
    for (let frame = 1; frame <= 100; frame++)
      model.add(batch('main', ['update', frame, frame * 100, frame * 100 + 1]));
    const bars = model.lanes.find(({ name }) => name === 'main thread')?.bars ?? [];
    expect(bars.length).toBeLessThanOrEqual(10);
    expect(bars.at(-1)?.frame).toBe(100);
    expect(model.chains.size).toBeLessThanOrEqual(10);
  });
});

describe('lanes', () => {
  test('F10: task workers follow the threads of the pipeline, by their numbers', () => {
    const model = new TimelineModel();
    for (const thread of ['task worker 10', 'task worker 2', 'render', 'main'])
      model.add(batch(thread, ['tick', 1, 0, 1]));
    expect(model.lanes.map(({ thread }) => thread)).toEqual([
      'main',
      'render',
      'task worker 2',
      'task worker 10',
    ]);
  });
});

describe('GPU clock', () => {
  /**
   * Creates the events of a list that is submitted at `at`, and takes 2 ms on a GPU whose clock is behind by `offset`.
   */
  const list = (ring: number, number: number, at: number, offset: number): ThreadEvents =>
    ofRing(
      ring,
      'RHI',
      ['submit', number, at - 1, at],
      ['submitted', number, at, at, number],
      ['gpuPass', number, at - offset, at - offset + 2, number * 4],
      ['completed', number, at + 3, at + 3, number],
      ['purge', 0, at + 3, at + 3.5, number],
    );
  const gpuBegins = ({ lanes }: TimelineModel): number[] =>
    lanes.filter(({ name }) => name === 'GPU').flatMap(({ bars }) => bars.map(({ begin }) => begin));

  test.each([
    ['on the same thread', 1],
    ['on a new thread', 2],
  ])('F10: a new device, %s, has a clock of its own, independent of the old device', (_, ring) => {
    const model = new TimelineModel();
    for (let number = 1; number <= 5; number++) model.add(list(1, number, 1000 + number * 10, 500));
    model.add(list(ring, ring === 1 ? 1 : 6, 2000, 1999));
    // The last list begins with its submission.
    expect(gpuBegins(model)).toEqual([1009, 1019, 1029, 1039, 1049, 1999]);
  });

  test('F10: a release covers all lists up to its own', () => {
    const model = new TimelineModel();
    model.add(
      batch(
        'RHI',
        ['submit', 7, 1, 2],
        ['submitted', 7, 2, 2, 1],
        ['submit', 8, 3, 4],
        ['submitted', 8, 4, 4, 2],
        ['completed', 8, 6, 6, 2],
        ['purge', 0, 6, 7, 2],
        // Its list has been forgotten, so the frame is unknown.
        ['purge', 0, 8, 9, 1],
      ),
    );
    const purges = model.lanes.flatMap(({ bars }) => bars.filter(({ name }) => name === 'purge'));
    expect(purges.map(({ frame }) => frame)).toEqual([8, 0]);
  });

  test('F10: the GPU begins no list before its submission, and ends none after its observed completion', () => {
    const clock = new GpuClock();
    // The GPU's clock is 100 ms behind. The first list waited for 3 ms, the second list began at once.
    expect(clock.add(1000, 1010, 903, 905)).toBe(97);
    const offset = clock.add(1020, 1026, 920, 925);
    expect(offset).toBe(100);
    for (const [submitted, completed, begin, end] of [
      [1000, 1010, 903, 905],
      [1020, 1026, 920, 925],
    ] as const) {
      expect(begin + offset).toBeGreaterThanOrEqual(submitted);
      expect(end + offset).toBeLessThanOrEqual(completed);
    }
  });

  test('F10: the offset follows drifting clocks, and is the middle of contradicting bounds', () => {
    const clock = new GpuClock();
    let offset = 0;
    // The clocks drift by 1 ms every 100 lists of 10 ms.
    for (let list = 0; list < 1000; list++) {
      const begin = list * 10;
      offset = clock.add(begin + list / 100, begin + 5 + list / 100, begin, begin + 4);
    }
    expect(offset).toBeCloseTo(9.99, 0);
    const rounded = new GpuClock();
    expect(rounded.add(10, 10.9, 0, 1)).toBeCloseTo(9.95);
  });
});

describe('trace file', () => {
  test('F10: the file conforms to the Trace Event Format: nesting, names, flows joined at both ends', () => {
    for (const hasGpuTimes of [true, false]) {
      const trace = chromeTrace(threeFrames(hasGpuTimes));
      const { problems, flows, lanes, bars } = checkTrace(JSON.stringify(trace));
      expect(problems).toEqual([]);
      expect(lanes.size).toBe(hasGpuTimes ? 12 : 10);
      expect(Math.min(...bars.map(({ ts }) => ts ?? -1))).toBe(0);
      const ofFrames = [...flows.values()].filter(([first]) => first?.cat === 'frame');
      expect(ofFrames.map((points) => points.map(({ ph }) => ph).join(''))).toEqual([
        'sttttf',
        'sttttf',
        'sttttf',
      ]);
      const waits = [...flows.values()].filter(([first]) => first?.cat === 'wait');
      expect(waits).toHaveLength(6);
      expect(trace.otherData.gpuClock).toMatch(hasGpuTimes ? /aligned/ : /seen from the CPU/);
    }
  });

  test('F10: the file has counters of frames in flight, live resources and bytes', () => {
    const { traceEvents } = chromeTrace(threeFrames());
    const series = groupBy(
      traceEvents.filter(({ ph }) => ph === 'C'),
      ({ name }) => name,
    );
    const values = (name: string) => series.get(name)?.map(({ args }) => args[name]);
    expect(values('frames in flight')).toEqual([1, 0, 1, 0, 1, 0]);
    expect(values('live resources')).toEqual([9, 9, 9]);
    expect(values('render command bytes')).toEqual([120, 120, 120]);
    expect(values('RHI command bytes')).toEqual([400, 400, 400]);
  });

  test('F10: writing the file leaves the model unchanged', () => {
    const model = threeFrames();
    const ends = (): number[] => model.lanes.flatMap(({ bars }) => bars.map(({ end }) => end));
    const before = ends();
    expect(chromeTrace(model)).toEqual(chromeTrace(model));
    expect(ends()).toEqual(before);
  });

  test('F10: an empty timeline gives a valid file', () => {
    expect(checkTrace(JSON.stringify(chromeTrace(new TimelineModel()))).problems).toEqual([]);
  });

  test('F10: the checker reports each kind of violation', () => {
    const lane = [
      { name: 'process_name', ph: 'M', pid: 1, tid: 0, args: { name: 'threads' } },
      { name: 'thread_name', ph: 'M', pid: 1, tid: 1, args: { name: 'main' } },
      { name: 'thread_sort_index', ph: 'M', pid: 1, tid: 1, args: { sort_index: 0 } },
    ];
    const bar = (name: string, ts: number, dur: number, tid = 1) => ({ name, ph: 'X', pid: 1, tid, ts, dur });
    const flow = (ph: string, ts: number, bp?: string) => ({
      name: 'f',
      cat: 'c',
      ph,
      pid: 1,
      tid: 1,
      id: 1,
      ts,
      bp,
    });
    const problems = (...events: object[]) =>
      checkTrace(JSON.stringify({ displayTimeUnit: 'ms', traceEvents: [...lane, ...events] })).problems.join(
        '\n',
      );
    expect(problems(bar('a', 0, 10), bar('b', 10, 5), bar('c', 2, 3))).toBe('');
    expect(problems(bar('a', 0, 10), bar('b', 5, 10))).toMatch(/"b".* sticks out of "a"/);
    expect(problems(bar('a', -1, 10))).toMatch(/bad ts/);
    expect(problems(bar('a', 0, -1))).toMatch(/bad dur/);
    expect(problems(bar('a', 0, 1, 2))).toMatch(/Lane 1\/2 has no thread_name/);
    expect(problems(bar('a', 0, 10), flow('s', 1))).toMatch(/not joined at both ends/);
    expect(problems(bar('a', 0, 10), flow('s', 1), flow('f', 2))).toMatch(/does not bind/);
    expect(problems(bar('a', 0, 10), flow('s', 5), flow('f', 2, 'e'))).toMatch(/goes back in time/);
    expect(problems(bar('a', 0, 10), flow('s', 5), flow('f', 20, 'e'))).toMatch(/in no bar/);
    expect(problems(lane[1] as object)).toMatch(/comes twice/);
  });
});

describe('fences of the page', () => {
  const fence = (name: string, index: number) => ({ key: `${index}.1`, index, name });
  const [go, drawn] = [fence('go', 0), fence('drawn', 1)];

  /** Creates a model in which a queue waits from 10 to 20 ms for a signal of the page. */
  function readings(): TimelineModel {
    const model = threeFrames();
    const at = 1050;
    const operation = (
      name: 'WAIT_QUEUED' | 'SIGNAL_QUEUED' | 'SIGNAL_EXECUTED',
      of: typeof go,
      time: number,
    ) => ({
      operation: name,
      fence: of,
      value: 2n ** 60n,
      timeObserved: at + time,
      timeFinished: at + time,
    });
    model.fences.add({
      queues: [
        {
          queue: 3,
          name: 'GPU',
          lost: 0,
          operations: [
            operation('WAIT_QUEUED', go, 10),
            operation('SIGNAL_QUEUED', drawn, 11),
            operation('SIGNAL_EXECUTED', drawn, 15),
            { ...operation('WAIT_QUEUED', go, 10), operation: 'WAIT_UNBLOCKED', timeFinished: at + 20 },
          ],
        },
      ],
      values: [
        { fence: drawn, value: 2n ** 60n, time: at + 15 },
        { fence: drawn, value: 2n ** 60n, time: at + 16 },
        { fence: go, value: 1n, time: at + 18 },
        // The signalling thread reports the value after the queue has continued.
        { fence: go, value: 2n ** 60n, time: at + 20.4 },
      ],
    });
    return model;
  }

  test('F9 F10: each queue has a lane of its logs and one of CPU events, each fence a lane of its values', () => {
    const model = readings();
    expect(names(model).slice(-4)).toEqual([
      'fence submitted',
      'fence completed',
      'fence drawn (1)',
      'fence go (0)',
    ]);
    const trace = chromeTrace(model);
    const { problems, bars, lanes, flows } = checkTrace(JSON.stringify(trace));
    expect(problems).toEqual([]);
    const shown = [...lanes].map(([key, name]) => [
      name,
      bars
        .filter((bar) => `${bar.pid}/${bar.tid}` === key)
        .map((bar) => [bar.name, Math.round((bar.dur ?? 0) / 1000)]),
    ]);
    expect(shown.filter(([name]) => /queue GPU|go|drawn/.test(String(name)))).toEqual([
      [
        'queue GPU (3)',
        [
          [`SIGNAL_EXECUTED drawn ${2n ** 60n}`, 0],
          [`WAIT_UNBLOCKED go ${2n ** 60n}`, 10],
        ],
      ],
      [
        'queue GPU (3) · CPU events',
        [
          [`WAIT_QUEUED go ${2n ** 60n}`, 0],
          [`SIGNAL_QUEUED drawn ${2n ** 60n}`, 0],
        ],
      ],
      ['fence drawn (1)', [[`drawn ${2n ** 60n}`, 5]]],
      [
        'fence go (0)',
        [
          ['go 1', 2],
          [`go ${2n ** 60n}`, 0],
        ],
      ],
    ]);
    const waits = [...flows.values()].filter(([first]) => first?.cat === 'wait');
    expect(waits.some((points) => points.map(({ ts }) => ts).every((ts) => (ts ?? 0) >= 39_000))).toBe(true);
    expect(trace.otherData).toMatchObject({ fenceLogs: 'complete', lostFenceEntries: 0 });
    expect(trace.otherData.fenceClock).toContain('CPU-observed');
  });

  test('F9: lost log entries mark the trace as lossy at the time of the loss', () => {
    const model = readings();
    model.fences.add({ queues: [{ queue: 3, name: 'GPU', lost: 175, operations: [] }], values: [] });
    const trace = chromeTrace(model);
    expect(trace.otherData).toMatchObject({ lostFenceEntries: 175 });
    expect(trace.otherData.fenceLogs).toContain('lossy');
    expect(trace.traceEvents.some(({ name }) => name === '175 entries lost')).toBe(true);
  });

  test('M8: the trace has a counter of memory by subsystem', () => {
    const model = threeFrames();
    model.memory.push({ time: 1020, bytes: { geometry: 64, textures: 4 } });
    const counters = chromeTrace(model).traceEvents.filter(({ name }) => name === 'memory');
    expect(counters).toMatchObject([{ ph: 'C', args: { geometry: 64, textures: 4 } }]);
  });
});
