import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { byDefault, countFrom, numberFrom, optional } from '../../core/options/members.js';

const SHADOW_OPTIONS = {
  /**
   * Texels along each side of a shadow map, 16 to 8192. Each cascade is a map, and so is each of the six sides of a
   * point light's cube. Default 1024.
   */
  mapSize: byDefault(countFrom(16, 8192), 1024),
  /** Number of maps of a directional light, with finer ones closer to the camera. 1 to 4, default 3. */
  cascades: optional(countFrom(1, 4)),
  /**
   * Maximum distance of shadows in metres: from the camera for a directional light, from the light for
   * others. Default Infinity: as far as the view and the light reach.
   */
  distance: byDefault(numberFrom(1e-3), Infinity),
  /**
   * Size of the light, which makes shadows softer with distance: radius in metres, or radians for a
   * directional light (the sun: 0.0047), up to 0.5. Default 0: edges as narrow as the map allows.
   */
  softness: byDefault(numberFrom(0, 0.5), 0),
};

/** Options of a light's shadows. */
export type ShadowOptions = Shaped<typeof SHADOW_OPTIONS>;

/** Options of point and spot lights: their shadows have no cascades, and their size is in metres. */
const { cascades: _, ...PLACED } = { ...SHADOW_OPTIONS, softness: byDefault(numberFrom(0, 1e6), 0) };

/**
 * Returns the options of a light's shadows with defaults filled in; null: no shadows.
 * @param what the function that the caller used, for messages
 * @throws OptionError
 */
export function checkShadow(
  what: string,
  value: boolean | ShadowOptions,
  isDirectional: boolean,
): Required<ShadowOptions> | null {
  if (value === false) return null;
  const call = `castShadow of ${what}`;
  const { cascades = isDirectional ? 3 : 1, ...options } = fillOptions(
    call,
    value === true ? {} : value,
    (isDirectional ? SHADOW_OPTIONS : PLACED) as typeof SHADOW_OPTIONS,
  );
  return Object.freeze({ cascades, ...options });
}
