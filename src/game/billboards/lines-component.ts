import { checkChoice, checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import { DirtyFlag } from '../updates/scene-updates.js';
import {
  BILLBOARD_FLOATS,
  BILLBOARD_OPTIONS,
  BillboardComponent,
  type BillboardShape,
  checkCount,
  checkUnits,
  type SizeUnits,
} from './billboard-component.js';
import { checkColors, checkList, writeColor } from './numbers.js';

/** The changes that `update` of lines takes. */
export interface LineChanges {
  /** Positions in metres, 3 numbers per point. */
  readonly positions?: ArrayLike<number>;
  /** Linear colours, 3 or 4 numbers per point; `null` removes the colours. */
  readonly colors?: ArrayLike<number> | null;
}

const LINES_OPTIONS = {
  ...BILLBOARD_OPTIONS,
  /** Positions in metres, 3 numbers per point. */
  positions: anything<ArrayLike<number>>(),
  /** Linear colours, 3 or 4 numbers per point. */
  colors: optional(anything<ArrayLike<number> | null>()),
  /** Width of the lines. Default 1. */
  width: optional(anything<number>()),
  /** Unit of `width`. Default `pixels`. */
  widthUnits: optional(anything<SizeUnits>()),
  /**
   * `strip` (default) connects each point to the next. `loop` also connects the last of 3 or more points to the first.
   * `segments` takes two points per line.
   */
  connect: optional(anything<'strip' | 'loop' | 'segments'>()),
};

export type LinesOptions = Shaped<typeof LINES_OPTIONS>;

const LINES = 'the lines';

/**
 * Lines of any width, which face the camera. Corners are mitred.
 *
 *   point ──────────── point        four vertices per segment: two at each point, with offsets to its neighbours
 */
export class LinesComponent extends BillboardComponent {
  #positions: ArrayLike<number>;
  #colors: ArrayLike<number> | null = null;
  #width = 1;
  #units: SizeUnits;
  readonly #connect: 'strip' | 'loop' | 'segments';

  constructor(options: LinesOptions) {
    super('addLines', options, LINES_OPTIONS);
    this.#connect = checkChoice('addLines', 'connect', options.connect ?? 'strip', [
      'strip',
      'loop',
      'segments',
    ]);
    this.#positions = this.#checked('addLines', options.positions);
    if (options.colors) this.#colors = copyOf(checkColors('addLines', options.colors, this.pointCount));
    this.#width = checkNumber('addLines', 'width', options.width ?? 1, 0, 1e6);
    this.#units = checkUnits('addLines', 'widthUnits', options.widthUnits ?? 'pixels');
  }

  override get kind(): string {
    return 'lines';
  }
  override get clonedOptions(): string {
    return 'positions colors width widthUnits connect layers';
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
  get connect(): 'strip' | 'loop' | 'segments' {
    return this.#connect;
  }
  get width(): number {
    return this.#width;
  }
  set width(value: number) {
    this.#width = checkNumber(LINES, 'width', value, 0, 1e6);
    this.reshape();
  }
  get widthUnits(): SizeUnits {
    return this.#units;
  }
  set widthUnits(value: SizeUnits) {
    this.#units = checkUnits(LINES, 'widthUnits', value);
    this.reshape();
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }

  /**
   * Replaces the points, or their colours. They are written in place if the number of points is unchanged. Otherwise
   * old colours are removed, unless new colours are given.
   * @throws OptionError, after which nothing has changed
   * @example trail.root.update({ positions });
   */
  update({ positions, colors }: LineChanges): void {
    const points = positions ? this.#checked(LINES, positions) : this.#positions;
    const hasCountChanged = points.length !== this.#positions.length;
    const next = colors === undefined && !hasCountChanged ? this.#colors : (colors ?? null);
    if (next) checkColors(LINES, next, points.length / 3);
    this.#positions = points;
    this.#colors = next && copyOf(next);
    this.reshape();
  }

  #checked(call: string, positions: ArrayLike<number>): ArrayLike<number> {
    checkList(call, 'positions', positions, this.#connect === 'segments' ? 6 : 3);
    checkCount(call, 'points', positions.length / 3);
    return copyOf(positions);
  }

  override shape(): BillboardShape {
    const count = this.pointCount;
    const isLoop = this.#connect === 'loop' && count > 2;
    const isStrip = this.#connect !== 'segments';
    const quads = isStrip ? Math.max(count - 1, 0) + (isLoop ? 1 : 0) : count / 2;
    const write = (floats: Float32Array): void => {
      for (let quad = 0; quad < quads; quad++) {
        const first = isStrip ? quad : quad * 2;
        const ends = [first, (first + 1) % count];
        for (const [end, point] of ends.entries()) {
          const other = ends[1 - end] as number;
          // Index of the strip's next point outside this segment; −1 or `count` if there is none.
          const outward = isStrip ? point + (end === 0 ? -1 : 1) : -1;
          const beyond = isLoop ? (outward + count) % count : outward < count ? outward : -1;
          this.#writeEnd(
            floats,
            quad * 4 + end * 2,
            point,
            end === 0 ? beyond : other,
            end === 0 ? other : beyond,
          );
        }
      }
    };
    return { label: 'lines', quads, units: this.#units, write };
  }

  /**
   * Writes the two vertices at one end of a segment.
   * @param before index of the previous point; −1 if there is none
   * @param after index of the next point; −1 if there is none
   */
  #writeEnd(floats: Float32Array, vertex: number, point: number, before: number, after: number): void {
    const positions = this.#positions;
    const count = this.pointCount;
    for (let side = 0; side < 2; side++) {
      const at = (vertex + side) * BILLBOARD_FLOATS;
      for (let axis = 0; axis < 3; axis++) {
        const here = positions[point * 3 + axis] as number;
        floats[at + axis] = here;
        floats[at + 3 + axis] = before < 0 ? 0 : (positions[before * 3 + axis] as number) - here;
        floats[at + 8 + axis] = after < 0 ? 0 : (positions[after * 3 + axis] as number) - here;
      }
      floats[at + 6] = (vertex >> 1) & 1;
      floats[at + 7] = side;
      floats[at + 11] = this.#units === 'pixels' ? 1 : 0;
      floats[at + 12] = (side === 0 ? 0.5 : -0.5) * this.#width;
      floats[at + 13] = 0;
      writeColor(floats, at + 14, this.#colors, point, count);
    }
  }
}

function copyOf(values: ArrayLike<number>): Float32Array {
  return Float32Array.from(values);
}
