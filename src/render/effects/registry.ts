import type { EffectName } from '../../proxy/effects.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import { AmbientOcclusion } from './ambient-occlusion.js';
import { AutoExposure } from './auto-exposure.js';
import { Bloom } from './bloom.js';
import { ChromaticAberration } from './chromatic-aberration.js';
import { ColorGrading } from './color-grading.js';
import { DepthOfField } from './depth-of-field.js';
import type { Effect } from './effect.js';
import { Fog } from './fog.js';
import { Grain } from './grain.js';
import { Outline } from './outline.js';
import { ScreenSpaceReflections } from './screen-space-reflections.js';
import { Vignette } from './vignette.js';

/** Class of each effect. In each stage of the last pass, effects run in the order of `EFFECTS`. */
export const EFFECT_CLASSES: { readonly [Name in EffectName]: EffectClass<Name> } = {
  ambientOcclusion: AmbientOcclusion,
  ssr: ScreenSpaceReflections,
  fog: Fog,
  depthOfField: DepthOfField,
  bloom: Bloom,
  autoExposure: AutoExposure,
  outline: Outline,
  vignette: Vignette,
  colorGrading: ColorGrading,
  chromaticAberration: ChromaticAberration,
  grain: Grain,
};

/**
 * Class of an effect. `pipelines` are shared by the effects of all views. `captured` is set in views of a capture: the
 * same effect of the view that is captured.
 */
export type EffectClass<Name extends EffectName> = new (
  rhi: ImmediateContext,
  pipelines: ScreenPipelines,
  captured?: Effect<Name>,
) => Effect<Name>;
