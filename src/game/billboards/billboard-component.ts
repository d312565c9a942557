/**
 * Billboards, which face the camera: lines, points, sprites and text. A billboard consists of triangles, whose vertices
 * `shaders/mesh-billboards.wgsl` places on the screen. Billboards use an unlit material, and are culled, sorted,
 * blended and picked like any mesh.
 *
 *   BillboardShape ─► 18 floats per vertex ─► Geometry of topology `billboards` ─► PrimitiveComponent
 */

import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkChoice, checkWhole } from '../../core/options/check-value.js';
import type { Shape, Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import { PrimitiveFlag } from '../../proxy/commands.js';
import { billboardReach } from '../../proxy/geometry/billboard-reach.js';
import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import { PrimitiveComponent } from '../components/primitive-component.js';
import { Geometry } from '../geometry/updatable-geometry.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import { type Material, unlitMaterial } from '../materials/material.js';
import type { Texture } from '../textures/texture.js';
import { TRANSFORM_OPTIONS } from '../transforms/transform-options.js';
import { DirtyFlag } from '../updates/scene-updates.js';

/** `pixels` are CSS pixels of the page, at any distance. `metres` scale with the actor. */
export type SizeUnits = 'pixels' | 'metres';

export const BILLBOARD_OPTIONS = {
  ...TRANSFORM_OPTIONS,
  /** CSS colour (sRGB) or linear numbers, alpha included. It multiplies all other colours. Default white. */
  color: optional(anything<ColorLike>()),
  /** Default: `opaque`, or `blend` if the colour or the texture may be transparent. */
  alphaMode: optional(anything<'opaque' | 'mask' | 'blend'>()),
  /** Layers of the component, one bit each. Default 1: the first layer. */
  layers: optional(anything<number>()),
};

export type BillboardOptions = Shaped<typeof BILLBOARD_OPTIONS>;

const FORMAT = VertexFormat.tangents | VertexFormat.uv1 | VertexFormat.colors;
/** Floats per vertex: position, normal, uv, tangent, second uv, colour. */
export const BILLBOARD_FLOATS = 18;

/** A shape of quads with four vertices each, and the function that writes the vertices. */
export interface BillboardShape {
  readonly label: string;
  readonly quads: number;
  readonly units: SizeUnits;
  readonly write: (floats: Float32Array) => void;
}

export abstract class BillboardComponent extends PrimitiveComponent {
  readonly #material: Material;
  #geometry: Geometry | null = null;

  /** @param table table of the allowed options @param texture texture of the component, which may be transparent */
  constructor(call: string, options: BillboardOptions, table: Shape, texture?: Texture | null) {
    checkOptions(call, options, table);
    super(options);
    const color = parseColor(call, 'color', options.color ?? [1, 1, 1, 1]);
    const isOpaque = (color[3] ?? 1) === 1 && !texture;
    this.#material = unlitMaterial({
      name: call,
      baseColor: color,
      alphaMode: options.alphaMode ?? (isOpaque ? 'opaque' : 'blend'),
      doubleSided: true,
      ...(texture && { baseColorTexture: texture }),
    });
    this.layers = options.layers ?? 1;
  }

  get geometry(): Geometry {
    this.#geometry ??= geometryOf(this.shape());
    return this.#geometry;
  }
  /** An unlit material. Its `baseColor` multiplies all other colours. */
  get material(): Material {
    return this.#material;
  }
  set material(_material: Material) {
    throw new OptionError(
      'option-invalid',
      `"${this.name}" is a ${this.kind}, which draws with its own material. Set the properties of its material instead.`,
    );
  }

  /** @internal Returns the current shape. */
  abstract shape(): BillboardShape;

  /** @internal */
  override reachBeyond(matrix: readonly number[]): number {
    const { minimum, maximum } = this.geometry;
    const extents = maximum.map((most, axis) => (most - (minimum[axis] as number)) / 2);
    return billboardReach(matrix, 0, 1, 4, Math.min(...extents));
  }

  /**
   * Updates the geometry after a change of shape: in place if the vertex count is the same, otherwise by creating a new
   * geometry.
   */
  protected reshape(): void {
    const geometry = this.#geometry;
    if (!geometry) return;
    const shape = this.shape();
    if (geometry.vertexCount === verticesOf(shape)) {
      writeShape(geometry.data, shape);
      [geometry.minimum, geometry.maximum] = boxOf(geometry, shape);
      geometry.changed(0, geometry.vertexCount * BILLBOARD_FLOATS);
    } else {
      this.#geometry = geometryOf(shape);
      this.updates?.flag(this, DirtyFlag.renderState);
    }
  }

  /** Clones the component, with a copy of its material. */
  override clone(): this {
    const copy = super.clone();
    copy.material.baseColor = this.material.baseColor;
    copy.material.alphaMode = this.material.alphaMode;
    return copy;
  }

  override get primitiveFlags(): number {
    const isOnScreen = this.shape().units === 'pixels';
    const none = PrimitiveFlag.castsNoShadow | PrimitiveFlag.receivesNoShadow;
    return super.primitiveFlags | none | (isOnScreen ? PrimitiveFlag.alwaysSeen : 0);
  }
}

/** Returns the number of vertices: at least four, for one quad, because a buffer can't be empty. */
const verticesOf = ({ quads }: BillboardShape): number => Math.max(quads, 1) * 4;

function writeShape(data: ArrayBuffer, shape: BillboardShape): void {
  const floats = new Float32Array(data);
  // An empty shape is drawn as one quad of size 0, so the old vertices are cleared.
  if (shape.quads === 0) floats.fill(0, 0, verticesOf(shape) * BILLBOARD_FLOATS);
  shape.write(floats);
}

function geometryOf(shape: BillboardShape): Geometry {
  const vertexCount = verticesOf(shape);
  const quads = vertexCount / 4;
  const indexCount = quads * 6;
  const data = new ArrayBuffer(vertexCount * BILLBOARD_FLOATS * 4 + indexCount * 4);
  writeShape(data, shape);
  const indices = new Uint32Array(data, vertexCount * BILLBOARD_FLOATS * 4);
  for (let quad = 0; quad < quads; quad++) {
    indices.set(
      [0, 1, 2, 2, 1, 3].map((corner) => quad * 4 + corner),
      quad * 6,
    );
  }
  const geometry = new Geometry({
    label: shape.label,
    vertexFormat: FORMAT,
    topology: 'billboards',
    vertexCount,
    indexCount,
    data,
    minimum: [0, 0, 0],
    maximum: [0, 0, 0],
  });
  [geometry.minimum, geometry.maximum] = boxOf(geometry, shape);
  return geometry;
}

type Corner = [number, number, number];

/**
 * Longest reach of a mitred corner, in half widths of the line: 1 divided by `SHARPEST_MITER` of
 * `shaders/mesh-billboards.wgsl`.
 */
const LONGEST_MITER = 4;
/**
 * Cosine above which a line counts as straight. Seen along the line, even a slight bend looks like a sharp
 * corner.
 */
const STRAIGHT = 1 - 1e-9;

/**
 * Returns the box around all anchors. Sizes in metres extend it on all sides, because a billboard may face any
 * direction.
 */
function boxOf({ data, vertexCount }: Geometry, { units }: BillboardShape): [Corner, Corner] {
  const floats = new Float32Array(data, 0, vertexCount * BILLBOARD_FLOATS);
  const minimum: Corner = [Infinity, Infinity, Infinity];
  const maximum: Corner = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < floats.length; at += BILLBOARD_FLOATS) {
    const reach = units === 'pixels' ? 0 : reachAround(floats, at);
    for (const axis of [0, 1, 2] as const) {
      minimum[axis] = Math.min(minimum[axis], (floats[at + axis] as number) - reach);
      maximum[axis] = Math.max(maximum[axis], (floats[at + axis] as number) + reach);
    }
  }
  return minimum[0] <= maximum[0]
    ? [minimum, maximum]
    : [
        [0, 0, 0],
        [0, 0, 0],
      ];
}

/** Returns how far the vertices at an anchor extend from it, in metres. Per vertex: allocates nothing. */
function reachAround(floats: Float32Array, at: number): number {
  const half = Math.hypot(floats[at + 12] as number, floats[at + 13] as number);
  // A line that bends at this point may look like the sharpest corner from some direction.
  const lengths = lengthAt(floats, at + 3) * lengthAt(floats, at + 8);
  let along = 0;
  for (let axis = 0; axis < 3; axis++) {
    along += (floats[at + 3 + axis] as number) * (floats[at + 8 + axis] as number);
  }
  return along > -STRAIGHT * lengths ? half * LONGEST_MITER : half;
}

function lengthAt(floats: Float32Array, at: number): number {
  return Math.hypot(floats[at] as number, floats[at + 1] as number, floats[at + 2] as number);
}

/** @throws OptionError */
export function checkUnits(call: string, name: string, value: SizeUnits): SizeUnits {
  return checkChoice(call, name, value, ['pixels', 'metres']);
}

/** Maximum number of quads of one component. */
const MAXIMUM_QUADS = 4_000_000;

/** @throws OptionError */
export function checkCount(call: string, name: string, count: number): number {
  return checkWhole(call, `the number of ${name}`, count, 0, MAXIMUM_QUADS);
}
