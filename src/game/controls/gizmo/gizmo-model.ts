/**
 * The meshes of a gizmo: one actor with a component per part. They are drawn over the scene, cast no shadow, and neither
 * picks nor rays hit them. All share one pipeline.
 */
import { Actor } from '../../components/actor.js';
import { MeshComponent } from '../../components/mesh-component.js';
import { SceneComponent } from '../../components/scene-component.js';
import type { Geometry } from '../../geometry/geometry.js';
import {
  boxGeometry,
  coneGeometry,
  cylinderGeometry,
  planeGeometry,
  torusGeometry,
} from '../../geometry/shapes.js';
import { type Material, unlitMaterial } from '../../materials/material.js';
import { dot, type Triple } from '../../transforms/triples.js';
import type { World } from '../../world/world.js';
import { type GizmoFrame, quaternionOf } from './gizmo-frame.js';
import {
  ARROW_START,
  type GizmoMode,
  type Handle,
  handlesOf,
  isUsable,
  MIDDLE_HALF,
  othersOf,
  RING_RADIUS,
  SQUARE,
  unitAxis,
} from './gizmo-handles.js';

const COLORS = ['#ff4040', '#30c040', '#4080ff'] as const;
const MIDDLE_COLOR = '#e0e0e0';
const HIGHLIGHT = '#ffd020';
/** The gizmo is drawn after everything that a page is likely to sort. */
const RENDER_ORDER = 32000;
/** Length of the cone at the end of an arrow. */
const TIP = 0.22;
/** Side of the cube at the end of an arrow that scales. */
const CUBE = 0.13;
const HALF = Math.SQRT1_2;
/** Rotations that turn +Y into an axis. */
const FROM_Y = [
  [0, 0, -HALF, HALF],
  [0, 0, 0, 1],
  [HALF, 0, 0, HALF],
] as const;

/** Shapes and materials of all gizmos of the page. */
interface Parts {
  readonly shaft: Geometry;
  readonly cone: Geometry;
  readonly cube: Geometry;
  readonly square: Geometry;
  readonly ring: Geometry;
  readonly middle: Geometry;
  readonly axes: readonly Material[];
  readonly gray: Material;
  readonly highlight: Material;
}

let parts: Parts | null = null;

function makeParts(): Parts {
  const color = (baseColor: string): Material =>
    unlitMaterial({ name: 'gizmo', baseColor, depthTest: false, depthWrite: false, doubleSided: true });
  return {
    shaft: cylinderGeometry({ radius: 0.018, height: 1 - TIP - ARROW_START, segments: 8 }),
    cone: coneGeometry({ radius: 0.065, height: TIP, segments: 16 }),
    cube: boxGeometry({ size: CUBE }),
    square: planeGeometry({ size: SQUARE.to - SQUARE.from, facing: 'y' }),
    ring: torusGeometry({ radius: RING_RADIUS, tube: 0.016, segments: 64, tubeSegments: 6 }),
    middle: boxGeometry({ size: 2 * MIDDLE_HALF }),
    axes: COLORS.map(color),
    gray: color(MIDDLE_COLOR),
    highlight: color(HIGHLIGHT),
  };
}

export class GizmoModel {
  readonly handles: readonly Handle[];
  readonly #actor = new Actor(new SceneComponent(), 'transform gizmo');
  readonly #parts: Parts;
  readonly #meshes: readonly (readonly MeshComponent[])[];
  #highlighted: Handle | null = null;
  /** The numbers of the last placement. An equal placement sends nothing. */
  #placed = '';

  /** @param layers layers of the meshes, one bit each */
  constructor(world: World, mode: GizmoMode, layers: number) {
    parts ??= makeParts();
    this.#parts = parts;
    this.handles = handlesOf(mode);
    this.#meshes = this.handles.map((handle) => this.#meshesOf(handle, mode, layers));
    for (const mesh of this.#meshes.flat()) this.#actor.addComponent(mesh);
    this.#actor.visible = false;
    world.spawn(this.#actor);
  }

  /** Shows the gizmo at a place; hides it without one. Called per frame. */
  place(frame: GizmoFrame | null): void {
    const isShown = frame !== null;
    if (this.#actor.isDestroyed) return;
    if (this.#actor.visible !== isShown) this.#actor.visible = isShown;
    if (!frame) return;
    const { center, axes, scale, view } = frame;
    const placed = [center, axes, scale, view].join();
    if (placed === this.#placed) return;
    this.#placed = placed;
    this.#actor.position.set(...center);
    this.#actor.rotation.set(...quaternionOf(axes));
    this.#actor.scale = scale;
    const seenFrom = axes.map((axis) => dot(axis, view)) as Triple;
    for (const [index, handle] of this.handles.entries()) {
      const isSeen = isUsable(handle, seenFrom);
      for (const mesh of this.#meshes[index] ?? []) if (mesh.visible !== isSeen) mesh.visible = isSeen;
    }
  }

  /** Draws one handle in another colour. @returns whether the picture changes */
  highlight(handle: Handle | null): boolean {
    if (handle === this.#highlighted) return false;
    this.#highlighted = handle;
    for (const [index, each] of this.handles.entries()) {
      for (const mesh of this.#meshes[index] ?? []) {
        mesh.material = each === handle ? this.#parts.highlight : this.#materialOf(each);
      }
    }
    return true;
  }

  destroy(): void {
    this.#actor.destroy();
  }

  #materialOf({ kind, axis }: Handle): Material {
    return kind === 'middle' ? this.#parts.gray : (this.#parts.axes[axis] as Material);
  }

  #meshesOf(handle: Handle, mode: GizmoMode, layers: number): MeshComponent[] {
    const { shaft, cone, cube, square, ring, middle } = this.#parts;
    const { kind, axis } = handle;
    const along = (distance: number): Triple => unitAxis(axis).map((value) => value * distance) as Triple;
    const mesh = (geometry: Geometry, position: Triple): MeshComponent => {
      const component = new MeshComponent({
        geometry,
        material: this.#materialOf(handle),
        position,
        rotation: FROM_Y[axis],
        layers,
        castShadow: false,
        receiveShadow: false,
        renderOrder: RENDER_ORDER,
      });
      component.isPickable = false;
      return component;
    };
    if (kind === 'ring') return [mesh(ring, [0, 0, 0])];
    if (kind === 'middle') return [mesh(middle, [0, 0, 0])];
    if (kind === 'square') {
      const position: Triple = [0, 0, 0];
      for (const other of othersOf(axis)) position[other] = (SQUARE.from + SQUARE.to) / 2;
      return [mesh(square, position)];
    }
    const tip = mode === 'scale' ? mesh(cube, along(1 - TIP + CUBE / 2)) : mesh(cone, along(1 - TIP / 2));
    return [mesh(shaft, along((ARROW_START + 1 - TIP) / 2)), tip];
  }
}
