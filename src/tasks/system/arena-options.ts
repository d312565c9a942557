import { ARENA_ALIGNMENT } from '../../core/memory/tagged-arenas.js';
import type { Shaped } from '../../core/options/member.js';
import { boolean, countFrom, member, optional } from '../../core/options/members.js';

/** Options of `tasks.arenas`. */
export const ARENA_OPTIONS = {
  /** Bytes per block, a multiple of 16. Default 2 MiB. */
  blockBytes: optional(
    member<number>(
      (value) =>
        Number.isInteger(value) && (value as number) > 0 && (value as number) % ARENA_ALIGNMENT === 0,
      `a multiple of ${ARENA_ALIGNMENT} above 0`,
      { code: 'option-out-of-range' },
    ),
  ),
  /** Number of blocks, 1 to 4096. Default 16. */
  blocks: optional(countFrom(1, 4096)),
  /** Whether freed blocks are filled, and checked for late writes. Default: true in development builds. */
  isDevelopment: optional(boolean()),
};

export type ArenaOptions = Shaped<typeof ARENA_OPTIONS>;
