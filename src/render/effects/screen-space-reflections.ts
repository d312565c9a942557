import type { EffectValues } from '../../proxy/effects.js';
import type { Effect } from './effect.js';

/** Share of the picture's larger side that tiles of a capture are drawn beyond their edges. */
const REACH = 0.125;

/**
 * Mirrors the picture's own surfaces in smooth surfaces. The deferred renderer has their depth and material, and draws
 * the reflections (`deferred/reflections/`). The forward renderer draws none.
 */
export class ScreenSpaceReflections implements Effect<'ssr'> {
  reflections!: EffectValues<'ssr'>;

  setOptions(options: EffectValues<'ssr'>): void {
    this.reflections = options;
  }

  reach(size: number): number {
    return REACH * size;
  }
}
