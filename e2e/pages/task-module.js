// Tasks that tested pages run in a pool, as plain JavaScript that a server delivers.
let kept;

export default {
  /** Waits for the fence `ask`, if possible by blocking, and then signals `answer`. */
  async fences({ ask, answer }, _begin, _end, { tools }) {
    const fences = await tools.fences();
    const [asked, answered] = [fences.open(ask), fences.open(answer)];
    let how = 'blocked';
    try {
      asked.block(3);
    } catch ({ code }) {
      how = code;
      await asked.whenReached(3);
    }
    answered.signal(asked.value * 2);
    const isShared = fences === (await tools.fences());
    for (const fence of [asked, answered]) fence.close();
    return { how, isShared };
  },
  /** Waits until the GPU has completed a later frame. */
  async progress({ progress, frame }, _begin, _end, { tools }) {
    const fence = (await tools.fences()).open(progress);
    await fence.whenReached(frame);
    const { value } = fence;
    fence.close();
    return value >= frame;
  },
  /** Returns the identity of this thread, and how often the task has run on it. */
  warm(_args, _begin, _end, task) {
    const warmed = task.local('warm', () => ({ id: Math.random(), times: 0 }));
    warmed.times++;
    return { ...warmed };
  },
  sum: ({ numbers }) => numbers.reduce((sum, each) => sum + each, 0),
  where: () => (typeof document === 'undefined' ? 'worker' : 'page'),
  /** Each element depends only on its index, so the result is the same for every split of the range. */
  fill({ values, seed }, begin, end) {
    for (let index = begin; index < end; index++) values[index] = Math.sin(index * seed) * 1000;
  },
  /** Smooths another task's results. Each element depends on its neighbours. */
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
  /**
   * Posts `running` to the channel, and runs until a message arrives there, which is the result. Then it posts
   * `ended`.
   */
  untilMessage({ channel }) {
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
  /** Counts a tree of tasks. Each task awaits the tasks that it has started. */
  async count({ depth }, _begin, _end, task) {
    if (depth === 0) return 1;
    const [left, right] = [task.run('count', { depth: depth - 1 }), task.run('count', { depth: depth - 1 })];
    return (await left) + (await right);
  },
  /** Counts a tree of tasks with blocking waits. A waiting thread runs the tasks that it has started. */
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
  failAfterBegin({ begun }) {
    Atomics.store(begun, 0, 1);
    throw new RangeError('No such thing.');
  },
  /** Waits for a task that fails on another worker, and passes its error on. */
  waitForFailing({ begun, depth }, _begin, _end, task) {
    if (depth > 0) return task.wait(task.run('waitForFailing', { begun, depth: depth - 1 }));
    const failing = task.run('failAfterBegin', { begun });
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
  /** Changes a value that only a lock protects. */
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
  /** Resolves once all parties have arrived at the barrier. */
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
  /** Waits on the condition until the value is set. */
  awaitValue({ words }, _begin, _end, task) {
    const mutex = new task.tools.TaskMutex({ words, index: 0 });
    const condition = new task.tools.TaskCondition({ words, index: 1 });
    mutex.lock();
    Atomics.store(words, 3, 1);
    while (words[2] === 0) condition.wait(mutex, performance.now() + 20_000);
    const value = words[2];
    mutex.unlock();
    return value;
  },
  /** Takes the lock once the waiting task has released it, and sets the value. */
  setValue({ words, value }, _begin, _end, task) {
    const mutex = new task.tools.TaskMutex({ words, index: 0 });
    while (Atomics.load(words, 3) === 0);
    mutex.lock(performance.now() + 20_000);
    words[2] = value;
    mutex.unlock();
    new task.tools.TaskCondition({ words, index: 1 }).notify();
  },
  /** Writes two numbers that only a lock keeps equal. */
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
  /** Compares both numbers. @returns how often they differed */
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
  /** Takes a signal from the pool, reports its index, waits for it, and returns it to the pool. */
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
  /**
   * A task of two parts. `words` stores the thread of the first part, whether `holdFirst` blocks that thread,
   * and the thread of the second part.
   */
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
  /**
   * Blocks the thread of the first part until the test releases that thread. If the task runs on another
   * thread, it ends once the thread of the first part is blocked.
   */
  holdFirst({ words }, _begin, _end, task) {
    const thread = task.local('thread', () => 1 + Math.floor(Math.random() * 2 ** 30));
    if (thread !== words[0]) {
      while (Atomics.load(words, 1) === 0);
      return;
    }
    Atomics.store(words, 1, 1);
    while (Atomics.load(words, 1) === 1);
  },
  /** Reports its progress, and then waits for a message on the channel. */
  async progressUntilMessage({ channel }, _begin, _end, task) {
    const listener = new BroadcastChannel(channel);
    const message = new Promise((resolve) => {
      listener.onmessage = resolve;
    });
    task.progress(0.25);
    listener.postMessage('running');
    await message;
    listener.close();
  },
  fillArena({ memory, tag, value, bytes }, _begin, _end, task) {
    const view = task.tools.openArenas(memory).allocate(tag, bytes).fill(value);
    return { byteOffset: view.byteOffset, length: view.length };
  },
  add({ values }, begin) {
    Atomics.add(values, begin % values.length, 1);
  },
  /** Compiles code from a string, which a strict Content-Security-Policy forbids. */
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
  /** Waits for a task that hangs on the same worker. */
  hangInside: (_args, _begin, _end, task) => task.run('hang'),
  /** Returns, and leaves code behind that posts to the channel and makes the worker hang. */
  hangAfterwards({ channel }) {
    const broadcast = new BroadcastChannel(channel);
    setTimeout(() => {
      broadcast.postMessage('hangs');
      for (;;);
    });
  },
  /** Joins the engine's fences, and then ends its worker. */
  async joinAndClose({ go }, _begin, _end, { tools }) {
    const fence = (await tools.fences()).open(go);
    void fence.whenReached(1);
    self.close();
    return new Promise(() => {});
  },
  /** Closes its worker. The browser sends no event when that happens. */
  close() {
    self.close();
    return new Promise(() => {});
  },
  /** Takes locks, and still holds them when its worker breaks. */
  dieWithLocks({ words }, _begin, _end, task) {
    new task.tools.TaskMutex({ words, index: 0 }).lock();
    new task.tools.TaskReadWriteLock({ words, index: 1 }).lockWrite();
    new task.tools.TaskReadWriteLock({ words, index: 4 }).lockRead();
    setTimeout(() => {
      throw new Error('It broke.');
    });
    return new Promise(() => {});
  },
  /** Requests the locks that `dieWithLocks` holds, and returns the outcome of each request. */
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
  /** Marks the start of each call's range. */
  mark({ log }, begin) {
    log[begin] = 1;
  },
  /** A generator task that waits for a task, for other tasks to run, and for a failing task. */
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
  /** Blocks its thread until the counter reaches 0. */
  blocks: ({ place }, _begin, _end, task) => new task.tools.TaskCounter(place).wait(0),
  sizeOf: ({ map }) => map.size,
  async asksSize({ begun }, _begin, _end, task) {
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    return task.run('sizeOf', { map: new Map([[1, 2]]) });
  },
  /**
   * Blocks its thread for a task on another worker. That task needs a third task, whose arguments arrive by
   * message.
   */
  holdsForMessage({ begun }, _begin, _end, task) {
    const asking = task.run('asksSize', { begun });
    Atomics.wait(begun, 0, 0);
    return task.wait(asking)[0];
  },
  /** Starts more tasks than there are slots, awaits one, and then blocks for all. */
  async awaitsThenWaits({ count }, _begin, _end, task) {
    const started = Array.from({ length: count }, (_, value) => task.run('double', { value }));
    await started[0];
    return task.wait(...started).reduce((sum, each) => sum + each, 0);
  },
  /** Starts a task whose arguments are sent by message. Another task waits for it. */
  async keepsStarted(_args, _begin, _end, task) {
    kept = task.run('double', { value: 21, more: new Map() });
    return await kept;
  },
  waitsForKept: (_args, _begin, _end, task) => task.wait(kept),
  double: ({ value }) => 2 * value,
  /** Starts tasks without waiting for them. */
  startsMarks({ log }, _begin, _end, task) {
    for (let at = 0; at < log.length; at++) task.run('markOne', { log, at });
  },
  markOne({ log, at }) {
    log[at] = 1;
  },
  countDown({ place }, _begin, _end, task) {
    new task.tools.TaskCounter(place).done();
  },
  /** A state machine in shared memory. Each part runs on any free worker. */
  walk({ place, state }, _begin, _end, task) {
    Atomics.add(state, 0, 1);
    if (state[0] === 4) return 'arrived';
    return task.resume({ place, state }, new task.tools.TaskCounter(place).whenReached(4 - state[0]));
  },
  /** Returns a value that exists once per thread. Its clean-up posts to the channel. */
  local({ channel }, _begin, _end, task) {
    return task.local(
      'scratch',
      () => Math.random(),
      (value) => {
        const broadcast = new BroadcastChannel(channel);
        broadcast.postMessage(value);
        broadcast.close();
      },
    );
  },
  lockFree({ words }, _begin, _end, task) {
    return new task.tools.TaskMutex({ words, index: 0 }).tryLock() ? 'locked' : 'refused';
  },
  /** Returns the thread's script and name. */
  thread(_args, _begin, _end, task) {
    const script = typeof document === 'undefined' ? self.location.pathname.split('/').at(-1) : 'page';
    return `${script} ${task.thread?.name ?? 'pool'}`;
  },
  /** Fills the values by a loop that this task starts. The task may run on any thread. */
  async fillByLoop({ values, seed, flags }, _begin, _end, task) {
    await task.parallelFor('fill', values.length, { values, seed }, { batch: 9, flags });
    return task.thread?.name ?? 'pool';
  },
  drain: (_args, _begin, _end, task) => task.thread.processUntilIdle('local'),
  nest: (_args, _begin, _end, task) => task.thread.processUntilIdle('main'),
  serveLocal: (_args, _begin, _end, task) => task.thread.processUntilReturn('local'),
  /** Sends tasks from this task's thread to other threads. */
  async sendOn({ to }, _begin, _end, task) {
    const sent = to.map((thread) => task.run('thread', null, { thread }));
    return Promise.all(sent);
  },
  async unknown(_args, _begin, _end, task) {
    return task.run('no such task');
  },
};
