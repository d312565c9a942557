import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { byDefault, countFrom, numberFrom, optional } from '../../core/options/members.js';

const SHADOW_OPTIONS = {
  /**
   * Texels along each side of a shadow map, 16 to 8192. Default 1024. A directional light has one map per cascade. A
   * point light has six maps, one per side of a cube.
   */
  mapSize: byDefault(countFrom(16, 8192), 1024),
  /** Number of maps of a directional light, 1 to 4. Default 3. Maps closer to the camera are finer. */
  cascades: optional(countFrom(1, 4)),
  /**
   * Maximum distance of shadows in metres: from the camera for a directional light, from the light for a point or spot
   * light. Default Infinity: as far as the view and the light reach.
   */
  distance: byDefault(numberFrom(1e-3), Infinity),
  /**
   * Size of the light: its radius in metres, or for a directional light its angular radius in radians, up to 0.5 (the
   * sun: 0.0047). The larger the light, the softer a shadow becomes with distance from the object that casts it.
   * Default 0: edges as narrow as the map allows.
   */
  softness: byDefault(numberFrom(0, 0.5), 0),
};

/** Options of a light's shadows. */
export type ShadowOptions = Shaped<typeof SHADOW_OPTIONS>;

/** All options of a light's shadows. Only directional lights have `cascades`. */
export type LightShadow = Required<Omit<ShadowOptions, 'cascades'>> & Pick<ShadowOptions, 'cascades'>;

/** Options of point and spot lights: their shadows have no cascades, and their size is in metres. */
const { cascades: _, ...PLACED } = { ...SHADOW_OPTIONS, softness: byDefault(numberFrom(0, 1e6), 0) };

/**
 * Returns the options of a light's shadows with defaults filled in; `null` if the light casts no shadows.
 * @param what the function that the caller used, for messages
 * @throws OptionError
 */
export function checkShadow(
  what: string,
  value: boolean | ShadowOptions,
  isDirectional: boolean,
): LightShadow | null {
  if (value === false) return null;
  const call = `castShadow of ${what}`;
  const { cascades = 3, ...options } = fillOptions(
    call,
    value === true ? {} : value,
    (isDirectional ? SHADOW_OPTIONS : PLACED) as typeof SHADOW_OPTIONS,
  );
  return Object.freeze(isDirectional ? { cascades, ...options } : options);
}
