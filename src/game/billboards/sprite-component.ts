import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import type { Texture } from '../textures/texture.js';
import {
  BILLBOARD_OPTIONS,
  BillboardComponent,
  type BillboardShape,
  checkUnits,
  type SizeUnits,
} from './billboard-component.js';
import { writeQuad } from './quad.js';

const SPRITE_OPTIONS = {
  ...BILLBOARD_OPTIONS,
  /** Picture of the sprite. Default: none, so that the sprite is a rectangle of one colour. */
  texture: optional(anything<Texture | null>()),
  /** Width and height, or one number for both. Default 1. */
  size: optional(anything<number | ArrayLike<number>>()),
  /** Unit of `size`. Default `metres`. */
  sizeUnits: optional(anything<SizeUnits>()),
  /**
   * The point of the picture that lies at the actor's position, as fractions from the picture's left and bottom.
   * Default [0.5, 0.5], the middle.
   */
  anchor: optional(anything<ArrayLike<number>>()),
};

export type SpriteOptions = Shaped<typeof SPRITE_OPTIONS>;

const SPRITE = 'the sprite';

/** A picture that faces the camera. */
export class SpriteComponent extends BillboardComponent {
  #size: readonly [number, number];
  #anchor: readonly [number, number];
  readonly #units: SizeUnits;
  readonly texture: Texture | null;

  constructor(options: SpriteOptions = {}) {
    super('addSprite', options, SPRITE_OPTIONS, options?.texture);
    this.texture = options.texture ?? null;
    this.#size = checkSize('addSprite', options.size ?? 1);
    this.#anchor = checkVector('addSprite', 'anchor', options.anchor ?? [0.5, 0.5], 2);
    for (const share of this.#anchor) checkNumber('addSprite', 'anchor', share, -1e3, 1e3);
    this.#units = checkUnits('addSprite', 'sizeUnits', options.sizeUnits ?? 'metres');
  }

  override get kind(): string {
    return 'sprite';
  }
  override get clonedOptions(): string {
    return 'texture size sizeUnits anchor layers';
  }

  /** Width and height. */
  get size(): readonly [number, number] {
    return this.#size;
  }
  set size(value: number | ArrayLike<number>) {
    this.#size = checkSize(SPRITE, value);
    this.reshape();
  }
  get sizeUnits(): SizeUnits {
    return this.#units;
  }
  get anchor(): readonly [number, number] {
    return this.#anchor;
  }

  override shape(): BillboardShape {
    const [width, height] = this.#size;
    const left = -this.#anchor[0] * width;
    const bottom = -this.#anchor[1] * height;
    const write = (floats: Float32Array): void =>
      writeQuad(floats, 0, {
        positions: [0, 0, 0],
        at: 0,
        units: this.#units,
        rectangle: [left, bottom, left + width, bottom + height],
      });
    return { label: 'sprite', quads: 1, units: this.#units, write };
  }
}

function checkSize(call: string, size: number | ArrayLike<number>): readonly [number, number] {
  const [width, height] =
    typeof size === 'number' ? [size, size] : checkVector(call, 'size', size, 2, 'a number or ');
  return Object.freeze([
    checkNumber(call, 'size', width, 0, 1e6),
    checkNumber(call, 'size', height, 0, 1e6),
  ] as const);
}
