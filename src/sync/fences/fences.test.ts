import { describe, expect, it, vi } from 'vitest';
import { StateError, ThreadError } from '../../core/errors.js';
import { FenceThreads, FORMS, turn, watch } from '../testing/fence-threads.js';
import { FenceCell } from './cells/fence-cell.js';
import { CELL_BYTES, MAXIMUM_THREADS } from './fence-memory.js';
import type { FenceInvitation, FenceOptions, FencesOptions, JoinOptions } from './fence-options.js';
import type { FenceQueueOptions } from './fence-queue.js';
import { NOBODY_WAITS } from './fence-value.js';
import { createFences, joinFences } from './fences.js';

describe.each(FORMS)('fences, by %s', (form) => {
  function two() {
    const threads = new FenceThreads(form);
    const worker = threads.join('worker', { mayBlock: true });
    const here = threads.home.create('done', { initialValue: 4 });
    const there = worker.open(here.share());
    threads.settle();
    const monitored = (thread = worker.core.thread) => threads.home.core.cell(here.index).monitored(thread);
    return { threads, home: threads.home, worker, here, there, monitored };
  }

  it('F1: every thread sees the 64-bit value, which never decreases and cannot be assigned', () => {
    const { threads, here, there } = two();
    expect([here.value, there.value, there.name]).toEqual([4, 4, 'done']);
    threads.settle();
    here.signal(2n ** 63n + 1n);
    if (form === 'messages') expect(there.value64).toBe(4n); // never ahead
    threads.settle();
    expect([here.value64, there.value64]).toEqual([2n ** 63n + 1n, 2n ** 63n + 1n]);
    here.signal(7); // lower: changes nothing
    expect(here.value64).toBe(2n ** 63n + 1n);
    expect(() => Object.assign(here, { value: 9 })).toThrow(TypeError);
  });

  it('F1: fences reject values that are not whole numbers below 2^64 − 1', () => {
    const { here } = two();
    for (const bad of [-1, 0.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n - 1n]) {
      expect(() => here.signal(bad)).toThrow(
        expect.objectContaining({
          code: 'bad-fence-value',
          message: expect.stringContaining('a whole number from 0 to 2^53 − 1, or a bigint below 2^64 − 1.'),
        }),
      );
    }
    // Queries accept any number: 4 is reached, 4.5 is not.
    expect([-1, 3.5, 4.5, Number.NaN].map((value) => here.isReached(value))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('F2: a CPU signal is visible at once on its thread, and releases waiters on all threads', async () => {
    const { threads, here, there } = two();
    const waits = [here.whenReached(5), there.whenReached(5), there.whenReached(6)].map(watch);
    threads.settle();
    there.signal(5);
    expect(there.value).toBe(5);
    if (form === 'memory') expect(here.value).toBe(5);
    threads.settle();
    await turn();
    expect([here.value, ...waits.map(({ state }) => state)]).toEqual([5, 'reached', 'reached', 'waiting']);
  });

  it('F3: wait-any returns the index, wait-all waits for all points, and both remove their other waiters', async () => {
    const { threads, home, worker, here, there, monitored } = two();
    const other = home.create('other');
    const otherThere = worker.open(other.share());
    threads.settle();
    const points = [
      { fence: there, value: 9 },
      { fence: otherThere, value: 2 },
    ];
    const any = watch(worker.whenAny(points));
    const all = watch(worker.whenAll(points));
    threads.settle();
    expect(monitored()).toBe(8n);
    other.signal(2);
    threads.settle();
    await turn();
    expect([any.state, all.state, monitored()]).toEqual(['1', 'waiting', 8n]);
    here.signal(10);
    threads.settle();
    await turn();
    expect([all.state, monitored()]).toEqual(['reached', NOBODY_WAITS]);
    await expect(worker.whenAll([])).resolves.toBeUndefined();
    await expect(worker.whenAny([])).rejects.toMatchObject({ code: 'no-fences' });
  });

  it('F3: spurious notifications do not move a deadline; a time-out is an error', async () => {
    const { threads, here, there, monitored } = two();
    const wait = watch(there.whenReached(6, { deadline: 100 }));
    threads.settle();
    expect(monitored()).toBe(5n);
    for (let time = 0; time < 90; time += 30) {
      threads.clock.advance(30);
      here.owner.listen();
      threads.home.core.mailbox(there.local.index < 0 ? 0 : 1).ring();
      threads.settle();
    }
    await turn();
    expect(wait.state).toBe('waiting');
    threads.clock.advance(10);
    await turn();
    threads.settle();
    expect([wait.state, monitored()]).toEqual(['wait-timed-out', NOBODY_WAITS]);
    const late = watch(there.whenReached(6, { deadline: 50 }));
    threads.clock.advance(0);
    await turn();
    expect(late.state).toBe('wait-timed-out');
  });

  it('F3: an aborted signal ends a wait with its reason, and the wait leaves nothing behind', async () => {
    const { threads, worker, there, monitored } = two();
    const reason = new StateError('unmounted', 'Nobody looks any more.');
    const stopper = new AbortController();
    const listened = vi.spyOn(stopper.signal, 'removeEventListener');
    const waits = [
      watch(there.whenReached(9, { signal: stopper.signal, deadline: 500 })),
      watch(worker.whenAny([{ fence: there, value: 8 }], { signal: stopper.signal })),
      watch(there.whenReached(6, { signal: stopper.signal })),
    ];
    threads.settle();
    expect(monitored()).toBe(5n);
    there.signal(6);
    await turn();
    expect(waits[2].state).toBe('reached');
    expect(listened).toHaveBeenCalledOnce();
    stopper.abort(reason);
    await turn();
    threads.settle();
    expect(waits.map(({ state }) => state)).toEqual(['unmounted', 'unmounted', 'reached']);
    expect(monitored()).toBe(NOBODY_WAITS);
    threads.clock.advance(500);
    await expect(there.whenReached(9, { signal: stopper.signal })).rejects.toBe(reason);
    await expect(there.whenReached(9, { signal: AbortSignal.abort(null) })).rejects.toBe(null);
    threads.settle();
    expect(monitored()).toBe(NOBODY_WAITS);
  });

  it('F5: the monitored value is the smallest awaited value − 1, or the maximum without waiters', async () => {
    const { threads, there, monitored } = two();
    const monitoredAfter = (action: () => unknown) => {
      action();
      threads.settle();
      return monitored();
    };
    const ignored = (promise: Promise<unknown>) => void promise.catch(() => {});
    expect(monitored()).toBe(NOBODY_WAITS);
    expect(monitoredAfter(() => ignored(there.whenReached(9)))).toBe(8n);
    expect(monitoredAfter(() => ignored(there.whenReached(6, { deadline: 10 })))).toBe(5n);
    expect(monitoredAfter(() => ignored(there.whenReached(7)))).toBe(5n);
    expect(monitoredAfter(() => threads.clock.advance(10))).toBe(6n);
    expect(monitoredAfter(() => there.signal(8))).toBe(8n);
    expect(monitoredAfter(() => there.signal(9))).toBe(NOBODY_WAITS);
  });

  it('F5: only signals above the monitored value notify', () => {
    const { threads, home, worker, here, there } = two();
    void there.whenReached(7);
    threads.settle();
    const [rings, heard] = [home.counts.rings, worker.counts.notifications];
    here.signal(5);
    here.signal(6);
    threads.settle();
    expect([home.counts.rings - rings, worker.counts.notifications - heard]).toEqual([0, 0]);
    here.signal(7);
    threads.settle();
    expect([home.counts.rings - rings, worker.counts.notifications - heard]).toEqual([1, 1]);
  });

  it('F5: a notification names its fences; after an empty notification the receiver checks all fences', async () => {
    const { threads, home, worker, here, there } = two();
    const others = ['a', 'b'].map((name) => home.create(name));
    const open = others.map((fence) => worker.open(fence.share()));
    const waits = [there.whenReached(5), ...open.map((fence) => fence.whenReached(1))].map(watch);
    threads.settle();
    home.signal([...others.map((fence) => ({ fence, value: 1 })), { fence: here, value: 5 }]);
    threads.settle();
    expect(worker.counts).toMatchObject({ notifications: 1, named: 3, scans: 0 });
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'reached', 'reached']);
    const last = watch(there.whenReached(6));
    threads.settle();
    // Raise the value and ring the bell without naming the fence.
    home.core.cell(here.index).raise(6n);
    home.core.mailbox(worker.core.thread).ring();
    if (form === 'messages') home.signal([{ fence: here, value: 7 }]);
    threads.settle();
    await turn();
    expect([worker.counts.scans, last.state]).toEqual([form === 'memory' ? 1 : 0, 'reached']);
    worker.core.notify({ fences: [], queues: [] });
    expect(worker.counts.scans).toBe(form === 'memory' ? 2 : 1);
  });

  it('F5: a notification of a destroyed fence is fatal, unless this thread has closed the fence', async () => {
    const { threads, home, worker, here, there } = two();
    const other = home.create('other');
    const index = other.index;
    const wait = watch(there.whenReached(9));
    const ofQueue = watch(worker.openQueue('queue').use(there).whenReached(9));
    threads.settle();
    worker.core.notify({ fences: [here.index], queues: [] }); // spurious: legal
    other.close();
    expect(threads.errors).toEqual([]);
    worker.core.notify({ fences: [index], queues: [] });
    await turn();
    expect([threads.errors, wait.state, ofQueue.state]).toEqual([
      ['destroyed-fence-notified'],
      'destroyed-fence-notified',
      'destroyed-fence-notified',
    ]);
    expect(() => worker.open(here.share())).toThrow(
      expect.objectContaining({ code: 'destroyed-fence-notified' }),
    );
    home.core.notify({ fences: [index], queues: [] }); // closed on this thread: the notification was in flight
    expect(threads.errors.length).toBe(1);
  });

  it('a failure reaches all threads with its class and code; the first failure is kept', async () => {
    const { threads, here, there } = two();
    const waits = [here.whenReached(5), there.whenReached(5)].map(watch);
    let heard = 0;
    there.subscribe(() => heard++);
    threads.settle();
    there.fail(new ThreadError('render-crashed', 'The render thread threw.\nTwice.'));
    here.fail(new ThreadError('other', 'Later.'));
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(
      form === 'memory' ? ['render-crashed', 'render-crashed'] : ['other', 'render-crashed'],
    );
    expect(heard).toBe(1);
    if (form === 'memory') {
      expect(here.error).toMatchObject({
        name: 'ThreadError',
        code: 'render-crashed',
        message: 'The render thread threw.\nTwice.',
      });
    }
    await expect(here.whenReached(6)).rejects.toMatchObject({ code: here.error?.code });
    await expect(here.whenReached(4)).resolves.toBeUndefined(); // was reached before
  });

  it('listeners are called for every change that arrives, until they unsubscribe', () => {
    const { threads, here, there } = two();
    const seen: number[] = [];
    const end = there.subscribe(() => seen.push(there.value));
    threads.settle();
    here.signal(5);
    threads.settle();
    here.signal(6);
    there.signal(7);
    threads.settle();
    end();
    threads.settle();
    here.signal(8);
    threads.settle();
    expect(seen[0]).toBe(5);
    expect(seen.at(-1)).toBe(7);
  });

  it('F6: values of 32 bits wrap around; values beyond half the range from the last signal are rejected', async () => {
    const { threads, home, worker } = two();
    const start = 2n ** 32n - 5n;
    const here = home.create('narrow', { bits: 32, initialValue: start });
    const there = worker.open(here.share());
    threads.settle();
    expect([here.is32Bit, there.value64]).toEqual([true, start]);
    const wait = watch(there.whenReached(start + 10n));
    threads.settle();
    here.signal(start + 9n);
    threads.settle();
    await turn();
    expect([wait.state, there.value64 >= start]).toEqual(['waiting', true]);
    here.signal(start + 10n); // its low word is 5
    threads.settle();
    await turn();
    expect([wait.state, there.value64]).toEqual(['reached', start + 10n]);
    const now = start + 10n;
    const half = 2n ** 31n - 1n;
    expect(() => here.signal(now + half + 1n)).toThrow(
      expect.objectContaining({ code: 'fence-out-of-range' }),
    );
    await expect(there.whenReached(now + half + 1n)).rejects.toMatchObject({ code: 'fence-out-of-range' });
    const far = watch(there.whenReached(now + half));
    threads.settle();
    for (let step = 1n; step <= 6n; step++) here.signal(now + step * half);
    threads.settle();
    await turn();
    expect([far.state, there.value64]).toEqual(['reached', now + 6n * half]);
  });

  it('F7: every thread has handles of its own; closing the last handle destroys the fence', async () => {
    const { threads, home, worker, here, there } = two();
    const second = worker.open(here.share());
    const [firstWait, secondWait] = [there.whenReached(9), second.whenReached(9)].map(watch);
    threads.settle();
    const descriptor = here.share();
    there.close();
    await turn();
    expect([firstWait.state, secondWait.state]).toEqual(['fence-closed', 'waiting']);
    expect(() => there.signal(5)).toThrow(expect.objectContaining({ code: 'fence-closed' }));
    here.close(); // the creator's handle, which is not the last handle
    second.signal(9);
    threads.settle();
    await turn();
    expect(secondWait.state).toBe('reached');
    const again = home.open(descriptor);
    expect(again.value).toBe(9);
    again.close();
    second.close();
    threads.settle();
    if (form === 'memory') {
      expect(() => home.open(descriptor)).toThrow(expect.objectContaining({ code: 'fence-gone' }));
    }
    // A new fence gets the same index, and the old descriptor does not open it.
    const next = home.create('next');
    expect(next.index).toBe(descriptor.index);
    expect(() => home.open(descriptor)).toThrow(expect.objectContaining({ code: 'fence-gone' }));
    const late = worker.open;
    if (form === 'messages') {
      const gone = late.call(worker, descriptor);
      const wait = watch(gone.whenReached(99));
      threads.settle();
      await turn();
      expect(wait.state).toBe('fence-gone');
    }
  });

  it('F7: a closed handle neither reads nor fails a later fence with the same index', async () => {
    const { threads, home, here, there } = two();
    there.close();
    here.close();
    threads.settle();
    const next = home.create('next', { initialValue: 7 });
    expect(next.index).toBe(here.index);
    here.fail(new ThreadError('late', 'Nobody has this fence any more.'));
    there.fail(new ThreadError('late', 'Nobody has this fence any more.'));
    threads.settle();
    expect([here.value, there.value, here.error, next.value, next.error]).toEqual([4, 4, null, 7, null]);
    next.fail(new ThreadError('own', 'Its own end.'));
    expect([here.error, next.error?.code]).toEqual([null, 'own']);
  });

  it('F7: private fences are packed together; each shared fence has a cell to itself', () => {
    const { home, here } = two();
    const other = home.create('other');
    expect(Math.abs(home.core.memory.cellOffset(other.index) - home.core.memory.cellOffset(here.index))).toBe(
      1024,
    );
    expect(home.core.memory.cellOffset(other.index) % CELL_BYTES).toBe(0);
    expect(Math.floor(4096 / FenceCell.bytesFor(1))).toBe(102);
    const own = Array.from({ length: 102 }, (_, index) =>
      home.create(`private ${index}`, { isPrivate: true }),
    );
    own[50].signal(3);
    expect([own[49].value, own[50].value, own[51].value]).toEqual([0, 3, 0]);
    expect(() => own[0].share()).toThrow(expect.objectContaining({ code: 'fence-not-shareable' }));
  });

  it('F7: a batch of signals raises all values, then sends one notification per thread', () => {
    const { threads, home, worker, here, there } = two();
    const other = home.create('other');
    const otherThere = worker.open(other.share());
    threads.settle();
    const seen: number[][] = [];
    there.subscribe(() => seen.push([there.value, otherThere.value]));
    void otherThere.whenReached(1);
    threads.settle();
    const before = home.counts.rings;
    home.signal([
      { fence: here, value: 5 },
      { fence: other, value: 1 },
    ]);
    threads.settle();
    expect([home.counts.rings - before, seen[0]]).toEqual([1, [5, 1]]);
  });

  it('F3: blocking waits are rejected on threads that must not block', () => {
    const { threads, home, here, worker, there } = two();
    const refused = (action: () => void, reason: RegExp) => {
      expect(action).toThrow(expect.objectContaining({ code: 'blocking-refused', name: 'ThreadError' }));
      expect(action).toThrow(reason);
    };
    refused(() => here.block(5), /was not declared as a pool worker/);
    if (form === 'messages') {
      refused(() => there.block(5), /shares no memory/);
      return;
    }
    refused(() => worker.create('own', { isPrivate: true }).block(1), /private fence/);
    const queue = worker.openQueue('queue');
    refused(() => there.block(5), /has a queue/);
    queue.close();
    (globalThis as { document?: unknown }).document = {};
    try {
      refused(() => there.block(5), /is the main thread/);
    } finally {
      delete (globalThis as { document?: unknown }).document;
    }
    here.signal(5);
    there.block(5); // reached: returns
    expect(() => there.block(6, { deadline: threads.clock.now() })).toThrow(
      expect.objectContaining({ code: 'wait-timed-out' }),
    );
    expect(home.core.cell(here.index).monitored(worker.core.thread)).toBe(NOBODY_WAITS);
  });

  it('a thread that leaves frees its number and its handles', () => {
    const threads = new FenceThreads(form);
    const fence = threads.home.create('done');
    for (let round = 0; round < 3 * MAXIMUM_THREADS; round++) {
      const worker = threads.join('worker');
      const opened = worker.open(fence.share());
      void opened.whenReached(1).catch(() => {});
      threads.settle();
      worker.dispose();
      threads.settle();
    }
    expect(threads.home.core.cell(fence.index).openSlots).toBe(1 << threads.home.core.thread);
    const many = Array.from({ length: MAXIMUM_THREADS - 1 }, () => threads.join('worker'));
    expect(() => threads.join('one too many')).toThrow(
      expect.objectContaining({ code: 'too-many-fence-threads' }),
    );
    expect(many.length).toBe(15);
  });

  it('F7: evicting a terminated thread frees its number, handles and queue, and ends its notifications', () => {
    const threads = new FenceThreads(form, { queues: 1 });
    const { home } = threads;
    const fence = home.create('done');
    for (let round = 0; round < 3 * MAXIMUM_THREADS; round++) {
      const { invitation } = home.invite();
      const worker = joinFences(invitation, { name: 'worker', environment: threads.environment });
      const opened = worker.open(fence.share());
      worker.openQueue('queue').use(opened);
      void opened.whenReached(1000).catch(() => {});
      threads.settle();
      // From here on the worker is terminated.
      home.evict(invitation);
      home.evict(invitation);
      expect(home.core.cell(fence.index).openSlots).toBe(1 << home.core.thread);
    }
    const { rings } = home.counts;
    fence.signal(1000);
    expect(home.counts.rings).toBe(rings);
    fence.close();
    expect(home.core.cell(fence.index).isAlive).toBe(false);
  });

  it('F7: evicting a thread that has left does nothing to the next thread with its number', () => {
    const threads = new FenceThreads(form);
    const { home } = threads;
    const fence = home.create('done');
    const join = (invitation: FenceInvitation) =>
      joinFences(invitation, { name: 'worker', environment: threads.environment });
    const first = home.invite().invitation;
    const gone = join(first);
    gone.open(fence.share());
    threads.settle();
    gone.dispose();
    threads.settle();
    const heir = join(home.invite().invitation);
    expect(heir.core.thread).toBe(gone.core.thread);
    const opened = heir.open(fence.share());
    threads.settle();
    home.evict(first);
    fence.signal(3);
    void opened.value; // reading a replica's value requests the next value
    threads.settle();
    expect(opened.value).toBe(3);
    expect(home.core.cell(fence.index).openSlots).toBe((1 << home.core.thread) | (1 << heir.core.thread));
    expect(() => home.evict({ ...first, group: 'other' })).toThrow(
      expect.objectContaining({ code: 'fence-of-another-group' }),
    );
    if (form === 'messages') {
      const other = home.invite().invitation;
      expect(() => heir.evict(other)).toThrow(expect.objectContaining({ code: 'fence-evict-elsewhere' }));
      return;
    }
    // In memory several threads may join with one invitation; each has a number of its own.
    const { invitation } = home.invite();
    const [one, two] = [join(invitation), join(invitation)];
    expect(one.core.thread).not.toBe(two.core.thread);
  });

  it('calls reject invalid arguments with errors that name the argument', async () => {
    const { threads, home, worker, here, there } = two();
    const refused = (call: () => unknown, code: string, message: RegExp) =>
      expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
    const given = <Options>(options: unknown) => options as Options;
    refused(() => createFences(given({ nam: 'here' })), 'option-unknown', /"nam".*Did you mean "name"\?/);
    refused(() => createFences(given(64)), 'option-invalid', /createFences takes its options by name/);
    refused(() => joinFences(given(undefined)), 'bad-fence-option', /undefined, not .* invite\(\)/);
    refused(
      () => joinFences(home.invite().invitation, given({ mayblock: true })),
      'option-unknown',
      /"mayBlock"/,
    );
    refused(() => home.create(given(undefined)), 'bad-fence-option', /name.* undefined, not a text/);
    refused(() => home.create('z', given({ isCros: true })), 'option-unknown', /"isCros".*"isCrossDevice"/);
    refused(
      () => home.create('z', given({ isPrivate: 1 })),
      'bad-fence-option',
      /isPrivate .* 1; .* true or false/,
    );
    refused(
      () => home.create('z', given({ isCrossDevice: 'no' })),
      'bad-fence-option',
      /"no"; .* true or false/,
    );
    refused(
      () => createFences(given({ shared: 'yes' })),
      'bad-fence-option',
      /shared of createFences is "yes"/,
    );
    refused(
      () => home.create('z', given({ bits: 16 })),
      'bad-fence-option',
      /bits of create\("z"\) is 16; .* 32 or 64/,
    );
    refused(
      () => home.create('z', given({ type: 'x' })),
      'bad-fence-option',
      /type of create\("z"\) is "x"; .* default, intra-device/,
    );
    refused(() => home.open(given(undefined)), 'bad-fence-option', /undefined, not .* share\(\)/);
    refused(() => home.open(given('done')), 'bad-fence-option', /"done", not .* share\(\)/);
    refused(() => home.evict(given(undefined)), 'bad-fence-option', /undefined, not .* invite\(\)/);
    refused(() => home.invite(given({ by: 'mail' })), 'bad-fence-option', /"mail".* memory, messages/);
    refused(
      () => home.invite(given({ via: 'memory' })),
      'option-unknown',
      /"via".*It takes by, mayOpenQueue\./,
    );
    refused(() => home.openQueue('q', given({ onevent: 1 })), 'option-unknown', /"onEvent"/);
    refused(() => home.signal(given([here])), 'bad-fence-option', /\{ fence, value \}/);
    const rejected = async (wait: () => Promise<unknown>, code: string, message: RegExp) =>
      expect(wait()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await rejected(() => there.whenReached(9, given({ deadlin: 1 })), 'option-unknown', /"deadline"\?/);
    await rejected(() => there.whenReached(9, given(100)), 'option-invalid', /was given 100/);
    const signal = new AbortController();
    await rejected(
      () => there.whenReached(9, given({ signal })),
      'bad-fence-option',
      /signal of a wait for fences is an object; .* an AbortSignal/,
    );
    for (const deadline of [Number.NaN, '5']) {
      await rejected(
        () => there.whenReached(9, given({ deadline })),
        'bad-fence-option',
        /deadline.* a number/,
      );
    }
    const ended = home.create('ended');
    ended.fail(given(undefined));
    expect(ended.error).toMatchObject({
      code: 'internal',
      message: 'The fence "ended" was ended by undefined.',
    });
    await rejected(() => worker.whenAny(given([there])), 'bad-fence-option', /\{ fence, value \}/);
    await rejected(() => worker.whenAll(given(there)), 'bad-fence-option', /\{ fence, value \}/);
    expect(threads.home.core.cell(here.index).monitored(worker.core.thread)).toBe(NOBODY_WAITS);
    // The types make the compiler report an option that is missing here.
    const { environment } = threads;
    const onError = () => {};
    const joining: Required<JoinOptions> = { name: 'n', mayBlock: false, onError, environment };
    const all: Required<FencesOptions> = {
      ...joining,
      capacity: 2,
      queues: 2,
      namesQueues: false,
      shared: false,
    };
    const group = createFences(all);
    joinFences(group.invite({ by: 'messages' }).invitation, joining);
    const kinds: Required<FenceOptions> = {
      initialValue: 1,
      bits: 64,
      isPrivate: false,
      isCrossDevice: false,
      type: 'default',
      isProgress: false,
    };
    const progress = group.create('all', kinds);
    const queue: Required<FenceQueueOptions> = { progress, onEvent: () => {}, onDetached: () => {} };
    group.openQueue('q', queue);
  });

  it('errors of time-outs and of invitations give the reason in whole sentences', async () => {
    const { threads, home, worker, there } = two();
    const other = worker.open(home.create('other').share());
    threads.settle();
    const wait = worker
      .whenAll(
        [
          { fence: there, value: 9 },
          { fence: other, value: 2n },
        ],
        { deadline: 0 },
      )
      .catch(({ message }) => message);
    threads.clock.advance(0);
    expect(await wait).toBe(
      'worker waited 0 ms in vain for the fence "done" to reach 9 and "other" to reach 2. Find out what delays it, or allow more time.',
    );
    if (form === 'memory') return;
    for (const options of [{}, { by: 'memory' }, { by: 'messages' }] as const) {
      expect(() => worker.invite(options)).toThrow(
        "A thread can't be invited from worker, which does not share the memory of the group. Invite it on a thread that has the memory.",
      );
    }
    expect(() => home.invite({ by: 'memory' })).toThrow(
      "A thread can't be invited to share memory from home, which has none to share. Invite it by messages.",
    );
  });

  it('fences of another group and options out of range are rejected', () => {
    const { worker } = two();
    const foreign = new FenceThreads(form).home.create('foreign');
    expect(() => worker.open(foreign.share())).toThrow(
      expect.objectContaining({ code: 'fence-of-another-group' }),
    );
    expect(() => new FenceThreads(form, { capacity: 0 })).toThrow(
      expect.objectContaining({ code: 'bad-fence-option' }),
    );
    expect(() => worker.readLog(4, 'waits')).toThrow(expect.objectContaining({ code: 'bad-fence-option' }));
    const full = new FenceThreads(form, { capacity: 2 }).home;
    full.create('a');
    full.create('b');
    expect(() => full.create('c')).toThrow(expect.objectContaining({ code: 'fence-memory-full' }));
    expect(() => joinFences(full.invite().invitation).create('d')).toThrow(
      expect.objectContaining({ code: form === 'memory' ? 'fence-memory-full' : 'fence-create-elsewhere' }),
    );
  });
});
