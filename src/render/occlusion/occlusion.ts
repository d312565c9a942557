import { grow } from '../../core/memory/grow.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import { countBits } from '../culling/cull-groups.js';
import type { MeshStores } from '../draws/mesh-pass.js';
import { staticVertices } from '../geometry/vertex-policy.js';
import type { MaterialStates } from '../keys/material-states.js';
import { isTriangles, KeyBit, vertexPolicyOf } from '../keys/pipeline-key.js';
import { SCENE_FEATURES } from '../materials/feature-code.js';
import type { SceneFeature } from '../scene/scene-feature.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { hideWords } from './box-test.js';
import { OccluderShape } from './occluder-shape.js';
import { OcclusionGrid } from './occlusion-grid.js';

/** Flags of materials through which objects behind may be visible. */
const SEEN_THROUGH = MaterialFlag.alphaMask | MaterialFlag.alphaBlend | MaterialFlag.noDepthWrite;

/** Result of a view's occlusion culling, and the inputs from which it was computed. */
class ViewOcclusion {
  /** One bit per primitive that passed culling and is not hidden. */
  bits = new Uint32Array(0);
  visible = 0;
  readonly clipFromWorld = new Float64Array(16);
  sceneVersion = -1;
  changes = -1;
  occluders = -1;
  width = 0;
  height = 0;
}

/**
 * Hides primitives behind *occluders*, which the game has declared (SYSTEMS R13). In each view, the triangles of
 * visible occluders cover cells of a grid. Primitives that lie entirely behind covered cells are not drawn in that
 * view. The picture stays the same: the grid never covers too much, shadows come from all casters, and picks have their
 * own views.
 *
 *   visible bits ─┬─ occluders ─► OcclusionGrid ─┐
 *                 └─ all ────────────────────────┴─► boxes in front of some cell ─► bits that are drawn
 *
 * An occluder hides others only while it consists of opaque triangles that its node alone places. Masks, blending,
 * transmission, disabled depth writes, joints, morph targets, custom shaders and fades prevent it. An occluder hides
 * other primitives even while its own pipeline is being created.
 */
export class Occlusion implements SceneFeature {
  readonly #stores: MeshStores;
  /** One grid, used for all views in turn. */
  readonly #grid = new OcclusionGrid();
  readonly #shapes = new Map<number, OccluderShape>();
  readonly #byView = new WeakMap<SceneViewState, ViewOcclusion>();
  /** Keys of `#shapes` as a list, for the loop of each frame. */
  #primitives: readonly number[] = [];
  #version = 0;
  #isListStale = false;

  constructor(stores: MeshStores) {
    this.#stores = stores;
  }

  /** Executes the reader's current record. */
  execute({ words, floats, fields: at }: StreamReader): void {
    const corners = at + 1 + (words[at] as number);
    const positions = corners + 1 + (words[corners] as number);
    const shape = new OccluderShape(
      floats.subarray(positions + 1, positions + 1 + (words[positions] as number)),
      words.subarray(corners + 1, positions),
    );
    for (let index = at + 1; index < corners; index++) this.#shapes.set(words[index] as number, shape);
    this.#listChanged();
  }

  /** Removes the occluder of a primitive that was replaced or destroyed. */
  detach(primitive: number): void {
    if (this.#shapes.delete(primitive)) this.#listChanged();
  }

  /** Per frame, after each view has been culled: hides primitives in each view. */
  hide(views: readonly DrawnView[]): void {
    if (this.#isListStale) this.#primitives = [...this.#shapes.keys()];
    this.#isListStale = false;
    if (this.#primitives.length === 0) return;
    for (let index = 0; index < views.length; index++) this.#hideIn((views[index] as DrawnView).state);
  }

  #listChanged(): void {
    this.#isListStale = true;
    this.#version++;
  }

  #hideIn(state: SceneViewState): void {
    const occlusion = this.#occlusionOf(state);
    const { meshes } = state;
    const { primitives } = this.#stores.scene;
    if (this.#isSame(occlusion, state) && meshes.isSameSet) {
      meshes.narrow(occlusion.bits, occlusion.visible);
      return;
    }
    const words = (primitives.length + 31) >>> 5;
    const bits = grow(occlusion.bits, words);
    occlusion.bits = bits;
    const grid = this.#grid;
    this.#fill(grid, state);
    const seen = meshes.visibleBits;
    if (!primitives.culler?.hide(grid, seen, meshes.visible, bits, words)) {
      hideWords(grid.numbers, grid.depths, grid.tiles, primitives.bounds, seen, bits, 0, words);
    }
    occlusion.visible = 0;
    const { depthlessBits } = primitives;
    for (let word = 0; word < words; word++) {
      // Nothing hides primitives that do not test depth.
      const shown = (bits[word] as number) | ((seen[word] as number) & (depthlessBits[word] as number));
      bits[word] = shown;
      occlusion.visible += countBits(shown);
    }
    meshes.narrow(bits, occlusion.visible);
  }

  #occlusionOf(state: SceneViewState): ViewOcclusion {
    let occlusion = this.#byView.get(state);
    if (!occlusion) {
      occlusion = new ViewOcclusion();
      this.#byView.set(state, occlusion);
    }
    return occlusion;
  }

  #fill(grid: OcclusionGrid, { view, targets, meshes: { visibleBits } }: SceneViewState): void {
    const { primitives, nodes, renderOrigin, materials } = this.#stores.scene;
    const { states } = materials;
    grid.clear(view.clipFromWorld, targets.width, targets.height);
    for (let index = 0; index < this.#primitives.length; index++) {
      const primitive = this.#primitives[index] as number;
      if (!(((visibleBits[primitive >>> 5] as number) >>> (primitive & 31)) & 1)) continue;
      const key = this.#keyOf(primitive);
      if (!canHide(key, states)) continue;
      const shape = this.#shapes.get(primitive) as OccluderShape;
      const at = (primitives.node[primitive] as number) * 12;
      const front = key & KeyBit.mirrored ? -1 : 1;
      grid.add(shape, nodes.world, at, renderOrigin, front);
      if (states.flagsOf(key) & MaterialFlag.doubleSided)
        grid.add(shape, nodes.world, at, renderOrigin, front === 1 ? -1 : 1);
    }
    grid.finish();
  }

  #keyOf(primitive: number): number {
    const { scene, drawStates } = this.#stores;
    return drawStates.pipelineKey[scene.primitives.drawState[primitive] as number] as number;
  }

  /** Stores the inputs of this call. @returns whether they equal the inputs of the view's last call */
  #isSame(occlusion: ViewOcclusion, { view, targets }: SceneViewState): boolean {
    const { version, primitives } = this.#stores.scene;
    let isSame =
      occlusion.sceneVersion === version &&
      occlusion.changes === primitives.changes &&
      occlusion.occluders === this.#version &&
      occlusion.width === targets.width &&
      occlusion.height === targets.height;
    occlusion.sceneVersion = version;
    occlusion.changes = primitives.changes;
    occlusion.occluders = this.#version;
    occlusion.width = targets.width;
    occlusion.height = targets.height;
    for (let index = 0; index < 16; index++) {
      const value = view.clipFromWorld[index] as number;
      isSame &&= occlusion.clipFromWorld[index] === value;
      occlusion.clipFromWorld[index] = value;
    }
    return isSame;
  }
}

/** Returns whether a primitive with this key can hide other primitives. @param key see `pipelineKey` */
function canHide(key: number, states: MaterialStates): boolean {
  return (
    (states.flagsOf(key) & SEEN_THROUGH) === 0 &&
    (states.featuresOf(key) & SCENE_FEATURES) === 0 &&
    (key & KeyBit.fading) === 0 &&
    states.shaderOf(key) === 0 &&
    vertexPolicyOf(key) === staticVertices.number &&
    isTriangles(key)
  );
}
