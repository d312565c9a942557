/**
 * Lights in the units of KHR_lights_punctual: directional in lux, point and spot in candela. Directional and
 * spot lights shine along −Z of their transform. A light's proxy is a copy of its numbers, which is sent
 * again when one of the numbers changes.
 */

import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkRadians, checkVector } from '../../core/options/check-value.js';
import { checkMember, type Shape, type Shaped } from '../../core/options/member.js';
import { anything, numberFrom, optional, property } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { LightFlag, LightKind, NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { SceneComponent } from '../components/scene-component.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import { checkNoRotation, TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import { checkShadow, type LightShadow, type ShadowOptions } from './shadow-options.js';

const LIGHT_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** CSS colour (sRGB) or linear numbers from 0 to 1; `intensity` sets the brightness. Default white. */
  color: optional(anything<ColorLike>()),
  /** Lux for a directional light, candela for a point or spot light. Default 1. */
  intensity: property(numberFrom(0, 1e30)),
  /** Whether meshes in this light cast shadows, or the options of these shadows. Default false. */
  castShadow: optional(anything<boolean | ShadowOptions>()),
};

const DIRECTION = {
  /** Direction in which the light shines, in the world. It can't be combined with `rotation`. */
  direction: optional(anything<VectorLike>()),
};

const RANGE = {
  /** Metres at which the light has faded to 0. With 0 (default) or Infinity, the light never fades out. */
  range: property(anything<number>()),
};

const DIRECTIONAL_LIGHT_OPTIONS = { ...LIGHT_OPTIONS, ...DIRECTION };

export type DirectionalLightOptions = Shaped<typeof DIRECTIONAL_LIGHT_OPTIONS>;

const POINT_LIGHT_OPTIONS = { ...LIGHT_OPTIONS, ...RANGE };

export type PointLightOptions = Shaped<typeof POINT_LIGHT_OPTIONS>;

const SPOT_LIGHT_OPTIONS = {
  ...DIRECTIONAL_LIGHT_OPTIONS,
  ...RANGE,
  /** Radians from the axis to where the light starts to fade. Default 0. */
  innerConeAngle: property(anything<number>()),
  /** Radians from the axis to where the light ends, at most π/2. Default π/4. */
  outerConeAngle: property(anything<number>()),
};

export type SpotLightOptions = Shaped<typeof SPOT_LIGHT_OPTIONS>;

/**
 * Largest number of lights that shaders loop over at each pixel. If there are more lights, the render thread clusters
 * them.
 */
const MAXIMUM_UNCLUSTERED = 16;

/** Names of the properties that a clone gets as options, if the kind of light has them. */
const CLONED = ['color', 'intensity', 'range', 'innerConeAngle', 'outerConeAngle'];

/** Base of the three kinds of lights. */
export abstract class LightComponent extends SceneComponent {
  protected abstract readonly lightKind: number;
  #light = NO_ID;
  #color: readonly number[] = [];
  #intensity = 1;
  #range = 0;
  #innerConeAngle = 0;
  #outerConeAngle = 0;
  #shadow: LightShadow | null = null;
  readonly #clonedOptions: string;

  constructor(what: string, table: Shape, options: SpotLightOptions) {
    checkOptions(what, options, table);
    super(options);
    this.#clonedOptions = CLONED.filter((name) => name in table).join(' ');
    const { color = [1, 1, 1], intensity = 1, range = 0, direction } = options;
    const { innerConeAngle = 0, outerConeAngle = Math.PI / 4, castShadow = false } = options;
    this.color = color;
    this.intensity = intensity;
    this.range = range;
    this.outerConeAngle = outerConeAngle;
    this.innerConeAngle = innerConeAngle;
    this.#shadow = checkShadow(what, castShadow, what === 'addDirectionalLight');
    if (direction) {
      checkNoRotation(what, 'direction', options.rotation);
      this.#shineTowards(what, direction);
    }
  }

  override get kind(): string {
    return 'light';
  }
  override get clonedOptions(): string {
    return this.#clonedOptions;
  }
  override clone(): this {
    const copy = super.clone();
    copy.#shadow = this.#shadow;
    return copy;
  }
  override get looksAlongMinusZ(): boolean {
    return true;
  }

  /** Reads as linear red, green, blue. */
  get color(): ColorLike {
    return this.#color.slice(0, 3);
  }
  set color(color: ColorLike) {
    this.#color = parseColor('the light', 'color', color);
    this.#changed();
  }
  /**
   * Direction in which a directional light or a spot light shines, in the world; reads with length 1. Writing it turns
   * the light, and takes the actors into account that the light is attached to. Throws OptionError `option-invalid`,
   * `option-out-of-range` for a direction without length. Reading and writing it throw `option-invalid` for a point light.
   */
  get direction(): [number, number, number] {
    this.#checkDirected();
    const matrix = this.worldFromLocal<number[]>([]);
    const [x, y, z] = [matrix[8], matrix[9], matrix[10]] as [number, number, number];
    const length = Math.hypot(x, y, z) || 1;
    return [-x / length, -y / length, -z / length];
  }
  set direction(direction: VectorLike) {
    this.#checkDirected();
    this.#shineTowards('the light', direction);
  }
  get intensity(): number {
    return this.#intensity;
  }
  set intensity(value: number) {
    this.#intensity = checkMember('the light', 'intensity', value, LIGHT_OPTIONS.intensity);
    this.#changed();
  }
  get range(): number {
    return this.#range;
  }
  set range(value: number) {
    this.#range = value === Infinity ? 0 : checkNumber('the light', 'range', value, 0, 1e30);
    this.#changed();
  }
  get innerConeAngle(): number {
    return this.#innerConeAngle;
  }
  set innerConeAngle(value: number) {
    this.#innerConeAngle = checkRadians(
      'the light',
      'innerConeAngle (within outerConeAngle)',
      value,
      0,
      this.#outerConeAngle,
    );
    this.#changed();
  }
  get outerConeAngle(): number {
    return this.#outerConeAngle;
  }
  set outerConeAngle(value: number) {
    this.#outerConeAngle = checkRadians(
      'the light',
      'outerConeAngle',
      value,
      Math.max(this.#innerConeAngle, 1e-4),
      Math.PI / 2,
    );
    this.#changed();
  }

  /** Reads as false, or as all options of the shadows that this kind of light has. */
  get castShadow(): boolean | ShadowOptions {
    return this.#shadow ?? false;
  }
  set castShadow(value: boolean | ShadowOptions) {
    this.#shadow = checkShadow('the light', value, this.lightKind === LightKind.directional);
    this.#changed();
  }

  #checkDirected(): void {
    if (this.lightKind !== LightKind.point) return;
    throw new OptionError(
      'option-invalid',
      `"${this.name}" is a point light, which shines in all directions, so it has no direction. Use a spot light instead.`,
    );
  }

  #shineTowards(what: string, direction: VectorLike): void {
    const [x, y, z] = checkVector(what, 'direction', direction, 3);
    checkNumber(what, 'the length of direction', Math.hypot(x, y, z), 1e-12, 1e30);
    this.turnTowards(x, y, z);
  }

  #changed(): void {
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /** Creates or updates the proxy with a record of all values. */
  override sendProxy(updates: SceneUpdates): void {
    if (this.#light === NO_ID) this.#light = updates.lights.allocate();
    const { writer } = updates;
    if (this.#light >= MAXIMUM_UNCLUSTERED) writer.reserve(RenderOpcode.clusterLights, 0);
    const at = writer.reserve(RenderOpcode.setLight, 11);
    const { words, floats } = writer;
    const isSpot = this.lightKind === LightKind.spot;
    words[at] = this.#light;
    words[at + 1] = this.node;
    words[at + 2] = this.lightKind;
    words[at + 3] = (this.isShown ? LightFlag.visible : 0) | (this.#shadow ? LightFlag.castsShadow : 0);
    floats[at + 4] = this.#color[0] as number;
    floats[at + 5] = this.#color[1] as number;
    floats[at + 6] = this.#color[2] as number;
    floats[at + 7] = this.#intensity;
    floats[at + 8] = this.#range;
    floats[at + 9] = isSpot ? this.#innerConeAngle : 0;
    floats[at + 10] = isSpot ? this.#outerConeAngle : 0;
    if (this.#shadow) this.#sendShadow(writer, this.#shadow);
  }

  #sendShadow(writer: StreamWriter, shadow: LightShadow): void {
    const at = writer.reserve(RenderOpcode.setShadow, 5);
    const { words, floats } = writer;
    words[at] = this.#light;
    words[at + 1] = shadow.mapSize;
    words[at + 2] = shadow.cascades ?? 1;
    floats[at + 3] = shadow.distance;
    floats[at + 4] = shadow.softness;
  }

  override sendDynamicData(updates: SceneUpdates): void {
    this.sendProxy(updates);
  }

  override removeProxy(updates: SceneUpdates): void {
    if (this.#light !== NO_ID) updates.destroyedLights.push(this.#light);
    this.#light = NO_ID;
  }
}

export class DirectionalLightComponent extends LightComponent {
  protected readonly lightKind = LightKind.directional;

  constructor(options: DirectionalLightOptions = {}) {
    super('addDirectionalLight', DIRECTIONAL_LIGHT_OPTIONS, options);
  }
}

export class PointLightComponent extends LightComponent {
  protected readonly lightKind = LightKind.point;

  constructor(options: PointLightOptions = {}) {
    super('addPointLight', POINT_LIGHT_OPTIONS, options);
  }
}

export class SpotLightComponent extends LightComponent {
  protected readonly lightKind = LightKind.spot;

  constructor(options: SpotLightOptions = {}) {
    super('addSpotLight', SPOT_LIGHT_OPTIONS, options);
  }
}
