import { ThreadError } from '../../core/errors.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';

/** The roles of the page's thread, shared by all engines. In `single` mode, `render` is one of the roles. */
export const pageRoles = /* @__PURE__ */ new ThreadRoles('main');

/**
 * Checks the thread affinity of the game's API (SYSTEMS R10). Engine, world and components belong to the game, even if
 * the render thread's work runs on the same thread (`single`). The check runs in development builds, and for engines
 * with the option `validation`.
 *
 *   main    tick · world.spawn ✓ │ render: a module's command ── world.spawn ✕ wrong-thread │ tick …
 *
 * @throws ThreadError `wrong-thread` with the names of both threads, if the current role is not `main`
 */
export function checkGameThread(call: string): void {
  const { current } = pageRoles;
  if (current === 'main') return;
  throw new ThreadError(
    'wrong-thread',
    `${call} belongs to the thread "main", but was made on the thread "${current}", inside a command or a frame callback of a render module. Use the module's own API there, or send the game a message with post().`,
  );
}
