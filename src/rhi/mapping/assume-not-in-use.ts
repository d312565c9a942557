/**
 * Destroying with a promise (SYSTEMS M3): nothing that is recorded or with the GPU uses the resource any more, so it
 * need not wait in the release queue. The validation layer catches a false promise; without it the GPU refuses the
 * list that names the resource.
 *
 *   destroy ─────────────────► paired with list k ── k < completed ──► freed
 *   destroyNow ─► freed
 */

import { checkAnyContext } from '../commands/class-arguments.js';
import { RhiOpcode } from '../commands/commands.js';
import type { ResourceHandle } from '../commands/descriptors.js';
import { checkHandle } from '../record/call-checks.js';
import type { CommandContext } from '../record/command-context.js';
import type { ImmediateContext } from '../record/immediate-context.js';

/** Records the promise alone; a destroy has to follow. @throws RhiError `bad-argument`; OptionError `option-invalid` */
export function assumeNotInUse(context: CommandContext, resource: ResourceHandle): void {
  checkAnyContext('assumeNotInUse', context);
  checkHandle('assumeNotInUse', 'the resource', resource);
  const index = context.writer.reserve(RhiOpcode.assumeNotInUse, 1);
  context.writer.words[index] = resource;
}

/**
 * Frees the resource when this is executed. For large buffers and textures whose last list is known to be complete.
 * @param resource used by nothing that is recorded, submitted or in a deferred list and not known to be complete
 * @throws RhiError `stale-handle`, with the debug label, when it was destroyed before
 */
export function destroyNow(context: ImmediateContext, resource: ResourceHandle): void {
  checkAnyContext('destroyNow', context);
  checkHandle('destroyNow', 'the resource', resource);
  context.handles.check(resource, 'be destroyed');
  assumeNotInUse(context, resource);
  context.destroy(resource);
}
