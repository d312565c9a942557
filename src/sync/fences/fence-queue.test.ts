import { describe, expect, it } from 'vitest';
import { signalled } from '../testing/fence-programs.js';
import { FenceThreads, FORMS, turn, watch } from '../testing/fence-threads.js';
import type { FenceQueueEvent } from './fence-queue.js';
import { FenceLog, FenceLogReader, logCapacity } from './logs/fence-log.js';
import { PrivateFence } from './private-fence.js';

describe.each(FORMS)('queues, by %s', (form) => {
  /** Creates a queue on a thread of its own, and a fence on the home thread, which created the group. */
  function setUp(namesQueues = false) {
    const threads = new FenceThreads(form, { namesQueues });
    const device = threads.join('device');
    const events: FenceQueueEvent[] = [];
    const queue = device.openQueue('graphics', { onEvent: (event) => events.push(event) });
    const here = threads.home.create('done');
    const used = queue.use(device.open(here.share()));
    threads.settle();
    return { threads, home: threads.home, device, queue, here, used, events };
  }

  it('F9: a queue logs its waits and signals in order, with times that never go back', async () => {
    const { threads, home, queue, here, used, events } = setUp();
    const [signals, waits] = [home.readLog(queue.index, 'signals'), home.readLog(queue.index, 'waits')];
    used.signalQueued?.(1);
    threads.time = 1010;
    used.signal(1);
    used.waitQueued?.(3);
    const wait = watch(used.whenReached(3));
    threads.settle();
    threads.time = 1005; // a clock that was set back
    here.signal(3);
    threads.settle();
    await turn();
    expect(wait.state).toBe('reached');
    used.waitUnblocked?.(3);
    used.signal(4);
    threads.settle();
    const fence = here.index;
    expect(signals.read()).toEqual({
      lost: 0,
      entries: [
        {
          fence,
          generation: 1,
          value: 1n,
          operation: 'SIGNAL_EXECUTED',
          timeObserved: 0,
          timeFinished: 1010,
        },
        {
          fence,
          generation: 1,
          value: 4n,
          operation: 'SIGNAL_EXECUTED',
          timeObserved: 0,
          timeFinished: 1010,
        },
      ],
    });
    expect(waits.read().entries).toMatchObject([
      { fence, value: 3n, operation: 'WAIT_UNBLOCKED', timeFinished: 1005 },
    ]);
    expect(signals.read()).toEqual({ lost: 0, entries: [] });
    // `onEvent` receives requests; the logs of signals and waits don't contain them.
    expect(events).toMatchObject([
      { name: 'SIGNAL_QUEUED', queue: 'graphics', fence: 'done', value: 1, time: 1000 },
      { name: 'WAIT_QUEUED', queue: 'graphics', fence: 'done', value: 3, time: 1010 },
    ]);
  });

  it('F9: an overflowing log counts the entries it loses, and no wake-up is lost', async () => {
    const { threads, home, queue, here, used } = setUp();
    const log = home.readLog(queue.index, 'signals');
    const count = logCapacity(0) + 30;
    const wait = watch(here.whenReached(count));
    for (let value = 1; value <= count; value++) used.signal(value);
    threads.settle();
    await turn();
    const { entries, lost } = log.read();
    expect(wait.state).toBe('reached');
    expect([lost, entries.length, log.isLossy]).toEqual([31, logCapacity(0) - 1, true]);
    expect(entries.map(({ value }) => Number(value))).toEqual(
      Array.from({ length: logCapacity(0) - 1 }, (_, index) => 32 + index),
    );
    used.signal(count + 1);
    threads.settle();
    expect(log.read()).toMatchObject({ lost: 0, entries: [{ value: BigInt(count + 1) }] });
  });

  it('F9: logs grow instead of overflowing while tracing', () => {
    const { threads, home, queue, used } = setUp();
    home.isTracing = true;
    if (form === 'messages') threads.home.core.memory.isTracing = true;
    const log = home.readLog(queue.index, 'signals');
    const count = [0, 1, 2, 3, 4].reduce((sum, region) => sum + logCapacity(region), 0);
    for (let value = 1; value < count; value++) used.signal(value);
    threads.settle();
    const { entries, lost } = log.read();
    expect([lost, entries.length, entries.at(-1)?.value]).toEqual([0, count - 1, BigInt(count - 1)]);
    // The largest region overwrites its oldest entries.
    for (let value = count; value < count + 10; value++) used.signal(value);
    threads.settle();
    expect(log.read()).toMatchObject({ lost: 0 });
  });

  it('F11: a notification names the queue, and the receiver checks only fences in the log of the queue', async () => {
    const { threads, home, here, used } = setUp(true);
    const others = ['a', 'b'].map((name) => home.create(name));
    const waits = [here.whenReached(2), ...others.map((fence) => fence.whenReached(1))].map(watch);
    threads.settle();
    const before = { ...home.counts };
    used.signal(1); // not above the monitored value: logged, but no thread is notified
    used.signal(2);
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'waiting', 'waiting']);
    if (form === 'memory') {
      expect(home.counts.notifications - before.notifications).toBe(1);
      expect([home.counts.named - before.named, home.counts.scans - before.scans]).toEqual([1, 0]);
    }
  });

  it('F11: the receiver reads all logs after an empty notification, and checks all fences after an overflow', async () => {
    const threads = new FenceThreads('memory', { namesQueues: true });
    const [first, second] = ['first', 'second'].map((name) => threads.join(name));
    const [here, other] = ['here', 'other'].map((name) => threads.home.create(name));
    const queue = first.openQueue('one');
    const used = queue.use(first.open(here.share()));
    const usedOther = second.openQueue('two').use(second.open(other.share()));
    const { home } = threads;
    // Empty the mailbox, so that the notification names no queue.
    const takeNames = () => void home.core.mailbox(home.core.thread).take();
    const waits = [here.whenReached(1), other.whenReached(1)].map(watch);
    used.signal(1);
    usedOther.signal(1);
    takeNames();
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'reached']);
    expect(home.counts).toMatchObject({ named: 2, scans: 0 });

    const last = watch(
      home.whenAll([
        { fence: other, value: 2 },
        { fence: here, value: 9999 },
      ]),
    );
    for (let value = 2; value < 2 * logCapacity(0); value++) used.signal(value);
    usedOther.signal(2);
    used.signal(9999);
    threads.settle();
    await turn();
    expect([last.state, home.counts.scans > 0]).toEqual(['reached', true]);
  });

  it('F7: every queue has a progress fence, which is private unless its creator passes one', () => {
    const { device, queue, home } = setUp();
    expect([queue.progress.isPrivate, queue.progress.value]).toEqual([true, 0]);
    const shared = home.create('progress');
    const other =
      form === 'memory' ? device.openQueue('compute', { progress: device.open(shared.share()) }) : null;
    if (!other) return;
    other.progress.signal(3);
    expect(shared.value).toBe(3);
    // A queue closes the progress fence that it has created, but not a fence that its creator passed.
    const { progress } = other;
    other.close();
    queue.close();
    progress.signal(4);
    expect(shared.value).toBe(4);
    expect(() => queue.progress.signal(1)).toThrow(expect.objectContaining({ code: 'fence-closed' }));
  });

  it('F7: only a queue raises a progress fence, and it outlives a queue whose counter has failed', () => {
    const { device, home, threads } = setUp();
    const shared = home.create('progress', { isProgress: true });
    const progress = device.open(shared.share());
    const refusal = expect.objectContaining({ code: 'fence-of-queue' });
    for (const fence of [shared, progress]) {
      expect(() => fence.signal(1)).toThrow(refusal);
      expect(() => fence.fail(new Error('by a user'))).toThrow(refusal);
    }
    if (form !== 'memory') return;
    for (const [count, name] of ['first', 'second'].entries()) {
      const counter = new PrivateFence(name);
      const queue = device.openQueue(name, { progress });
      queue.follow(counter, false);
      counter.signal(count + 1);
      threads.settle();
      expect(shared.value).toBe(count + 1);
      counter.fail(new Error('lost'));
      expect(shared.error).toBeNull();
      queue.close();
    }
  });

  it('F8: each device has its own monitored value, forced to 0, so every signal notifies', () => {
    const threads = new FenceThreads(form);
    const [one, two] = ['one', 'two'].map((name) => threads.join(name));
    const fence = threads.home.create('across', { isCrossDevice: true });
    const queues = [one, two].map((thread) => thread.openQueue(thread.name));
    const used = queues.map((queue, index) => queue.use([one, two][index].open(fence.share())));
    threads.settle();
    const cell = threads.home.core.cell(fence.index);
    expect(queues.map(({ index }) => cell.monitored(16 + index))).toEqual([0n, 0n]);
    const before = [one, two].map(({ counts }) => counts.notifications);
    used[0].signal(1); // without waiters
    threads.settle();
    fence.signal(2);
    threads.settle();
    expect([one, two].map(({ counts }, index) => counts.notifications - before[index])).toEqual(
      form === 'memory' ? [1, 2] : [2, 2],
    );
    expect(queues.map(({ index }) => cell.monitored(16 + index))).toEqual([0n, 0n]);
    expect(used.map(({ value }) => value)).toEqual([2, 2]);
  });

  it('F8: a cross-device fence must have the default type; an intra-device fence rejects a second device', () => {
    const threads = new FenceThreads('memory');
    const { home } = threads;
    expect(() => home.create('bad', { isCrossDevice: true, type: 'intra-device' })).toThrow(
      expect.objectContaining({ code: 'bad-fence-option' }),
    );
    const fence = home.create('own', { type: 'intra-device' });
    home.openQueue('one').use(fence);
    expect(() => home.openQueue('two').use(fence)).toThrow(
      expect.objectContaining({ code: 'intra-device-fence' }),
    );
  });

  it('closing a queue fails its waits, and in memory frees its number; the fence stays open', async () => {
    const { threads, queue, used, here, device } = setUp();
    const wait = watch(used.whenReached(1));
    threads.settle();
    queue.close();
    await turn();
    expect(wait.state).toBe('fence-queue-closed');
    await expect(used.whenReached(2)).rejects.toMatchObject({ code: 'fence-queue-closed' });
    here.signal(1);
    threads.settle();
    expect(here.error).toBe(null);
    if (form === 'memory') expect(device.openQueue('again').index).toBe(queue.index);
    else
      expect(() => device.openQueue('again')).toThrow(
        expect.objectContaining({ code: 'too-many-fence-queues' }),
      );
  });
});

it('F9: a rejected signal is not logged', () => {
  const { home } = new FenceThreads('memory');
  const queue = home.openQueue('graphics');
  const used = queue.use(home.create('narrow', { bits: 32 }));
  expect(() => used.signal(2 ** 31)).toThrow(expect.objectContaining({ code: 'fence-out-of-range' }));
  used.signal(2 ** 31 - 1);
  expect(queue.readLog('signals').read().entries).toMatchObject([{ value: 2n ** 31n - 1n }]);
});

it.each([32, 64] as const)('F6: rejects a queued value that is no fence value, with %s bits', (bits) => {
  const { home } = new FenceThreads('memory');
  const used = home.openQueue('graphics').use(home.create('fence', { bits }));
  for (const value of [1.5, -1, Number.NaN]) {
    expect(() => used.signalQueued?.(value)).toThrow(expect.objectContaining({ code: 'bad-fence-value' }));
    expect(() => used.waitQueued?.(value)).toThrow(expect.objectContaining({ code: 'bad-fence-value' }));
  }
});

describe('F9 the log in memory', () => {
  it('the header is one word: the first free index, and the number of wraps', () => {
    const { memory } = new FenceThreads('memory').home.core;
    const log = new FenceLog(memory, 0, 1);
    const header = () => memory.words[memory.logOffset(0, 1) / 8 + 8];
    const write = (count: number) => {
      for (let value = 1; value <= count; value++) {
        log.append(signalled(3, value));
      }
    };
    expect(logCapacity(0)).toBe(126); // 4096 bytes: a header of 64 bytes, and 32 bytes per entry
    write(126);
    expect(header()).toBe(126n);
    write(1);
    expect(header()).toBe((1n << 32n) | 1n);
    write(126 + 3);
    expect(header()).toBe((2n << 32n) | 4n);
    const late = new FenceLogReader(memory, 0, 1, 'now');
    expect(late.read()).toEqual({ entries: [], lost: 0 });
  });
});

describe('F13 sizes and removal of logs', () => {
  function setUp() {
    const threads = new FenceThreads('memory');
    const queue = threads.home.openQueue('queue');
    const fence = threads.home.create('fence');
    const used = queue.use(fence);
    let value = 0;
    const signal = (count: number): void => {
      for (let each = 0; each < count; each++) used.signal(++value);
    };
    const log = threads.home.readLog(queue.index, 'signals');
    const read = () => {
      const { entries, lost } = log.read();
      return [entries.map((entry) => Number(entry.value)), lost, log.hasGaps];
    };
    return { home: threads.home, index: queue.index, signal, log, read, queue };
  }
  const from = (first: number, count: number) => Array.from({ length: count }, (_, each) => first + each);

  it('a log that is made larger keeps its entries, also the second time', () => {
    const { home, index, signal, read } = setUp();
    signal(3);
    home.setLogs(index, logCapacity(1));
    signal(2);
    home.setLogs(index, logCapacity(3));
    signal(700);
    expect(read()).toEqual([from(1, 705), 0, false]);
    // A size that rounds up to the current size of the log changes nothing.
    home.setLogs(index, 5 + logCapacity(2));
    signal(1);
    expect(read()).toEqual([[706], 0, false]);
  });

  it('a destroyed log records nothing; a new log starts empty, and its readers notice the gap', () => {
    const { home, index, signal, read, log } = setUp();
    signal(2);
    expect(read()).toEqual([[1, 2], 0, false]);
    home.setLogs(index, null);
    signal(2);
    expect(read()).toEqual([[], 0, true]);
    home.setLogs(index, 1);
    signal(2);
    expect(read()).toEqual([[5, 6], 0, true]);
    signal(1);
    expect([...read(), log.isLossy]).toEqual([[7], 0, false, true]);
    // Making a log smaller also replaces it with a new log.
    home.setLogs(index, 500);
    signal(1);
    home.setLogs(index, 1);
    signal(1);
    expect(read()).toEqual([[9], 0, true]);
  });

  it('a later queue with the same number inherits the size of the log', () => {
    const { home, index, queue, signal } = setUp();
    home.setLogs(index, null);
    signal(1);
    queue.close();
    const next = home.openQueue('next');
    expect(next.index).toBe(index);
    next.use(home.create('other')).signal(1);
    expect(next.readLog('signals').read().entries).toEqual([]);
    home.setLogs(index, 10);
    next.use(home.create('third')).signal(1);
    expect(next.readLog('signals').read().entries).toHaveLength(1);
  });

  it('F11: a notification that names a queue without a log scans every fence', async () => {
    const threads = new FenceThreads('memory', { namesQueues: true });
    const device = threads.join('device');
    const queue = device.openQueue('queue');
    const fence = threads.home.create('fence');
    const used = queue.use(device.open(fence.share()));
    threads.home.setLogs(queue.index, null);
    const wait = watch(fence.whenReached(1));
    used.signal(1);
    threads.settle();
    await turn();
    expect([wait.state, threads.home.counts.scans]).toEqual(['reached', 1]);
  });

  it('setLogs rejects invalid sizes, unknown queues, and threads without the memory', () => {
    const { home, index } = setUp();
    const codeOf = (action: () => void): string => {
      try {
        action();
        return 'none';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const codes = [0, 2047, 1.5].map((entries) => codeOf(() => home.setLogs(index, entries)));
    expect([...codes, codeOf(() => home.setLogs(99, 10))]).toEqual(Array(4).fill('bad-fence-option'));
    const threads = new FenceThreads('messages');
    expect(codeOf(() => threads.join('device').setLogs(0, 10))).toBe('fence-log-elsewhere');
  });
});
