import type { EffectName } from '../../proxy/effects.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { Effect } from './effect.js';
import { Vignette } from './vignette.js';

/** Class of each effect. In the last pass, effects run in the order of `EFFECTS`. */
export const EFFECT_CLASSES: { readonly [Name in EffectName]: new (rhi: ImmediateContext) => Effect<Name> } =
  {
    vignette: Vignette,
  };
