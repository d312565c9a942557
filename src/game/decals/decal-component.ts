/**
 * Decals: pictures that are projected onto the surfaces in a box. The component sends its settings when one of them
 * changes. The render thread draws the surfaces in the box again, with the picture as their colour
 * (`src/render/decals/`).
 */
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import { anything, countFrom, having, numberFrom, optional, property } from '../../core/options/members.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { SceneComponent } from '../components/scene-component.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import { type Material, standardMaterial } from '../materials/material.js';
import type { Texture } from '../textures/texture.js';
import { TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import type { World } from '../world/world.js';

const CALL = 'addDecal';
const OWNER = 'the decal';
const LEAST = 1e-4;
const MOST = 1e5;

type TextureMember = ReturnType<typeof anything<Texture>>;
const texture = having('transformOf', "a texture, such as texture('mark.png')") as never as TextureMember;

const DECAL_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** The picture. Its alpha decides where it covers a surface. The picture faces along the decal's +Z axis. */
  texture,
  /** Normal map that replaces the normals of the surfaces. Default: none. */
  normalMap: optional(texture),
  /** Metres along X, Y and Z, or one number for all, 0.0001 to 100,000. Z is the depth of the box. Default 1. */
  size: optional(anything<number | VectorLike>()),
  /** Colour that multiplies the picture. Its alpha multiplies the opacity. Default white. */
  color: optional(anything<ColorLike>()),
  /** Factor on the picture's alpha, 0 to 1. Default 1. */
  opacity: property(numberFrom(0, 1)),
  /** Order of overlapping decals, −32768 to 32767: larger numbers cover smaller ones. Default 0. */
  renderOrder: property(countFrom(-32768, 32767)),
  /** Layers of the decal, one bit each; a view can show only some of them. Default 1: the first layer. */
  layers: property(countFrom(0, 0xffffffff)),
};

export type DecalOptions = Shaped<typeof DECAL_OPTIONS>;

/** A picture that is projected along the −Z axis of its transform onto the surfaces in its box. */
export class DecalComponent extends SceneComponent {
  readonly texture: Texture;
  readonly normalMap: Texture | undefined;
  /** @internal Holds the textures, so that they are loaded and sent like those of a mesh. */
  readonly material: Material;
  #decal = NO_ID;
  #size: readonly [number, number, number];
  #color: readonly number[];
  #opacity: number;
  #renderOrder: number;
  #layers: number;

  constructor(options: DecalOptions) {
    checkOptions(CALL, options, DECAL_OPTIONS);
    super(options);
    const { size = 1, color = [1, 1, 1], opacity = 1, renderOrder = 0, layers = 1 } = options;
    this.texture = options.texture;
    this.normalMap = options.normalMap;
    this.#size = checkSize(CALL, size);
    this.#color = parseColor(CALL, 'color', color);
    this.#opacity = checkMember(CALL, 'opacity', opacity, DECAL_OPTIONS.opacity);
    this.#renderOrder = checkMember(CALL, 'renderOrder', renderOrder, DECAL_OPTIONS.renderOrder);
    this.#layers = checkMember(CALL, 'layers', layers, DECAL_OPTIONS.layers);
    this.material = standardMaterial({
      name: CALL,
      baseColorTexture: this.texture,
      ...(this.normalMap && { normalTexture: this.normalMap }),
    });
  }

  override get kind(): string {
    return 'decal';
  }
  override get clonedOptions(): string {
    return 'texture normalMap size color opacity renderOrder layers';
  }

  /** Metres along X, Y and Z, before the transform's scale. One number sets all three. */
  get size(): readonly [width: number, height: number, depth: number] {
    return this.#size;
  }
  set size(value: number | VectorLike) {
    this.#size = checkSize(OWNER, value);
    this.#changed();
  }

  /** Reads as linear red, green, blue and alpha. */
  get color(): ColorLike {
    return this.#color;
  }
  set color(value: ColorLike) {
    this.#color = parseColor(OWNER, 'color', value);
    this.#changed();
  }

  /** Factor on the picture's alpha. */
  get opacity(): number {
    return this.#opacity;
  }
  set opacity(value: number) {
    this.#opacity = checkMember(OWNER, 'opacity', value, DECAL_OPTIONS.opacity);
    this.#changed();
  }

  /**
   * Order of overlapping decals: a decal with a larger number covers a decal with a smaller one. Among decals with
   * equal numbers, the decal that was added to the world later covers the other.
   */
  get renderOrder(): number {
    return this.#renderOrder;
  }
  set renderOrder(value: number) {
    this.#renderOrder = checkMember(OWNER, 'renderOrder', value, DECAL_OPTIONS.renderOrder);
    this.#changed();
  }

  /** Layers of the decal, one bit each; a view can show only some of them. */
  get layers(): number {
    return this.#layers;
  }
  set layers(value: number) {
    this.#layers = checkMember(OWNER, 'layers', value, DECAL_OPTIONS.layers);
    this.#changed();
  }

  override register(world: World): void {
    super.register(world);
    world.updates.resources.requestImages(this.material);
  }

  override sendProxy(updates: SceneUpdates): void {
    const { resources } = updates;
    const isKnown = this.#decal !== NO_ID;
    if (!isKnown) this.#decal = updates.decals.allocate();
    const material = resources.useMaterial(this.material);
    if (isKnown) resources.release(this.material);
    this.#send(updates, material);
  }

  override sendDynamicData(updates: SceneUpdates): void {
    if (this.#decal === NO_ID) return;
    const { resources } = updates;
    const material = resources.useMaterial(this.material);
    resources.release(this.material);
    this.#send(updates, material);
  }

  override removeProxy(updates: SceneUpdates): void {
    if (this.#decal === NO_ID) return;
    updates.destroyedDecals.push(this.#decal);
    updates.resources.release(this.material);
    this.#decal = NO_ID;
  }

  #send({ writer }: SceneUpdates, material: number): void {
    const at = writer.reserve(RenderOpcode.setDecal, 13);
    const { words, floats } = writer;
    words[at] = this.#decal;
    words[at + 1] = this.node;
    words[at + 2] = material;
    words[at + 3] = this.normalMap ? 1 : 0;
    words[at + 4] = this.isShown ? this.#layers : 0;
    words[at + 5] = this.#renderOrder;
    floats.set(this.#size, at + 6);
    for (let channel = 0; channel < 3; channel++) floats[at + 9 + channel] = this.#color[channel] as number;
    floats[at + 12] = this.#opacity * (this.#color[3] as number);
  }

  #changed(): void {
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }
}

/** @throws OptionError */
function checkSize(what: string, size: number | VectorLike): readonly [number, number, number] {
  const sides =
    typeof size === 'number'
      ? ([size, size, size] as const)
      : checkVector(what, 'size', size, 3, 'a number or ');
  for (const side of sides) checkNumber(what, 'size', side, LEAST, MOST);
  return Object.freeze([sides[0], sides[1], sides[2]] as const);
}
