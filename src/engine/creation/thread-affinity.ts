import { ThreadError } from '../../core/errors.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';

/** The roles of the page's thread: in `single` mode the render thread's work is one of them, whichever engine it belongs to. */
export const pageRoles = /* @__PURE__ */ new ThreadRoles('main');

/**
 * Thread affinity of the game's API (SYSTEMS R10), for development: engine, world and components belong to the game, also
 * where the render thread's work is done on the same thread (`single`). Only pages that are built for development, and
 * engines with the option `validation`, are checked.
 *
 *   main    tick · world.spawn ✓ │ render: a module's command ── world.spawn ✕ wrong-thread │ tick …
 *
 * @throws ThreadError `wrong-thread`, naming both threads, where the game's thread is not the one at work
 */
export function checkGameThread(call: string): void {
  const { current } = pageRoles;
  if (current === 'main') return;
  throw new ThreadError(
    'wrong-thread',
    `${call} belongs to the thread "main"; it came on the thread "${current}", inside a command or a frame callback of a render module, while the game waits for it. Use what the module was given there, or post() to the game.`,
  );
}
