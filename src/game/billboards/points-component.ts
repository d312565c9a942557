import { OptionError } from '../../core/errors.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import type { Texture } from '../textures/texture.js';
import {
  BILLBOARD_OPTIONS,
  BillboardComponent,
  type BillboardShape,
  checkCount,
  checkUnits,
  type SizeUnits,
} from './billboard-component.js';
import { checkColors, checkList } from './numbers.js';
import { writeQuad } from './quad.js';

/** The changes that `update` of points takes. */
export interface PointChanges {
  /** Positions in metres, 3 numbers per point. */
  readonly positions?: ArrayLike<number>;
  /** Linear colours, 3 or 4 numbers per point; `null` removes the colours. */
  readonly colors?: ArrayLike<number> | null;
  /** Sizes, one per point; `null` gives all points the same `size`. */
  readonly sizes?: ArrayLike<number> | null;
}

const POINTS_OPTIONS = {
  ...BILLBOARD_OPTIONS,
  /** Positions in metres, 3 numbers per point. */
  positions: anything<ArrayLike<number>>(),
  /** Linear colours, 3 or 4 numbers per point. */
  colors: optional(anything<ArrayLike<number> | null>()),
  /** Sizes, one per point. */
  sizes: optional(anything<ArrayLike<number> | null>()),
  /** Width of each point if there are no `sizes`. Default 4. */
  size: optional(anything<number>()),
  /** Unit of `size` and `sizes`. Default `pixels`. */
  sizeUnits: optional(anything<SizeUnits>()),
  /** Picture of each point. Default: a square of one colour. */
  texture: optional(anything<Texture | null>()),
};

export type PointsOptions = Shaped<typeof POINTS_OPTIONS>;

const POINTS = 'the points';

/** Square points that face the camera. */
export class PointsComponent extends BillboardComponent {
  #positions: ArrayLike<number>;
  #colors: ArrayLike<number> | null;
  #sizes: ArrayLike<number> | null;
  #size: number;
  readonly #units: SizeUnits;
  readonly texture: Texture | null;

  constructor(options: PointsOptions) {
    super('addPoints', options, POINTS_OPTIONS, options?.texture);
    this.texture = options.texture ?? null;
    const { positions, colors, sizes } = checkPoints('addPoints', options.positions, options);
    this.#positions = positions;
    this.#colors = colors;
    this.#sizes = sizes;
    this.#size = checkNumber('addPoints', 'size', options.size ?? 4, 0, 1e6);
    this.#units = checkUnits('addPoints', 'sizeUnits', options.sizeUnits ?? 'pixels');
  }

  override get kind(): string {
    return 'points';
  }
  override get clonedOptions(): string {
    return 'positions colors sizes size sizeUnits texture layers';
  }

  get pointCount(): number {
    return this.#positions.length / 3;
  }
  /** A copy of the positions. */
  get positions(): Float32Array {
    return Float32Array.from(this.#positions);
  }
  /** A copy of the colours; `null` if there are none. */
  get colors(): Float32Array | null {
    return this.#colors && Float32Array.from(this.#colors);
  }
  /** A copy of the sizes; `null` if there are none. */
  get sizes(): Float32Array | null {
    return this.#sizes && Float32Array.from(this.#sizes);
  }
  get sizeUnits(): SizeUnits {
    return this.#units;
  }
  get size(): number {
    return this.#size;
  }
  set size(value: number) {
    this.#size = checkNumber(POINTS, 'size', value, 0, 1e6);
    this.reshape();
  }

  /**
   * Replaces the points, or their colours and sizes. They are written in place if the number of points is unchanged.
   * Otherwise old colours and sizes are removed, unless new ones are given.
   * @throws OptionError, after which nothing has changed
   * @example sparks.root.update({ positions, colors });
   */
  update(changes: PointChanges): void {
    const { positions = this.#positions } = changes;
    const isSameCount = positions.length === this.#positions.length;
    const next = checkPoints(POINTS, positions, {
      colors: changes.colors === undefined && isSameCount ? this.#colors : changes.colors,
      sizes: changes.sizes === undefined && isSameCount ? this.#sizes : changes.sizes,
    });
    this.#positions = next.positions;
    this.#colors = next.colors;
    this.#sizes = next.sizes;
    this.reshape();
  }

  override shape(): BillboardShape {
    const count = this.pointCount;
    const write = (floats: Float32Array): void => {
      for (let point = 0; point < count; point++) {
        const half = ((this.#sizes?.[point] as number | undefined) ?? this.#size) / 2;
        writeQuad(floats, point, {
          positions: this.#positions,
          at: point * 3,
          units: this.#units,
          rectangle: [-half, -half, half, half],
          colors: this.#colors,
          colorIndex: point,
          colorCount: count,
        });
      }
    };
    return { label: 'points', quads: count, units: this.#units, write };
  }
}

function checkPoints(
  call: string,
  positions: ArrayLike<number>,
  { colors, sizes }: Pick<PointChanges, 'colors' | 'sizes'>,
) {
  checkList(call, 'positions', positions, 3);
  const count = checkCount(call, 'points', positions.length / 3);
  if (colors) checkColors(call, colors, count);
  if (sizes) {
    checkList(call, 'sizes', sizes, 1, count);
    if (Array.from(sizes).some((size) => size < 0)) {
      throw new OptionError('option-out-of-range', `sizes of ${call} can't be negative.`);
    }
  }
  return {
    positions: Float32Array.from(positions),
    colors: colors ? Float32Array.from(colors) : null,
    sizes: sizes ? Float32Array.from(sizes) : null,
  };
}
