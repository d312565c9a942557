/**
 * A deterministic scheduler that tries *every* interleaving of a small concurrent program. So a test of
 * threads needs no luck, no clock and no sleep. Test-only.
 *
 * A virtual thread is a generator. Its code between two `yield`s is one step that nothing interrupts. `yield` lets any
 * thread go on; `yield waitFor('…', () => condition)` sleeps until the condition holds. The explorer runs the program
 * again and again from the start, depth first over the choices of the next thread:
 *
 *   choices   0 0 0 0        first run: always the first ready thread
 *             0 0 0 1        the last choice changed …
 *             0 0 1 · ·      … then the choice before it, and so on, until none is left
 *
 * A program may offer a `fingerprint` of its state. Then a schedule ends at a state that an earlier one has reached,
 * because everything after it has been tried. This covers *all* schedules in far fewer runs.
 *
 * A failing schedule is printed with the thread of each step; `replay` runs it again. A preemption takes the processor
 * from a thread that could go on; `maxPreemptions` limits them per schedule. Nearly every known race needs two or
 * fewer, and the number of schedules stays small. A delay passes over one ready thread. The thread that ran last comes
 * first, followed by the other threads in the order of `threads`. `maxDelays` limits delays, for programs of many
 * threads.
 *
 * `exploreAsync` explores code that awaits. After each step all settled promises run their callbacks, as at the end of
 * a task. These callbacks belong to the step; later ones run after a later step.
 */
export interface Wait {
  readonly waitsFor: string;
  readonly isOver: () => boolean;
}

/** A thread of a program. It yields a label for the printed schedule, a wait, or nothing. */
export type VirtualThread = Generator<Wait | string | undefined, void, void>;

export interface Program {
  readonly threads: Readonly<Record<string, VirtualThread>>;
  /** Checked after every step; throws when broken. */
  invariant?(): void;
  /** Checked when every thread has ended (daemons excepted); throws when broken. */
  atEnd?(): void;
  /**
   * Returns all state that the rest of the run depends on. The explorer adds the last label of each thread, so labels
   * must differ between the `yield`s of a thread. Differences that the fingerprint leaves out are not explored.
   */
  fingerprint?(): string;
  /** Threads that need not end, such as a network that waits for messages. */
  readonly daemons?: readonly string[];
}

export interface ExploreOptions {
  readonly maxPreemptions?: number;
  /** Largest number of delays per schedule. Taking the ready thread at index n costs n delays. */
  readonly maxDelays?: number;
  /**
   * Largest number of schedules. More schedules are an error, because a test that silently stops at the bound proves
   * nothing. Default 200,000.
   */
  readonly maxSchedules?: number;
  /** Largest number of steps of one schedule. More steps count as a livelock. Default 1000. */
  readonly maxSteps?: number;
}

export interface Exploration {
  readonly schedules: number;
  readonly steps: number;
  /** Number of different states, as told apart by fingerprints, labels and bounds; 0 without fingerprints. */
  readonly states: number;
}

export class ScheduleFailure extends Error {
  /** The thread that ran at each step. */
  readonly schedule: readonly string[];

  constructor(schedule: readonly string[], labels: readonly string[], reason: unknown) {
    const message = reason instanceof Error ? reason.message : String(reason);
    const lines = schedule.map(
      (thread, step) => `  ${step + 1}. ${thread}${labels[step] ? `: ${labels[step]}` : ''}`,
    );
    super(`${message}\nSchedule:\n${lines.join('\n')}`, { cause: reason });
    this.schedule = schedule;
  }
}

export function waitFor(waitsFor: string, isOver: () => boolean): Wait {
  return { waitsFor, isOver };
}

interface Choice {
  /** Index of the thread taken, among `count` that were allowed. */
  taken: number;
  count: number;
}

/**
 * Tries every schedule of the program. `create` creates the program again for each schedule.
 * @throws ScheduleFailure with the first schedule that breaks an invariant, deadlocks, exceeds `maxSteps` or throws
 * @throws Error if there are more than `maxSchedules` schedules
 */
export function explore(create: () => Program, options: ExploreOptions = {}): Exploration {
  const exploring = exploration(create, options);
  for (;;) {
    const { done, value } = exploring.next();
    if (done) return value;
  }
}

/**
 * Like `explore`, for programs whose code awaits promises.
 * @throws (rejects) as `explore`
 */
export async function exploreAsync(
  create: () => Program,
  options: ExploreOptions = {},
): Promise<Exploration> {
  const exploring = exploration(create, options);
  for (;;) {
    const { done, value } = exploring.next();
    if (done) return value;
    await settled();
  }
}

/** Lets all settled promises run their callbacks, including promises that these callbacks settle. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Explores the program as a generator that yields after each step. */
function* exploration(create: () => Program, options: ExploreOptions): Generator<void, Exploration, void> {
  const { maxSchedules = 200_000 } = options;
  const choices: Choice[] = [];
  const seen = new Set<string>();
  let schedules = 0;
  let steps = 0;
  do {
    if (++schedules > maxSchedules) {
      throw new Error(
        `The program has more than ${maxSchedules} schedules; make it smaller or bound preemptions.`,
      );
    }
    steps += yield* runSchedule(create(), choices, options, seen);
    // Go to the next schedule: change the last choice that has an untried alternative, and drop the choices after it.
    while (choices.length > 0 && choices[choices.length - 1].taken + 1 >= choices[choices.length - 1].count) {
      choices.pop();
    }
    if (choices.length > 0) choices[choices.length - 1].taken++;
  } while (choices.length > 0);
  return { schedules, steps, states: seen.size };
}

/**
 * Runs one schedule, given as names of threads in order. After the last name, each step runs the first ready thread.
 */
export function replay(create: () => Program, schedule: readonly string[]): void {
  for (const _ of runSchedule(create(), [], {}, new Set(), schedule));
}

function* runSchedule(
  program: Program,
  choices: Choice[],
  options: ExploreOptions,
  seen: Set<string>,
  fixed: readonly string[] = [],
): Generator<void, number, void> {
  const {
    maxPreemptions = Number.POSITIVE_INFINITY,
    maxDelays = Number.POSITIVE_INFINITY,
    maxSteps = 1000,
  } = options;
  const live = new Map(Object.entries(program.threads));
  const waits = new Map<string, Wait>();
  const schedule: string[] = [];
  const labels: string[] = [];
  const places = new Map<string, string>();
  const daemons = new Set(program.daemons);
  let running: string | undefined;
  let preemptions = 0;
  let delays = 0;
  let depth = 0;
  try {
    for (;;) {
      const ready: string[] = [];
      for (const name of live.keys()) if (waits.get(name)?.isOver() ?? true) ready.push(name);
      if (ready.length === 0) {
        const rest = [...live.keys()].filter((name) => !daemons.has(name));
        if (rest.length === 0) break;
        const sleepers = rest.map((name) => `${name} waits for ${waits.get(name)?.waitsFor}`);
        throw new Error(`Deadlock: ${sleepers.join(', ')}.`);
      }
      // The thread that ran last comes first: choice 0 is no preemption.
      if (running !== undefined && ready.includes(running)) {
        ready.splice(ready.indexOf(running), 1);
        ready.unshift(running);
        if (preemptions >= maxPreemptions) ready.length = 1;
      }
      if (ready.length > 1 + maxDelays - delays) ready.length = 1 + maxDelays - delays;
      let taken = 0;
      const isNew = depth >= choices.length - 1;
      if (depth < fixed.length) taken = Math.max(0, ready.indexOf(fixed[depth]));
      else if (depth < choices.length) taken = choices[depth].taken;
      else choices.push({ taken: 0, count: ready.length });
      depth++;
      const name = ready[taken];
      if (taken > 0 && ready[0] === running) preemptions++;
      delays += taken;
      running = name;
      schedule.push(name);
      labels.push('');
      if (schedule.length > maxSteps) throw new Error(`Livelock: ${maxSteps} steps and no end.`);
      waits.delete(name);
      places.delete(name);
      const { done, value } = (live.get(name) as VirtualThread).next();
      yield;
      if (done) live.delete(name);
      else if (typeof value === 'string') labels[labels.length - 1] = value;
      else if (value) {
        waits.set(name, value);
        labels[labels.length - 1] = `then waits for ${value.waitsFor}`;
      }
      places.set(name, done ? 'ended' : labels[labels.length - 1]);
      program.invariant?.();
      if (program.fingerprint && fixed.length === 0 && isNew) {
        let state = program.fingerprint();
        for (const thread in program.threads) state += `|${places.get(thread) ?? ''}`;
        if (options.maxPreemptions !== undefined || options.maxDelays !== undefined) {
          state += `|${running} ${preemptions} ${delays}`;
        }
        if (seen.has(state)) return schedule.length;
        seen.add(state);
      }
    }
    program.atEnd?.();
  } catch (error) {
    throw new ScheduleFailure(schedule, labels, error);
  }
  return schedule.length;
}
