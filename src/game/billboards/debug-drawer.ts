/**
 * Lines and texts for development. Each call draws in one frame only: the frame of the current or next tick.
 *
 *   onTick: line, box, axes ─► numbers ── end of the tick ─► one LinesComponent, which grows by doubling
 *           text            ─► `debug-labels.ts`
 */

import type { VectorLike } from '../../core/math/vectors.js';
import { fillOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { byDefault, numberFrom } from '../../core/options/members.js';
import type { Actor } from '../components/actor.js';
import type { Bounds } from '../components/bounds.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import { DebugLabels } from '../text/debug-labels.js';
import { checkText } from '../text/text-component.js';
import type { World } from '../world/world.js';
import { LinesComponent } from './lines-component.js';

const OPTIONS = {
  /** Width of all lines, in CSS pixels. Default 1. */
  width: byDefault(numberFrom(0, 1e6), 1),
};

export type DebugDrawerOptions = Shaped<typeof OPTIONS>;

type Point = VectorLike;
/** An object with a place in the world: an actor, or a component with a transform. */
interface Placed {
  worldFromLocal(out: number[]): number[];
  /** Bounds, which only actors have. */
  readonly bounds?: Bounds;
}

const NOWHERE: Bounds = { min: [0, 0, 0], max: [0, 0, 0] };

const EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7] as const;
const AXIS_COLORS = ['#f33', '#3d3', '#48f'] as const;

export class DebugDrawer {
  readonly #actor: Actor<LinesComponent>;
  readonly #labels: DebugLabels;
  #positions: number[] = [];
  #colors: number[] = [];
  #capacity = 64;
  #wasEmpty = true;
  readonly #stop: () => void;

  /** @internal Use `world.addDebugDrawer()`. */
  constructor(world: World, options: DebugDrawerOptions = {}) {
    const { width } = fillOptions('addDebugDrawer', options, OPTIONS);
    const positions = new Float32Array(this.#capacity * 6);
    this.#actor = world.spawn(
      new LinesComponent({ name: 'debug drawer', positions, connect: 'segments', width }),
    );
    this.#actor.visible = false;
    this.#labels = new DebugLabels(world);
    this.#stop = world.onTickEnd(() => this.#flush());
  }

  /** Draws a line from one point of the world to another. @throws OptionError */
  line(from: Point, to: Point, color: ColorLike = '#fff'): void {
    const ends = [...checkVector('line', 'from', from, 3), ...checkVector('line', 'to', to, 3)];
    for (const number of ends) checkNumber('line', 'a coordinate', number, -1e30, 1e30);
    // A callback that still runs after `dispose` draws nothing.
    if (this.#actor.isDestroyed) return;
    const [red = 1, green = 1, blue = 1, alpha = 1] = parseColor('line', 'color', color);
    this.#positions.push(...ends);
    this.#colors.push(red, green, blue, alpha, red, green, blue, alpha);
  }

  /** Draws the edges of a world-aligned box, such as `actor.bounds`. @throws OptionError */
  box({ min, max }: Pick<Bounds, 'min' | 'max'>, color: ColorLike = '#ff0'): void {
    const corner = (index: number) =>
      [0, 1, 2].map((axis) => ((index >> axis) & 1 ? max : min)[axis] as number);
    for (let edge = 0; edge < EDGES.length; edge += 2) {
      this.line(corner(EDGES[edge] as number), corner(EDGES[edge + 1] as number), color);
    }
  }

  /** Draws the axes of an object: X red, Y green, Z blue. @param length metres @throws OptionError */
  axes(placed: Placed, length = 1): void {
    checkNumber('axes', 'length', length, 0, 1e30);
    const matrix = placed.worldFromLocal([]);
    const origin = matrix.slice(12, 15);
    for (const [axis, color] of AXIS_COLORS.entries()) {
      const along = matrix.slice(axis * 4, axis * 4 + 3);
      const scale = length / (Math.hypot(...along) || 1);
      this.line(
        origin,
        origin.map((value, index) => value + (along[index] as number) * scale),
        color,
      );
    }
  }

  /**
   * Draws a text above a point of the world or above an actor's bounds. The text of a component, or of an actor without
   * meshes, is above its position. The font size is 14 CSS pixels.
   * @throws OptionError
   * @example debug.text(enemy, `${enemy.name}: ${state}`, '#f80');
   */
  text(at: Point | Placed, text: string, color: ColorLike = '#fff'): void {
    const point = placeAbove(at);
    for (const number of point) checkNumber('text', 'a coordinate', number, -1e30, 1e30);
    checkText('debug.text', text);
    if (this.#actor.isDestroyed) return;
    this.#labels.show(point, text, color);
  }

  /** Removes the drawer from its world. */
  dispose(): void {
    this.#stop();
    this.#labels.dispose();
    this.#actor.destroy();
  }

  #flush(): void {
    this.#labels.flush();
    const isEmpty = this.#positions.length === 0;
    if (isEmpty && this.#wasEmpty) return;
    this.#wasEmpty = isEmpty;
    this.#actor.visible = !isEmpty;
    if (isEmpty) return;
    while (this.#capacity * 6 < this.#positions.length) this.#capacity *= 2;
    // Unused lines have length 0 and are invisible.
    const positions = new Float32Array(this.#capacity * 6);
    const colors = new Float32Array(this.#capacity * 8);
    // The actor is placed at the first vertex, with 64 bits. All vertices, which have 32 bits, are relative to it.
    const [x = 0, y = 0, z = 0] = this.#positions;
    const origin = [x, y, z];
    this.#actor.position = origin;
    positions.set(this.#positions.map((value, index) => value - (origin[index % 3] as number)));
    colors.set(this.#colors);
    this.#actor.root.update({ positions, colors });
    this.#positions = [];
    this.#colors = [];
  }
}

function placeAbove(at: Point | Placed): readonly [number, number, number] {
  if (typeof at !== 'object' || at === null || !('worldFromLocal' in at)) {
    return checkVector('text', 'position', at, 3);
  }
  const { min, max } = at.bounds ?? NOWHERE;
  // An actor without meshes has an empty box.
  const isEmpty = min.every((value, axis) => value === max[axis]);
  if (!isEmpty) return [(min[0] + max[0]) / 2, max[1], (min[2] + max[2]) / 2];
  const matrix = at.worldFromLocal([]);
  return [matrix[12] as number, matrix[13] as number, matrix[14] as number];
}
