/**
 * What worker.js lends to its parts. A part is one file without imports, so it would have a copy of each module that it
 * needs; the build has the parts take these from worker.js, which has them anyway (`scripts/lib/lent-modules.mjs`). So a
 * class of theirs is the same class in a part.
 *
 *   worker.js ── lendModules ──► globalThis[symbol] ──► worker-captures.js   borrowed().commands
 *
 * A module belongs here if several parts need it, and worker.js uses nearly all that it exports. A part that other workers
 * load as well (`scripts/build.mjs`) borrows nothing.
 */
import { BUILD } from '../../core/build-id.js';
import * as errors from '../../core/errors.js';
import * as pageWriter from '../../core/page-writer.js';
import * as meshShader from '../../render/mesh-shader.js';
import * as commands from '../../rhi/commands/commands.js';
import * as resourceTable from '../../rhi/memory/resource-table.js';
import * as commandContext from '../../rhi/record/command-context.js';
import * as viewport from '../../rhi/webgpu/viewport.js';
import * as fenceWaiters from '../../sync/monitored/fence-waiters.js';
import { LENT, type Lent } from './borrowed-modules.js';

const modules = {
  errors,
  pageWriter,
  fenceWaiters,
  commands,
  commandContext,
  resourceTable,
  viewport,
  meshShader,
};

export type LentModules = typeof modules;

/** For worker.js, before it loads any part. */
export function lendModules(): void {
  Object.assign(globalThis, { [LENT]: { build: BUILD, modules } satisfies Lent });
}
