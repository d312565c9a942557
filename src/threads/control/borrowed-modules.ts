/** How a part finds what worker.js lends (`lent-modules.ts`). A part evaluates this first, so it imports no lent module. */
import { BUILD } from '../../core/build-id.js';
import type { LentModules } from './lent-modules.js';

/** Where it lies on a thread's global scope. */
export const LENT = /* @__PURE__ */ Symbol.for('fencepost.lent');

export interface Lent {
  readonly build: string;
  readonly modules: LentModules;
}

/** What it throws tells `load-part.ts` the part's build: where worker.js is of another one, its modules are others. */
export function borrowed(): LentModules {
  const lent = (globalThis as unknown as Record<symbol, Lent | undefined>)[LENT];
  if (lent?.build !== BUILD) throw Object.assign(new Error('It is of another build.'), { build: BUILD });
  return lent.modules;
}
