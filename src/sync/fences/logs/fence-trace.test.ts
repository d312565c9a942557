import { describe, expect, it } from 'vitest';
import { FenceThreads, FORMS, turn, watch } from '../../testing/fence-threads.js';
import { joinFences } from '../fences.js';
import { logCapacity } from './fence-log.js';
import { FenceTrace } from './fence-trace.js';

describe.each(FORMS)('the trace of fences, by %s', (form) => {
  function setUp() {
    const threads = new FenceThreads(form, { queues: 2 });
    const device = threads.join('device');
    const queue = device.openQueue('graphics');
    const done = threads.home.create('done');
    const remote = device.open(done.share());
    const used = queue.use(remote);
    threads.settle();
    const trace = (from: 'start' | 'now' = 'now') => {
      const made = new FenceTrace(threads.home.core, from);
      threads.settle();
      return made;
    };
    return { threads, home: threads.home, device, queue, done, remote, used, trace };
  }

  it('F9: a trace has a queue’s requests and operations, with names, in the order of time', () => {
    const { threads, used, done, trace } = setUp();
    used.signalQueued?.(1);
    used.signal(1);
    threads.settle();
    const traced = trace();
    traced.read();
    used.waitQueued?.(2);
    void used.whenReached(2);
    threads.settle();
    threads.time = 1004;
    done.signal(2);
    threads.settle();
    used.waitUnblocked?.(2);
    used.signalQueued?.(2n ** 60n);
    threads.time = 1009;
    used.signal(2n ** 60n);
    threads.settle();
    const { queues, values } = traced.read();
    const found = queues.map(({ name, lost, operations }) => [
      name,
      lost,
      ...operations.map((each) => [
        each.operation,
        each.fence.name,
        each.value,
        each.timeObserved,
        each.timeFinished,
      ]),
    ]);
    expect(found).toEqual([
      [
        'graphics',
        0,
        ['WAIT_QUEUED', 'done', 2n, 1000, 1000],
        ['WAIT_UNBLOCKED', 'done', 2n, 1000, 1004],
        ['SIGNAL_QUEUED', 'done', 2n ** 60n, 1004, 1004],
        ['SIGNAL_EXECUTED', 'done', 2n ** 60n, 1009, 1009],
      ],
    ]);
    expect(values.map(({ value, time }) => [value, time])).toEqual([
      [2n, 1004],
      [2n ** 60n, 1009],
      [2n ** 60n, 1009],
    ]);
    traced.close();
  });

  it('F9: requests are logged only while tracing, and every thread is informed when tracing ends', () => {
    const { threads, home, device, used, trace } = setUp();
    expect([home.isTracing, device.isTracing]).toEqual([false, false]);
    const traced = trace();
    expect([home.isTracing, device.isTracing]).toEqual([true, true]);
    traced.close();
    threads.settle();
    expect([home.isTracing, device.isTracing]).toEqual([false, false]);
    used.signalQueued?.(1);
    threads.settle();
    const later = trace('start');
    expect(later.read().queues).toEqual([]);
    later.close();
  });

  it('F9: a trace counts entries lost by overflow, and still has the last value of every fence', () => {
    const { threads, home, device, queue, used, trace } = setUp();
    const early = home.create('early');
    const usedEarly = queue.use(device.open(early.share()));
    threads.settle();
    const traced = trace();
    traced.read();
    // This thread is not notified of the signal, and the signal's log entry is overwritten.
    early.close();
    usedEarly.signal(7);
    // A log that has grown to its largest region wraps.
    const count = [0, 1, 2, 3, 4].reduce((sum, region) => sum + logCapacity(region), 0) + 40;
    for (let value = 1; value <= count; value++) used.signal(value);
    threads.settle();
    const wrapped = logCapacity(4) + 40;
    for (let value = count + 1; value <= count + wrapped; value++) used.signal(value);
    threads.settle();
    const { queues, values } = traced.read();
    expect(queues[0]?.lost).toBeGreaterThan(0);
    const last = (name: string) => values.filter(({ fence }) => fence.name === name).at(-1)?.value;
    expect([last('early'), last('done')]).toEqual([7n, BigInt(count + wrapped)]);
    traced.close();
  });

  it('F13: flushLogs resolves when all earlier entries are in the memory', async () => {
    const { threads, home, queue, used } = setUp();
    const log = home.readLog(queue.index, 'signals');
    used.signal(1);
    let isFlushed = false;
    const flushed = home.flushLogs().then(() => {
      isFlushed = true;
    });
    await Promise.resolve();
    if (form === 'messages') expect([isFlushed, log.read().entries.length]).toEqual([false, 0]);
    threads.settle();
    await flushed;
    expect(log.read().entries).toHaveLength(1);
  });

  it('F13: a pending flush resolves when the thread whose answer it awaits leaves', async () => {
    const threads = new FenceThreads(form);
    const { invitation } = threads.home.invite({ by: form });
    const flushed = threads.home.flushLogs();
    threads.home.evict(invitation);
    await flushed;
  });
});

describe('F13: flushLogs with shared memory, while a thread has raised values that it has not logged yet', () => {
  function setUp() {
    const threads = new FenceThreads('memory', { queues: 2 });
    const { home, environment } = threads;
    const { invitation } = home.invite({ by: 'memory' });
    const thread = joinFences(invitation, { name: 'device', environment });
    const queue = thread.openQueue('graphics');
    const used = queue.use(thread.open(home.create('done').share()));
    threads.settle();
    return { threads, home, queue, used, invitation };
  }

  it('resolves at the end of the batch', async () => {
    const { threads, home, queue, used } = setUp();
    const states: string[] = [];
    const log = home.readLog(queue.index, 'signals');
    queue.begin();
    used.signal(1);
    used.signal(2);
    const { signalCells } = queue.group.core;
    let flushed = { state: '' };
    queue.group.core.signalCells = function (signals, index, append) {
      signalCells.call(this, signals, index, () => {
        flushed = watch(home.flushLogs());
        states.push(`${log.read().entries.length} logged`);
        append?.();
      });
    };
    queue.end();
    await turn();
    states.push(flushed.state);
    threads.settle();
    await turn();
    states.push(flushed.state, `${log.read().entries.length} logged`);
    expect(states).toEqual(['0 logged', 'waiting', 'reached', '2 logged']);
  });

  it('resolves when the thread that died during its batch is evicted', async () => {
    const { threads, home, queue, invitation } = setUp();
    home.core.memory.beginBatch(queue.index);
    const flushed = watch(home.flushLogs());
    await turn();
    expect(flushed.state).toBe('waiting');
    home.evict(invitation);
    threads.settle();
    await turn();
    expect(flushed.state).toBe('reached');
    await home.flushLogs();
  });
});

it('F10: a trace has the names of fences that threads without the memory have created', async () => {
  const threads = new FenceThreads('messages');
  const maker = threads.join('maker');
  const made = maker.createShared(
    'made elsewhere, with a name that is longer than there is room for it in memory',
  );
  threads.settle();
  (await made).signal(3);
  threads.settle();
  const trace = new FenceTrace(threads.home.core, 'now');
  expect(trace.read().values).toMatchObject([
    { fence: { name: 'made elsewhere, with a name that is longer than there is room f' }, value: 3n },
  ]);
  trace.close();
});
