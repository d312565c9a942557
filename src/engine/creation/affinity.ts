import { ThreadError } from '../../core/errors.js';
import { pageRoles } from '../../threads/connections/page-roles.js';

/**
 * Thread affinity of the game's API (SYSTEMS R10), for development: engine, world and components belong to the game, also
 * where the render thread's work is done on the same thread (`single`). Loaded where the page is built for development or
 * the option `validation` is set; otherwise there is no check to call.
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
