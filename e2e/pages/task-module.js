// Tasks that pages under test run in a pool: plain JavaScript, as a host serves it.
let kept;

export default {
  sum: ({ numbers }) => numbers.reduce((sum, each) => sum + each, 0),
  where: () => (typeof document === 'undefined' ? 'worker' : 'page'),
  /** Every element is a function of its index alone, so the result is the same however the range was split. */
  fill({ values, seed }, begin, end) {
    for (let index = begin; index < end; index++) values[index] = Math.sin(index * seed) * 1000;
  },
  /** One pass over what another one wrote. */
  smooth({ from, to }, begin, end) {
    for (let index = begin; index < end; index++) {
      to[index] =
        (from[Math.max(0, index - 1)] + from[index] + from[Math.min(from.length - 1, index + 1)]) / 3;
    }
  },
  append({ log, count }) {
    log[count[0]++] = count[0];
  },
  fail() {
    throw new RangeError('No such thing.');
  },
  pause({ milliseconds }, begin, end) {
    const until = performance.now() + milliseconds * (end - begin);
    while (performance.now() < until);
  },
  busy({ milliseconds }) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return milliseconds;
  },
  /** Says `running` on the channel, runs until somebody says a word there, which is the result, and says `ended`. */
  untilTold({ channel }) {
    const listener = new BroadcastChannel(channel);
    return new Promise((resolve) => {
      listener.onmessage = ({ data }) => {
        resolve(data);
        listener.postMessage('ended');
        listener.close();
      };
      listener.postMessage('running');
    });
  },
  die() {
    setTimeout(() => {
      throw new Error('It broke.');
    });
    return new Promise(() => {});
  },
  unsendable: () => () => {},
  cloneBadly: () => structuredClone(() => {}),
  /** A tree of tasks, which await those that they have started. */
  async count({ depth }, _begin, _end, task) {
    if (depth === 0) return 1;
    const [left, right] = [task.run('count', { depth: depth - 1 }), task.run('count', { depth: depth - 1 })];
    return (await left) + (await right);
  },
  /** The same, and the thread waits: it runs what it has started. */
  countBlocking({ depth }, _begin, _end, task) {
    if (depth === 0) return 1;
    const [left, right] = task.wait(
      task.run('countBlocking', { depth: depth - 1 }),
      task.run('countBlocking', { depth: depth - 1 }),
    );
    return left + right;
  },
  waitFor: ({ name, args }, _begin, _end, task) => task.wait(task.run(name, args))[0],
  waitDeep: ({ depth }, _begin, _end, task) =>
    depth === 0 ? 0 : task.wait(task.run('waitDeep', { depth: depth - 1 }))[0] + 1,
  failAfterSaying({ begun }) {
    Atomics.store(begun, 0, 1);
    throw new RangeError('No such thing.');
  },
  /** Waits for a task that fails on another worker, and hides nothing of it. */
  waitForFailing({ begun, depth }, _begin, _end, task) {
    if (depth > 0) return task.wait(task.run('waitForFailing', { begun, depth: depth - 1 }));
    const failing = task.run('failAfterSaying', { begun });
    while (Atomics.load(begun, 0) === 0);
    return task.wait(failing);
  },
  *pauses() {
    yield;
  },
  write({ into, at }) {
    into[at] = at + 1;
  },
  spread({ into }, _begin, _end, task) {
    for (let at = 0; at < into.length; at++) {
      if (at % 2 === 0) task.fire('write', { into, at });
      else task.doNotCompleteUntil(task.run('write', { into, at }));
    }
  },
  async failing(_args, _begin, _end, task) {
    const failed = await task.run('fail').catch(({ name, message }) => `${name}: ${message}`);
    task.progress(0.5);
    const dependent = await task
      .run('where', null, { prerequisites: [task.run('fail')] })
      .catch(({ code, cause }) => `${code}: ${cause.message}`);
    return [failed, dependent];
  },
  async yields({ milliseconds }) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return milliseconds;
  },
  /** Reads and writes what only a lock keeps together. */
  deposit({ words, times }, _begin, _end, task) {
    const mutex = new task.tools.TaskMutex({ words, index: 0 });
    for (let time = 0; time < times; time++) {
      mutex.lock();
      const before = words[1];
      for (let pause = 0; pause < 50; pause++);
      words[1] = before + 1;
      mutex.unlock();
    }
  },
  /** All have to be there at once. */
  meet({ words, size }, _begin, _end, task) {
    return new task.tools.TaskBarrier({ words, index: 2 }, size).arrive(performance.now() + 20_000);
  },
  pass({ words, times, isFirst }, _begin, _end, task) {
    const [mine, other] = isFirst ? [4, 5] : [5, 4];
    const [ping, pong] = [mine, other].map((index) => new task.tools.TaskSemaphore({ words, index }));
    for (let time = 0; time < times; time++) {
      ping.acquire(performance.now() + 20_000);
      words[6]++;
      pong.release();
    }
  },
  waitInVain({ words }, _begin, _end, task) {
    new task.tools.TaskSignal({ words, index: 7 }).wait(performance.now() + 20);
  },
  /** Sleeps with the condition until the value is there. */
  hearValue({ words }, _begin, _end, task) {
    const mutex = new task.tools.TaskMutex({ words, index: 0 });
    const condition = new task.tools.TaskCondition({ words, index: 1 });
    mutex.lock();
    Atomics.store(words, 3, 1);
    while (words[2] === 0) condition.wait(mutex, performance.now() + 20_000);
    const value = words[2];
    mutex.unlock();
    return value;
  },
  /** Comes to the lock only when who waits has let go of it. */
  tellValue({ words, value }, _begin, _end, task) {
    const mutex = new task.tools.TaskMutex({ words, index: 0 });
    while (Atomics.load(words, 3) === 0);
    mutex.lock(performance.now() + 20_000);
    words[2] = value;
    mutex.unlock();
    new task.tools.TaskCondition({ words, index: 1 }).notify();
  },
  /** Two numbers that a lock alone keeps equal. */
  writeBoth({ words, times }, _begin, _end, task) {
    const lock = new task.tools.TaskReadWriteLock({ words, index: 0 });
    for (let time = 0; time < times; time++) {
      lock.lockWrite(performance.now() + 20_000);
      const before = words[4];
      for (let pause = 0; pause < 50; pause++);
      words[4] = before + 1;
      words[5] = before + 1;
      lock.unlockWrite();
    }
  },
  /** @returns how often they differed */
  readBoth({ words, times }, _begin, _end, task) {
    const lock = new task.tools.TaskReadWriteLock({ words, index: 0 });
    let different = 0;
    for (let time = 0; time < times; time++) {
      lock.lockRead(performance.now() + 20_000);
      if (words[4] !== words[5]) different++;
      lock.unlockRead();
    }
    return different;
  },
  /** Waits for an event of the pool, whose place it tells, and gives it back. */
  awaitPooled({ words }, _begin, _end, task) {
    const pool = new task.tools.SignalPool({ words, index: 1 }, 2);
    const signal = pool.take();
    Atomics.store(words, 0, signal.index);
    signal.wait(performance.now() + 20_000);
    pool.giveBack(signal);
    return signal.index;
  },
  setPooled({ words }, _begin, _end, task) {
    let index = 0;
    while (index === 0) index = Atomics.exchange(words, 0, 0);
    new task.tools.TaskSignal({ words, index }).set();
  },
  /** `words`: the thread of its first part, whether somebody holds that one, the thread of its second part. */
  goesOn({ words, place, part }, _begin, _end, task) {
    const thread = task.local('thread', () => 1 + Math.floor(Math.random() * 2 ** 30));
    if (part === 2) {
      Atomics.store(words, 2, thread);
      return 'arrived';
    }
    Atomics.store(words, 0, thread);
    const counter = new task.tools.TaskCounter(place);
    return task.resume({ words, place, part: 2 }, counter.whenReached());
  },
  /** Holds the thread of the first part until it is told to let go; another thread waits until somebody does. */
  holdFirst({ words }, _begin, _end, task) {
    const thread = task.local('thread', () => 1 + Math.floor(Math.random() * 2 ** 30));
    if (thread !== words[0]) {
      while (Atomics.load(words, 1) === 0);
      return;
    }
    Atomics.store(words, 1, 1);
    while (Atomics.load(words, 1) === 1);
  },
  /** Says how far it is, and then waits for a word on the channel. */
  async progressUntilTold({ channel }, _begin, _end, task) {
    const listener = new BroadcastChannel(channel);
    const told = new Promise((resolve) => {
      listener.onmessage = resolve;
    });
    task.progress(0.25);
    listener.postMessage('running');
    await told;
    listener.close();
  },
  fillArena({ memory, tag, value, bytes }, _begin, _end, task) {
    const view = task.tools.openArenas(memory).allocate(tag, bytes).fill(value);
    return { byteOffset: view.byteOffset, length: view.length };
  },
  add({ values }, begin) {
    Atomics.add(values, begin % values.length, 1);
  },
  /** What a strict policy forbids. */
  compile() {
    try {
      return new Function('return "compiled"')();
    } catch ({ name }) {
      return name;
    }
  },
  note({ log, label }) {
    log[++log[0]] = label;
  },
  spin({ flag }) {
    while (Atomics.load(flag, 0) === 0);
  },
  hang() {
    for (;;);
  },
  /** No event tells of it: its task ends, and then the thread is gone. */
  close() {
    self.close();
    return new Promise(() => {});
  },
  /** Has a lock when its worker breaks. */
  dieWithLocks({ words }, _begin, _end, task) {
    new task.tools.TaskMutex({ words, index: 0 }).lock();
    new task.tools.TaskReadWriteLock({ words, index: 1 }).lockWrite();
    new task.tools.TaskReadWriteLock({ words, index: 4 }).lockRead();
    setTimeout(() => {
      throw new Error('It broke.');
    });
    return new Promise(() => {});
  },
  /** What becomes of who asks for these locks. */
  lockAll({ words }, _begin, _end, task) {
    const until = performance.now() + 10_000;
    const codeOf = (call) => {
      try {
        call();
        return 'locked';
      } catch ({ code }) {
        return code;
      }
    };
    return [
      codeOf(() => new task.tools.TaskMutex({ words, index: 0 }).lock(until)),
      codeOf(() => new task.tools.TaskReadWriteLock({ words, index: 1 }).lockRead(until)),
      codeOf(() => new task.tools.TaskReadWriteLock({ words, index: 4 }).lockWrite(until)),
    ];
  },
  /** Marks where calls begin. */
  mark({ log }, begin) {
    log[begin] = 1;
  },
  /** Waits in its middle, for a task and for others. */
  *fiber({ value }, _begin, _end, task) {
    const half = yield task.run('sum', { numbers: [value, value] });
    yield;
    try {
      yield task.run('fail');
    } catch ({ message }) {
      return [half, message];
    }
  },
  *waits({ place, log }, _begin, _end, task) {
    const counter = new task.tools.TaskCounter(place);
    Atomics.add(log, 0, 1);
    yield counter.whenReached();
    return counter.value;
  },
  /** Blocks its thread until the counter is done. */
  blocks: ({ place }, _begin, _end, task) => new task.tools.TaskCounter(place).wait(0),
  sizeOf: ({ map }) => map.size,
  async asksSize({ begun }, _begin, _end, task) {
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    return task.run('sizeOf', { map: new Map([[1, 2]]) });
  },
  /** Holds its thread for a task of another worker, which itself needs a third one that comes by message. */
  holdsForMessage({ begun }, _begin, _end, task) {
    const asking = task.run('asksSize', { begun });
    Atomics.wait(begun, 0, 0);
    return task.wait(asking)[0];
  },
  /** Starts more than there are slots, awaits one, and waits for all. */
  async awaitsThenWaits({ count }, _begin, _end, task) {
    const started = Array.from({ length: count }, (_, value) => task.run('double', { value }));
    await started[0];
    return task.wait(...started).reduce((sum, each) => sum + each, 0);
  },
  /** Starts a task whose arguments go by message, and leaves it to another task to wait for it. */
  async keepsStarted(_args, _begin, _end, task) {
    kept = task.run('double', { value: 21, more: new Map() });
    return await kept;
  },
  waitsForKept: (_args, _begin, _end, task) => task.wait(kept),
  double: ({ value }) => 2 * value,
  /** Starts tasks that nobody waits for. */
  startsMarks({ log }, _begin, _end, task) {
    for (let at = 0; at < log.length; at++) task.run('markOne', { log, at });
  },
  markOne({ log, at }) {
    log[at] = 1;
  },
  countDown({ place }, _begin, _end, task) {
    new task.tools.TaskCounter(place).done();
  },
  /** A state machine over shared memory: each part runs on whichever worker is free. */
  walk({ place, state }, _begin, _end, task) {
    Atomics.add(state, 0, 1);
    if (state[0] === 4) return 'arrived';
    return task.resume({ place, state }, new task.tools.TaskCounter(place).whenReached(4 - state[0]));
  },
  /** One value per thread; its clean-up is told on the channel. */
  local({ channel }, _begin, _end, task) {
    return task.local(
      'scratch',
      () => Math.random(),
      (value) => {
        const told = new BroadcastChannel(channel);
        told.postMessage(value);
        told.close();
      },
    );
  },
  lockFree({ words }, _begin, _end, task) {
    return new task.tools.TaskMutex({ words, index: 0 }).tryLock() ? 'locked' : 'refused';
  },
  /** Which thread it is, by its script and by its name. */
  thread(_args, _begin, _end, task) {
    const script = typeof document === 'undefined' ? self.location.pathname.split('/').at(-1) : 'page';
    return `${script} ${task.thread?.name ?? 'pool'}`;
  },
  drain: (_args, _begin, _end, task) => task.thread.processUntilIdle('local'),
  nest: (_args, _begin, _end, task) => task.thread.processUntilIdle('main'),
  serveLocal: (_args, _begin, _end, task) => task.thread.processUntilReturn('local'),
  /** From whichever thread it runs on to others. */
  async sendOn({ to }, _begin, _end, task) {
    const sent = to.map((thread) => task.run('thread', null, { thread }));
    return Promise.all(sent);
  },
  async unknown(_args, _begin, _end, task) {
    return task.run('no such task');
  },
};
