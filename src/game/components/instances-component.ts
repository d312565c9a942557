import { OptionError } from '../../core/errors.js';
import { checkWhole } from '../../core/options/check-value.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import { anything, countFrom, optional } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { NO_ID, PrimitiveFlag, RenderOpcode } from '../../proxy/commands.js';
import { ROTATION_WORD, TransformArray } from '../../proxy/transform-array.js';
import { allocateShared } from '../../tasks/arguments/allocate-shared.js';
import { checkAlive } from '../checks/slips.js';
import { type Matrix, multiply, normalize, parentFromLocal } from '../transforms/transform-math.js';
import { throwNoRotation, throwNotFinite } from '../transforms/transform-view.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import { writeWords } from '../updates/write-record.js';
import type { World } from '../world/world.js';
import type { InstanceColors } from './instance-colors.js';
import { MESH_OPTIONS, MeshComponent } from './mesh-component.js';
import { ShownPlaces } from './shown-places.js';

const MAXIMUM_COUNT = 1_000_000;

const INSTANCES_OPTIONS = {
  ...MESH_OPTIONS,
  /** Number of places: 0 to 1,000,000. */
  count: countFrom(0, MAXIMUM_COUNT),
  /**
   * Gives each place a colour of its own: `instanceColors('rgb')` or `instanceColors('rgba')`. Default: none.
   */
  colors: optional(anything<InstanceColors>()),
};

export type InstancesOptions = Shaped<typeof INSTANCES_OPTIONS>;

const NONE = /* @__PURE__ */ new Float32Array(0);

/** Transform of the place that is being read. */
const placeTransform = /* @__PURE__ */ new TransformArray(1);

const notAssignable = (name: string): OptionError =>
  new OptionError(
    'option-invalid',
    `${name} of instances can't be assigned. Write into the array with ${name}.set(values), then call touch().`,
  );

/**
 * Shows one geometry with one material in many places. A *place* is one instance. Places are relative to the
 * component's own transform, whose position has 64 bits. The page writes the numbers of all places into arrays, and
 * calls `touch` to show them:
 *
 *   positions  x y z    x y z    …       metres
 *   rotations  x y z w  x y z w  …       quaternions, of any length but 0
 *   scales     x y z    x y z    …       factors
 *   colors     r g b    r g b    …       optional: linear factors on the base colour; or r g b a
 *
 * On a cross-origin isolated page the arrays lie in shared memory, so that tasks can write them.
 */
export class InstancesComponent extends MeshComponent {
  /** Positions, rotations and scales. */
  #arrays: Float32Array[] = [];
  #count = 0;
  #colors: InstanceColors | undefined;
  /** @internal The places' nodes and their numbers as of the last touch. */
  readonly shown = new ShownPlaces();
  /** Number of places that have a node. */
  #nodeCount = 0;
  /** Whether the next update visits the component. */
  #isFlagged = false;
  readonly #primitives: number[] = [];
  /** Number of nodes and primitives that the render side has. */
  #sentNodes = 0;
  #sentPrimitives = 0;
  #sentGeometryId = -1;

  constructor(options: InstancesOptions) {
    super(options, 'addInstances', INSTANCES_OPTIONS);
    const { count, colors } = options;
    if (colors && colors.values?.length !== 0) {
      throw new OptionError(
        'option-invalid',
        "colors of addInstances has to be a result of instanceColors() that no other instances use. Pass a new instanceColors('rgb') or instanceColors('rgba').",
      );
    }
    this.#colors = colors;
    this.#resize(count);
  }

  override get kind(): string {
    return 'instances';
  }

  override get clonedOptions(): string {
    return `${super.clonedOptions} count`;
  }

  override clone(): this {
    const copy = super.clone();
    copy.#colors = this.#colors?.clone();
    copy.#arrays = this.#arrays;
    copy.#resize(this.#count);
    return copy;
  }

  /** Metres, three numbers per place. Setting `count` replaces the array. */
  get positions(): Float32Array {
    return this.#arrays[0] as Float32Array;
  }
  set positions(_values: never) {
    throw notAssignable('positions');
  }
  /** Quaternions, four numbers per place. Setting `count` replaces the array. */
  get rotations(): Float32Array {
    return this.#arrays[1] as Float32Array;
  }
  set rotations(_values: never) {
    throw notAssignable('rotations');
  }
  /** Factors, three numbers per place. Setting `count` replaces the array. */
  get scales(): Float32Array {
    return this.#arrays[2] as Float32Array;
  }
  set scales(_values: never) {
    throw notAssignable('scales');
  }
  /**
   * Linear factors on the base colour: three or four numbers per place, as passed to `instanceColors`. The array is
   * empty without the option `colors`. Setting `count` replaces the array.
   */
  get colors(): Float32Array {
    return this.#colors?.values ?? NONE;
  }
  set colors(_values: never) {
    throw notAssignable('colors');
  }

  /**
   * Number of places. Setting it replaces the arrays by larger or smaller copies. New places are at the origin.
   */
  get count(): number {
    return this.#count;
  }
  set count(value: number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'count');
    const count = checkMember('the instances', 'count', value, INSTANCES_OPTIONS.count);
    if (count === this.#count) return;
    const { updates } = this;
    if (!updates) {
      this.#resize(count);
      return;
    }
    this.#dropPrimitives(updates, count);
    this.#dropNodes(updates, count);
    updates.placeBytes -= this.#byteLength;
    this.#resize(count);
    updates.placeBytes += this.#byteLength;
    this.#addNodes(updates);
    updates.flag(this, DirtyFlag.renderState);
  }

  /**
   * Shows the current values of some places, by default of all places, from the next frame on. Other places keep their
   * last values. The arrays may be written again at once.
   *
   * A transform that is not finite, or a rotation of zeros, is not shown. Development builds throw, and change no
   * place. Other builds report it as an `error` event of the engine.
   * @throws OptionError `option-out-of-range` for `first`, `count` or a colour. In development, SceneError
   * `transform-not-finite` or `rotation-zero` for a place
   */
  touch(first = 0, count = this.#count - first): void {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'touch');
    checkWhole('touch', 'first', first, 0, this.#count);
    checkWhole('touch', 'count', count, 0, this.#count - first);
    const { updates } = this;
    if (!updates || count === 0) return;
    if (globalThis.FENCEPOST_DEVELOPMENT) this.#checkPlaces(first, first + count);
    this.#colors?.touch(first, first + count);
    this.shown.touch(first, first + count, this.positions, this.rotations, this.scales);
    this.#flag(updates);
  }

  /** @internal Marks a place whose shown numbers have changed. */
  markPlace(place: number): void {
    const { updates } = this;
    if (!updates) return;
    this.shown.mark(place);
    this.#flag(updates);
  }

  #flag(updates: SceneUpdates): void {
    if (this.#isFlagged) return;
    this.#isFlagged = true;
    updates.flagInstances(this);
  }

  #checkPlaces(first: number, end: number): void {
    const { positions, rotations, scales } = this;
    for (let place = first; place < end; place++) {
      const at = place * 3;
      const [px, py, pz] = [
        positions[at] as number,
        positions[at + 1] as number,
        positions[at + 2] as number,
      ];
      const [sx, sy, sz] = [scales[at] as number, scales[at + 1] as number, scales[at + 2] as number];
      if (!Number.isFinite(px + py + pz + sx + sy + sz))
        throwNotFinite(this, `positions, scales of place ${place}`, px, py, pz, sx, sy, sz);
      const turn = place * 4;
      const [x, y] = [rotations[turn] as number, rotations[turn + 1] as number];
      const [z, w] = [rotations[turn + 2] as number, rotations[turn + 3] as number];
      if (!Number.isFinite(x + y + z + w)) throwNotFinite(this, `rotations of place ${place}`, x, y, z, w);
      if (x === 0 && y === 0 && z === 0 && w === 0) throwNoRotation(this, `rotations of place ${place}`);
    }
  }

  override get placeCount(): number {
    return this.#count;
  }
  override worldFromPlace<T extends Matrix>(place: number, out: T): T {
    const { updates } = this;
    if (!updates) return this.worldFromLocal(out);
    this.shown.read(place, placeTransform, 0);
    normalize(placeTransform.floats, ROTATION_WORD);
    parentFromLocal(out, placeTransform, 0);
    multiply(out, this.worldFromLocal([]), out);
    return out;
  }
  override primitiveOf(place: number): number {
    return this.#primitives[place] ?? NO_ID;
  }

  override register(world: World): void {
    super.register(world);
    world.updates.placeBytes += this.#byteLength;
    this.#addNodes(world.updates);
  }

  override unregister(): void {
    const { updates } = this;
    if (updates) {
      updates.placeBytes -= this.#byteLength;
      this.#dropNodes(updates, 0);
    }
    this.#isFlagged = false;
    this.#colors?.forget();
    super.unregister();
  }

  /** @internal Per frame in which the component is flagged: sends new nodes, and the places that have changed. */
  sendPlaces(writer: StreamWriter): void {
    const { nodes } = this.shown;
    for (; this.#sentNodes < this.#nodeCount; this.#sentNodes++) {
      writeWords(writer, RenderOpcode.createNode, 2, nodes[this.#sentNodes], this.node);
    }
    this.shown.send(writer);
  }

  /** @internal After `sendPlaces` and the primitives: sends changed colours. */
  sendColors(writer: StreamWriter): void {
    this.#isFlagged = false;
    this.#colors?.send(writer, this.#primitives);
  }

  /** @internal Marks everything as unsent, for another stream. */
  forgetSent(updates: SceneUpdates): void {
    this.#sentNodes = this.#sentPrimitives = 0;
    this.shown.markAll();
    this.#colors?.forget();
    this.#flag(updates);
  }

  override get primitiveFlags(): number {
    return super.primitiveFlags | (this.#colors ? PrimitiveFlag.colored : 0);
  }

  override sendPrimitives(updates: SceneUpdates, geometryId: number, materialId: number): void {
    const primitives = this.#primitives;
    if (this.useShapes(updates) || geometryId !== this.#sentGeometryId) this.#sentPrimitives = 0;
    else this.updatePrimitives(updates, materialId);
    this.#sentGeometryId = geometryId;
    for (; this.#sentPrimitives < this.#count; this.#sentPrimitives++) {
      const place = this.#sentPrimitives;
      primitives[place] ??= updates.primitives.allocate();
      const node = this.shown.nodes[place] as number;
      this.sendPrimitive(updates, primitives[place], node, geometryId, materialId);
    }
    this.sendOccluder(updates, primitives);
  }

  override updatePrimitives(updates: SceneUpdates, materialId: number): void {
    for (let place = 0; place < this.#sentPrimitives; place++) {
      this.updatePrimitive(updates, this.#primitives[place] as number, materialId);
    }
  }

  override destroyPrimitives(updates: SceneUpdates): void {
    this.releaseShapes(updates);
    this.#dropPrimitives(updates, 0);
    this.#sentGeometryId = -1;
  }

  /** Bytes of the page's arrays without colours, and of their copies as of the last touch. */
  get #byteLength(): number {
    return this.#arrays.reduce((sum, { byteLength }) => sum + byteLength, this.shown.byteLength);
  }

  #resize(count: number): void {
    this.#arrays = [3, 4, 3].map((size, index) => {
      const array = allocateShared(Float32Array, count * size).fill(index >> 1);
      if (index === 1) for (let w = 3; w < array.length; w += 4) array[w] = 1;
      array.set(this.#arrays[index]?.subarray(0, array.length) ?? NONE);
      return array;
    });
    this.shown.resize(count);
    this.#colors?.resize(count);
    this.#count = count;
  }

  #addNodes({ transforms }: SceneUpdates): void {
    const first = this.#nodeCount;
    const { nodes } = this.shown;
    for (; this.#nodeCount < this.#count; this.#nodeCount++) nodes[this.#nodeCount] = transforms.allocateId();
    this.touch(first);
  }

  #dropNodes({ destroyedNodes, transforms }: SceneUpdates, count: number): void {
    const { nodes } = this.shown;
    for (let place = count; place < this.#nodeCount; place++) {
      const node = nodes[place] as number;
      if (place < this.#sentNodes) destroyedNodes.push(node);
      else transforms.free(node);
    }
    this.#nodeCount = Math.min(this.#nodeCount, count);
    this.#sentNodes = Math.min(this.#sentNodes, count);
  }

  #dropPrimitives({ destroyedPrimitives, primitives: ids }: SceneUpdates, count: number): void {
    const primitives = this.#primitives;
    for (let place = count; place < primitives.length; place++) {
      const primitive = primitives[place] as number;
      if (place < this.#sentPrimitives) destroyedPrimitives.push(primitive);
      else ids.free(primitive);
    }
    primitives.length = Math.min(primitives.length, count);
    this.#sentPrimitives = Math.min(this.#sentPrimitives, count);
  }
}
