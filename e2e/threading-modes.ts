/** All threading modes. A behaviour that a test shows in one mode must hold in all modes. */
export const MODES = ['single', 'render', 'render+rhi'] as const;

/** Whether tests run in every mode both on isolated pages and on others (`FENCEPOST_ALL_MODES=1 npm test`). */
export const RUNS_ALL_MODES = process.env.FENCEPOST_ALL_MODES === '1';

/** The kind of a page: whether it has the headers that let threads share memory. */
type Isolation = 'isolated' | 'not isolated';

/**
 * Returns the modes in which a test runs on pages of one kind. By default, the two kinds share the modes. So each test
 * runs once in each mode, once with threads that share memory, and once with threads that send messages.
 */
export function modesOf(isolation: Isolation | boolean): readonly (typeof MODES)[number][] {
  if (RUNS_ALL_MODES) return MODES;
  return isolation === 'isolated' || isolation === true ? ['single', 'render+rhi'] : ['render'];
}

/** Returns the kinds of pages on which a test runs in a mode (see `modesOf`). */
export function isolationsOf(threading: (typeof MODES)[number]): readonly Isolation[] {
  return (['isolated', 'not isolated'] as const).filter((isolation) =>
    modesOf(isolation).includes(threading),
  );
}

const NEXT = { single: 'render', render: 'render+rhi', 'render+rhi': 'single' } as const;

/** Returns the modes in which a test runs (see `modesOf`), each with a mode to which it changes. */
export function changesOf(isolation: Isolation | boolean) {
  return modesOf(isolation).map((mode) => [mode, NEXT[mode]] as const);
}
