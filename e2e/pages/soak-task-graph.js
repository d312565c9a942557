// Tasks of a soak. Each computes its own cells of shared arrays from the cells of earlier tasks, and counts its runs.
/** Mixes two 32-bit numbers into a pseudo-random one. */
export function mix(value, by) {
  let hash = Math.imul(value ^ by ^ (value >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) | 0;
}

/** Returns a node's value, computed from the cells of the nodes that it needs. */
export function nodeValue({ node, needs, seed }, cells) {
  let value = mix(seed, node);
  for (const each of needs) value = mix(value, cells[each]);
  return value;
}

export const leafValue = (seed, leaf) => mix(seed, leaf ^ 0x5bd1e995);

function write({ cells, runs, ...node }) {
  cells[node.node] = nodeValue(node, cells);
  runs[node.node]++;
}

export default {
  plain: write,
  throws({ node }) {
    throw new RangeError(`Node ${node} is one that throws.`);
  },
  /** Starts a task for each of its leaves, and awaits all of them. */
  async awaits(args, _begin, _end, task) {
    const { first, count, leaves, leafRuns, seed } = args;
    const started = [];
    for (let leaf = first; leaf < first + count; leaf++)
      started.push(
        task.run('leaf', { leaf, leaves, leafRuns, seed }, { priority: leaf % 3 === 0 ? 'high' : 'normal' }),
      );
    for (const each of started) await each;
    write(args);
  },
  /**
   * Starts a task for each of its leaves, and blocks its thread until they end, if it may block. Every third
   * node first awaits one leaf, so it continues in a later turn of the event loop.
   */
  waits(args, _begin, _end, task) {
    const { first, count, leaves, leafRuns, seed, mayWait } = args;
    const start = (leaf) => task.run('leaf', { leaf, leaves, leafRuns, seed });
    const startRest = (from) => Array.from({ length: first + count - from }, (_, at) => start(from + at));
    const finish = (from) => {
      task.wait(...startRest(from));
      write(args);
    };
    if (!mayWait) return Promise.all(startRest(first)).then(() => write(args));
    if (args.node % 3 === 0 && count > 0) return start(first).then(() => finish(first + 1));
    finish(first);
    return undefined;
  },
  leaf({ leaf, leaves, leafRuns, seed }) {
    leaves[leaf] = leafValue(seed, leaf);
    leafRuns[leaf]++;
  },
  range({ first, leaves, leafRuns, seed }, begin, end) {
    for (let leaf = first + begin; leaf < first + end; leaf++) {
      leaves[leaf] = leafValue(seed, leaf);
      leafRuns[leaf]++;
    }
  },
};
