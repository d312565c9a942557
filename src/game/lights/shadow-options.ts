import { checkNumber, checkOptions, checkWhole } from '../checks/options.js';

/** How a light casts shadows. */
export interface ShadowOptions {
  /** Texels each way of a shadow map: of each cascade, and of each of a cube's six sides. 16 to 8192, default 1024. */
  readonly mapSize?: number;
  /** Of a directional light: maps behind one another, finer ones nearer to the camera. 1 to 4, default 3. */
  readonly cascades?: number;
  /**
   * Metres up to which shadows are cast: from the camera for a directional light, from the light for others. Default Infinity:
   * as far as something is seen, and as the light reaches.
   */
  readonly distance?: number;
  /**
   * The light's size, which makes shadows softer the farther they fall: radius in metres, for a directional light in radians
   * (the sun: 0.0047), up to 0.5. Default 0: edges as narrow as the map allows.
   */
  readonly softness?: number;
}

const LEAST_SIZE = 16;
const LARGEST_SIZE = 8192;

/**
 * @param what the function, as its caller wrote it
 * @returns null: no shadows
 * @throws OptionError
 */
export function checkShadow(
  what: string,
  value: boolean | ShadowOptions,
  isDirectional: boolean,
): Required<ShadowOptions> | null {
  if (value === false) return null;
  const options = value === true ? {} : value;
  const call = `castShadow of ${what}`;
  checkOptions(
    call,
    options,
    isDirectional ? 'mapSize cascades distance softness' : 'mapSize distance softness',
  );
  const { mapSize = 1024, cascades = isDirectional ? 3 : 1, distance = Infinity, softness = 0 } = options;
  return Object.freeze({
    mapSize: checkWhole(call, 'mapSize', mapSize, LEAST_SIZE, LARGEST_SIZE),
    cascades: checkWhole(call, 'cascades', cascades, 1, 4),
    distance: checkNumber(call, 'distance', distance, 1e-3),
    softness: checkNumber(call, 'softness', softness, 0, isDirectional ? 0.5 : 1e6),
  });
}
