/**
 * A soak of the task system. One pool runs random graphs of tasks, round after round. A plain loop runs the same graph
 * in order, and the results must be equal. Each round returns a report.
 */
import type * as Tasks from '../../src/tasks.js';
import { Random } from './soak-random.js';

export interface TaskSoakOptions {
  readonly seed: number;
  /** Rounds continue until this many tasks have run. */
  readonly tasks: number;
  readonly workers: number;
  /** Number of nodes of each graph. Default: a random number from 200 to 1,400. */
  readonly nodes?: number;
  /** Time after which no further round begins, in milliseconds. */
  readonly limit: number;
}

export interface TaskSoakReport {
  readonly tasks: number;
  readonly rounds: number;
  readonly milliseconds: number;
  readonly isShared: boolean;
  /** Number of tasks by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The first difference from the sequential run, or `null`. */
  readonly difference: string | null;
}

interface Node {
  readonly kind: 'plain' | 'throws' | 'awaits' | 'waits' | 'range' | 'cancelled';
  readonly needs: readonly number[];
  readonly first: number;
  readonly count: number;
}

const MODULE = '/e2e/pages/soak-task-graph.js';

function graphOf(random: (below: number) => number, size: number): { nodes: Node[]; leaves: number } {
  let leaves = 0;
  // Wide graphs have more pending tasks than shared memory has slots.
  const isWide = random(4) === 0;
  const [mostNeeds, reach] = isWide ? [1, 400] : [3, 40];
  const nodes = Array.from({ length: size }, (_, node): Node => {
    const dice = random(200);
    const kind =
      dice === 0
        ? 'throws'
        : dice === 1
          ? 'cancelled'
          : dice < 50
            ? 'awaits'
            : dice < 80
              ? 'waits'
              : dice < 100
                ? 'range'
                : 'plain';
    const needs = Array.from(
      { length: Math.min(node, random(mostNeeds + 1)) },
      () => node - 1 - random(Math.min(node, reach)),
    );
    const count =
      kind === 'awaits' || kind === 'waits' ? 1 + random(120) : kind === 'range' ? random(500) : 0;
    const first = leaves;
    leaves += count;
    return { kind, needs: [...new Set(needs)], first, count };
  });
  return { nodes, leaves };
}

export async function soakTasks(tasking: typeof Tasks, options: TaskSoakOptions): Promise<TaskSoakReport> {
  const { seed, workers, limit } = options;
  const { nodeValue, leafValue } = (await import(/* @vite-ignore */ MODULE)) as {
    nodeValue(node: { node: number; needs: readonly number[]; seed: number }, cells: Int32Array): number;
    leafValue(seed: number, leaf: number): number;
  };
  const reports: string[] = [];
  const system = tasking.createTaskSystem({
    workers,
    highWorkers: workers > 2 ? 1 : 0,
    reportSeconds: 60,
    onError: (error) => reports.push(String(error)),
  });
  const module = await system.load(MODULE);
  const numbers = new Random(seed);
  const random = (below: number): number => numbers.below(below);
  const kinds: Record<string, number> = {};
  const begun = performance.now();
  let tasks = 0;
  let rounds = 0;
  let difference: string | null = null;
  while (tasks < options.tasks && difference === null && performance.now() - begun < limit) {
    const roundSeed = random(2 ** 31);
    const size = options.nodes ?? 200 + random(1200);
    const { nodes, leaves: leafCount } = graphOf(random, size);
    const cells = tasking.sharedArray(Int32Array, size);
    const runs = tasking.sharedArray(Int32Array, size);
    const leaves = tasking.sharedArray(Int32Array, leafCount);
    const leafRuns = tasking.sharedArray(Int32Array, leafCount);
    const mayWait = system.stats().isShared && workers > 0;
    const shared = { cells, runs, leaves, leafRuns, seed: roundSeed, mayWait };
    const futures: Tasks.TaskFuture<unknown>[] = [];
    for (const [node, { kind, needs, first, count }] of nodes.entries()) {
      const prerequisites = needs.map((each) => futures[each] as Tasks.TaskFuture<unknown>);
      const set = random(8) === 0 ? 'high' : random(8) === 0 ? 'background' : 'normal';
      const given = { prerequisites, priority: random(4) === 0 ? 'high' : 'normal', set } as const;
      const args = { ...shared, node, needs, first, count };
      if (kind === 'cancelled') {
        const future = module.run('plain', args, { ...given, hold: true });
        future.cancel();
        futures.push(future);
      } else if (kind === 'range') {
        const filled = module.parallelFor('range', count, args, { ...given, batch: 1 + random(64) });
        futures.push(module.run('plain', args, { ...given, prerequisites: [...prerequisites, filled] }));
        filled.catch(() => {});
      } else futures.push(module.run(kind, args, given));
    }
    const reasons = await Promise.all(futures.map((future) => future.then(() => '', String)));
    const state = futures.map((future) => future.state);

    // A loop computes the expected results in order.
    const right = new Int32Array(size);
    const states: string[] = [];
    for (const [node, { kind, needs, first, count }] of nodes.entries()) {
      const isReached = needs.every((each) => states[each] === 'done') && kind !== 'cancelled';
      states.push(!isReached ? 'cancelled' : kind === 'throws' ? 'failed' : 'done');
      const of = `Round ${rounds}, node ${node} (${kind})`;
      const isWritten = isReached && kind !== 'throws';
      if (isWritten) right[node] = nodeValue({ node, needs, seed: roundSeed }, right);
      if (state[node] !== states[node])
        difference ??= `${of}: ${state[node]} instead of ${states[node]}. ${reasons[node]}`;
      if (cells[node] !== right[node]) difference ??= `${of}: ${cells[node]} instead of ${right[node]}.`;
      if (runs[node] !== Number(isWritten)) difference ??= `${of} ran ${runs[node]} times.`;
      for (let leaf = first; leaf < first + count; leaf++) {
        if (leafRuns[leaf] !== Number(isReached))
          difference ??= `${of}: leaf ${leaf} ran ${leafRuns[leaf]} times.`;
        if (isReached && leaves[leaf] !== leafValue(roundSeed, leaf))
          difference ??= `${of}: leaf ${leaf} is wrong.`;
      }
      if (!isReached) continue;
      const own = kind === 'awaits' || kind === 'waits' ? 1 + count : 1;
      tasks += own;
      kinds[kind] = (kinds[kind] ?? 0) + own;
    }
    rounds++;
  }
  const { isShared, pending } = system.stats();
  if (pending > 0) difference ??= `${pending} tasks have not settled.`;
  if (reports.length > 0) difference ??= `The task system reported an error: ${reports[0]}`;
  await system.dispose();
  return { tasks, rounds, milliseconds: performance.now() - begun, isShared, kinds, difference };
}
