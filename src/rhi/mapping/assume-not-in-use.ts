/**
 * Destroys resources without a wait (SYSTEMS M3). The caller promises that no recorded, submitted or executing command
 * uses the resource, so the resource does not enter the release queue. Validation reports a false promise. Without
 * validation, WebGPU rejects the list that uses the resource.
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

/**
 * Records only the promise that a resource is not in use. The caller has to destroy the resource next.
 * @throws RhiError `bad-argument`; OptionError `option-invalid`
 */
export function assumeNotInUse(context: CommandContext, resource: ResourceHandle): void {
  checkAnyContext('assumeNotInUse', context);
  checkHandle('assumeNotInUse', 'the resource', resource);
  const index = context.writer.reserve(RhiOpcode.assumeNotInUse, 1);
  context.writer.words[index] = resource;
}

/**
 * Destroys the resource and frees it when the executor reaches the command. Use it for large buffers and textures if
 * the last list that uses them is known to be complete.
 * @param resource a resource without pending uses: recorded, submitted, or in a deferred list
 * @throws RhiError `stale-handle`, with the debug label, if it has been destroyed before; `bad-argument`; OptionError
 *   `option-invalid`
 */
export function destroyNow(context: ImmediateContext, resource: ResourceHandle): void {
  checkAnyContext('destroyNow', context);
  checkHandle('destroyNow', 'the resource', resource);
  context.handles.check(resource, 'be destroyed');
  assumeNotInUse(context, resource);
  context.destroy(resource);
}
