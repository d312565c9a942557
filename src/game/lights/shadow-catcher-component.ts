/**
 * Grounds that show only shadow. The component sends its settings when one of them changes. The render thread draws the
 * things above the ground from below, and blurs the result (`src/render/shadow-catchers/`).
 */
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import { anything, countFrom, numberFrom, optional, property } from '../../core/options/members.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { SceneComponent } from '../components/scene-component.js';
import { TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';

const CALL = 'addShadowCatcher';
const OWNER = 'the shadow catcher';
const LEAST = 1e-4;
const MOST = 1e5;

const SHADOW_CATCHER_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** Metres along X and Z, or one number for both, 0.0001 to 100,000. Shadow fades out at the edges. Default 4. */
  size: optional(anything<number | readonly [width: number, depth: number]>()),
  /** Metres of the band around the outline of a thing in which its shadow fades out, 0 to 100,000. Default 0.1. */
  softness: property(numberFrom(0, MOST)),
  /** Share of the light that full shadow takes away, 0 to 1. Default 0.6. */
  opacity: property(numberFrom(0, 1)),
  /**
   * Metres above the ground up to which things cast shadow, 0.0001 to 100,000. Shadow grows weaker with the height of
   * the thing above the ground. Default: half of the longer side.
   */
  height: property(numberFrom(LEAST, MOST)),
  /** Layers of the ground, one bit each; a view can show only some of them. Default 1: the first layer. */
  layers: property(countFrom(0, 0xffffffff)),
};

export type ShadowCatcherOptions = Shaped<typeof SHADOW_CATCHER_OPTIONS>;

/** A flat ground that shows only the shadow of the things above it. It faces along its local +Y axis. */
export class ShadowCatcherComponent extends SceneComponent {
  #catcher = NO_ID;
  #size: readonly [width: number, depth: number];
  #softness: number;
  #opacity: number;
  #height: number | undefined;
  #layers: number;

  constructor(options: ShadowCatcherOptions = {}) {
    checkOptions(CALL, options, SHADOW_CATCHER_OPTIONS);
    super(options);
    const { size = 4, softness = 0.1, opacity = 0.6, height, layers = 1 } = options;
    this.#size = checkSize(CALL, size);
    this.#softness = checkMember(CALL, 'softness', softness, SHADOW_CATCHER_OPTIONS.softness);
    this.#opacity = checkMember(CALL, 'opacity', opacity, SHADOW_CATCHER_OPTIONS.opacity);
    this.#height = checkHeight(CALL, height);
    this.#layers = checkMember(CALL, 'layers', layers, SHADOW_CATCHER_OPTIONS.layers);
  }

  override get kind(): string {
    return 'shadow catcher';
  }
  override get clonedOptions(): string {
    return 'size softness opacity layers';
  }
  override clone(): this {
    const copy = super.clone();
    copy.#height = this.#height;
    return copy;
  }

  /** Metres along X and Z, before the transform's scale. One number sets both. */
  get size(): readonly [width: number, depth: number] {
    return this.#size;
  }
  set size(value: number | readonly [width: number, depth: number]) {
    this.#size = checkSize(OWNER, value);
    this.#changed();
  }

  /** Metres of the band around the outline of a thing in which its shadow fades out. */
  get softness(): number {
    return this.#softness;
  }
  set softness(value: number) {
    this.#softness = checkMember(OWNER, 'softness', value, SHADOW_CATCHER_OPTIONS.softness);
    this.#changed();
  }

  /** Share of the light that full shadow takes away. */
  get opacity(): number {
    return this.#opacity;
  }
  set opacity(value: number) {
    this.#opacity = checkMember(OWNER, 'opacity', value, SHADOW_CATCHER_OPTIONS.opacity);
    this.#changed();
  }

  /**
   * Metres above the ground up to which things cast shadow. Setting `undefined` means half of the longer side, also
   * after `size` has changed.
   */
  get height(): number {
    return this.#height ?? Math.max(...this.#size) / 2;
  }
  set height(value: number | undefined) {
    this.#height = checkHeight(OWNER, value);
    this.#changed();
  }

  /** Layers of the ground, one bit each; a view can show only some of them. */
  get layers(): number {
    return this.#layers;
  }
  set layers(value: number) {
    this.#layers = checkMember(OWNER, 'layers', value, SHADOW_CATCHER_OPTIONS.layers);
    this.#changed();
  }

  override sendProxy(updates: SceneUpdates): void {
    if (this.#catcher === NO_ID) this.#catcher = updates.shadowCatchers.allocate();
    const { writer } = updates;
    const at = writer.reserve(RenderOpcode.setShadowCatcher, 8);
    const { words, floats } = writer;
    words[at] = this.#catcher;
    words[at + 1] = this.node;
    floats[at + 2] = this.#size[0];
    floats[at + 3] = this.#size[1];
    floats[at + 4] = this.height;
    floats[at + 5] = this.#softness;
    floats[at + 6] = this.#opacity;
    words[at + 7] = this.isShown ? this.#layers : 0;
  }

  override sendDynamicData(updates: SceneUpdates): void {
    if (this.#catcher !== NO_ID) this.sendProxy(updates);
  }

  override removeProxy(updates: SceneUpdates): void {
    if (this.#catcher !== NO_ID) updates.destroyedShadowCatchers.push(this.#catcher);
    this.#catcher = NO_ID;
  }

  #changed(): void {
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }
}

/** @throws OptionError */
function checkSize(
  what: string,
  size: number | readonly [width: number, depth: number],
): readonly [number, number] {
  if (typeof size === 'number') {
    const side = checkNumber(what, 'size', size, LEAST, MOST);
    return Object.freeze([side, side] as const);
  }
  const [width, depth] = checkVector(what, 'size', size as never, 2, 'a number or ');
  return Object.freeze([
    checkNumber(what, 'the first number of size', width, LEAST, MOST),
    checkNumber(what, 'the second number of size', depth, LEAST, MOST),
  ] as const);
}

/** @throws OptionError */
function checkHeight(what: string, height: number | undefined): number | undefined {
  if (height === undefined) return undefined;
  return checkMember(what, 'height', height, SHADOW_CATCHER_OPTIONS.height);
}
