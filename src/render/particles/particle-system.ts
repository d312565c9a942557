import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphBuffer, GraphBufferDescriptor } from '../../graph/graph-pass.js';
import { ParticleFlag, ParticleNumber, TICKS_PER_SECOND } from '../../proxy/particles.js';
import {
  type BindGroupEntry,
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
} from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { Scene } from '../scene/scene.js';
import { BirthWindow } from './birth-window.js';
import { Collision, GpuParticleSystem, PARTICLE_BYTES } from './gpu-particles.js';
import type { KeptDepth } from './kept-depth.js';
import type { ParticlePipelines } from './particle-pipelines.js';

const { at, words: WORDS } = GpuParticleSystem;
/** Maximum distance of source and anchor along an axis, in metres. Beyond it, the anchor moves to the source. */
const ANCHOR_REACH = 1024;
/** Words of a row of a matrix. */
const ROW = 4;

/**
 * One system of particles: its settings, the births, and its buffers. Positions on the GPU are relative to the
 * *anchor*, a point near the source, so that they are precise anywhere in the world.
 *
 *   emissions ─► BirthWindow ─► births (ticks), `ParticleSystem` ─► simulation ─► particles ─► drawing
 */
export class ParticleSystem {
  readonly births: BirthWindow;
  material = 0;
  /** One bit per layer. */
  layers = 0;
  /** Bits of `ParticleFlag`. */
  flags = 0;
  /** Newest version of the particles in this frame's graph. */
  version!: GraphBuffer;
  /** Number of particles that the simulation visits in this frame. */
  simulated = 0;
  /** Whether no frame has prepared the system yet. */
  isNew = true;
  readonly #rhi: ImmediateContext;
  readonly #descriptor: GraphBufferDescriptor;
  /** Maximum number of particles at a time. */
  readonly capacity: number;
  isDisposed = false;
  readonly #floats = new Float32Array(WORDS);
  readonly #words = new Uint32Array(this.#floats.buffer);
  #node = 0;
  #life = 0;
  #planeDistance = 0;
  /** Metres, in the world. */
  readonly #anchor = new Float64Array(3);
  /** Scene time of the last frame. */
  #seconds = 0;
  #particles: BufferHandle | undefined;
  #ticks: BufferHandle | undefined;
  #uniforms: BufferHandle | undefined;
  #simulation: BindGroupHandle | undefined;
  #drawing: BindGroupHandle | undefined;

  /** @param name name of the particles in the graph */
  constructor(rhi: ImmediateContext, name: string, capacity: number, seed: number) {
    this.#rhi = rhi;
    this.capacity = capacity;
    this.#descriptor = { name, byteLength: capacity * PARTICLE_BYTES };
    this.births = new BirthWindow(capacity);
    this.#words[at.capacity] = capacity;
    this.#words[at.seed] = seed;
  }

  /** Bind group of the simulation. */
  get simulation(): BindGroupHandle {
    return this.#simulation as BindGroupHandle;
  }
  /** Bind group 1 of the drawing. */
  get drawing(): BindGroupHandle {
    return this.#drawing as BindGroupHandle;
  }
  /** Entries of bind groups that read the system. */
  get entries(): readonly BindGroupEntry[] {
    return [
      { binding: 0, buffer: this.#uniforms as BufferHandle },
      { binding: 1, buffer: this.#particles as BufferHandle },
      { binding: 2, buffer: this.#ticks as BufferHandle },
    ];
  }
  get name(): string {
    return this.#descriptor.name;
  }
  get isTextured(): boolean {
    return (this.flags & ParticleFlag.textured) !== 0;
  }
  get isSorted(): boolean {
    return (this.flags & ParticleFlag.sorted) !== 0;
  }
  /** Whether particles fade near the surfaces behind them. */
  get isSoft(): boolean {
    return (this.#floats[at.softness] as number) > 0;
  }
  get collision(): Collision {
    if ((this.flags & ParticleFlag.collides) === 0) return Collision.none;
    return this.flags & ParticleFlag.againstDepth ? Collision.surfaces : Collision.plane;
  }
  get isVisible(): boolean {
    return (this.flags & ParticleFlag.visible) !== 0;
  }
  /** Returns whether a view with these layers draws the system: before glass if `isBehindGlass`, otherwise after it. */
  isIn(layers: number, isBehindGlass: boolean): boolean {
    const isBehind = (this.flags & ParticleFlag.behindGlass) !== 0;
    return this.isVisible && isBehind === isBehindGlass && (this.layers & layers) !== 0;
  }

  /** Reads the settings of a `setParticles`, the reader's current record. */
  set({ words, floats, fields }: StreamReader): void {
    this.#node = words[fields + 1] as number;
    this.material = words[fields + 2] as number;
    this.flags = words[fields + 3] as number;
    this.layers = words[fields + 6] as number;
    const numbers = fields + 8;
    const target = this.#floats;
    copy(floats, numbers + ParticleNumber.velocity, 3, target, at.velocity);
    copy(floats, numbers + ParticleNumber.spread, 1, target, at.spread);
    copy(floats, numbers + ParticleNumber.gravity, 3, target, at.gravity);
    copy(floats, numbers + ParticleNumber.drag, 1, target, at.drag);
    copy(floats, numbers + ParticleNumber.source, 3, target, at.source);
    copy(floats, numbers + ParticleNumber.planeNormal, 3, target, at.planeNormal);
    copy(floats, numbers + ParticleNumber.bounce, 1, target, at.bounce);
    copy(floats, numbers + ParticleNumber.friction, 1, target, at.friction);
    copy(floats, numbers + ParticleNumber.lifeLeast, 2, target, at.lifeLeast);
    copy(floats, numbers + ParticleNumber.intensity, 1, target, at.intensity);
    copy(floats, numbers + ParticleNumber.softness, 1, target, at.softness);
    copy(floats, numbers + ParticleNumber.thickness, 1, target, at.thickness);
    this.#words[at.shape] = floats[numbers + ParticleNumber.shape] as number;
    this.#planeDistance = floats[numbers + ParticleNumber.planeDistance] as number;
    this.#life = floats[numbers + ParticleNumber.lifeMost] as number;
    const sizes = numbers + ParticleNumber.count;
    const sizeCount = (words[sizes] as number) / 2;
    for (let stop = 0; stop < sizeCount; stop++) {
      copy(floats, sizes + 1 + stop * 2, 2, target, at.stops + stop * 4 + 1);
    }
    const colors = sizes + 1 + sizeCount * 2;
    const colorCount = (words[colors] as number) / 5;
    for (let stop = 0; stop < colorCount; stop++) {
      copy(floats, colors + 1 + stop * 5, 1, target, at.stops + stop * 4);
      copy(floats, colors + 2 + stop * 5, 4, target, at.colors + stop * 4);
    }
    this.#words[at.sizeCount] = sizeCount;
    this.#words[at.colorCount] = colorCount;
  }

  /**
   * Per frame, outside passes: computes the births, and uploads them with the settings.
   * @param seconds scene time
   * @param depth depth of the last frame, if it is valid
   */
  prepare(
    seconds: number,
    { nodes, renderOrigin }: Scene,
    pipelines: ParticlePipelines,
    depth: KeptDepth | undefined,
  ): void {
    const { births } = this;
    births.update(seconds, this.#life);
    if (this.isNew) this.#create(pipelines);
    const hasMoved = this.#placeSource(nodes.world, this.#node * 12);
    this.isNew = false;
    const { count, newborn } = births;
    const { collision } = this;
    this.simulated = count > 0 && (collision !== Collision.none || hasMoved) ? count : newborn;
    const elapsed = Math.max(seconds - this.#seconds, 0);
    this.#seconds = seconds;
    if (count === 0) return;
    const words = this.#words;
    words[at.now] = Math.floor(seconds * TICKS_PER_SECOND);
    words[at.frameTicks] = Math.min(Math.floor(elapsed * TICKS_PER_SECOND), 2 ** 31);
    words[at.firstSlot] = births.first % this.capacity;
    words[at.firstBirth] = births.first;
    words[at.count] = count;
    words[at.newborn] = newborn;
    words[at.simulated] = this.simulated;
    const anchor = this.#anchor;
    const floats = this.#floats;
    let distance = this.#planeDistance;
    for (let axis = 0; axis < 3; axis++) {
      const place = anchor[axis] as number;
      floats[at.toOrigin + axis] = place - (renderOrigin[axis] as number);
      distance -= place * (floats[at.planeNormal + axis] as number);
    }
    floats[at.planeDistance] = distance;
    if (depth && collision === Collision.surfaces) depth.writeTo(anchor, floats, words);
    writeWordsUnordered(this.#rhi.writer, this.#uniforms as BufferHandle, 0, words, 0, WORDS);
    this.#uploadBirths();
  }

  /** Returns a coordinate of the anchor, relative to the render origin, in this frame. */
  toOrigin(axis: number): number {
    return this.#floats[at.toOrigin + axis] as number;
  }

  /** Per frame, after `prepare`: imports the particles. */
  addTo(graph: FrameGraph): void {
    this.version = graph.importBuffer(this.#descriptor, this.#particles as BufferHandle);
  }

  dispose(): void {
    this.isDisposed = true;
    const rhi = this.#rhi;
    for (const group of [this.#simulation, this.#drawing]) rhi.destroy(group);
    for (const buffer of [this.#particles, this.#ticks, this.#uniforms]) rhi.destroy(buffer);
    this.#simulation = this.#drawing = undefined;
    this.#particles = this.#ticks = this.#uniforms = undefined;
  }

  #create(pipelines: ParticlePipelines): void {
    const rhi = this.#rhi;
    const label = this.#descriptor.name;
    const { storage, copyTarget, uniform } = BufferUsage;
    const particles = rhi.createBuffer({ label, byteLength: this.#descriptor.byteLength, usage: storage });
    const ticks = rhi.createBuffer({
      label: `${label}, births`,
      byteLength: this.capacity * 4,
      usage: storage | copyTarget,
    });
    const uniforms = rhi.createBuffer({
      label: `${label}, settings`,
      byteLength: GpuParticleSystem.byteLength,
      usage: uniform | copyTarget,
    });
    this.#particles = particles;
    this.#ticks = ticks;
    this.#uniforms = uniforms;
    const { entries } = this;
    this.#simulation = rhi.createBindGroup({ label, layout: pipelines.simulationLayout, entries });
    this.#drawing = rhi.createBindGroup({ label, layout: pipelines.drawingLayout, entries });
  }

  /**
   * Writes the source's matrix, relative to the anchor. Moves the anchor first if the source is too far from it.
   * @param world matrices of nodes @param first index of the source's matrix
   * @returns whether the anchor has moved
   */
  #placeSource(world: Float64Array, first: number): boolean {
    const floats = this.#floats;
    const anchor = this.#anchor;
    const { sourceNow, sourceBefore, shift } = at;
    floats.copyWithin(sourceBefore, sourceNow, sourceNow + 3 * ROW);
    let isFar = this.isNew;
    for (let axis = 0; axis < 3; axis++) {
      const place = world[first + axis * ROW + 3] as number;
      isFar ||= Math.abs(place - (anchor[axis] as number)) > ANCHOR_REACH;
    }
    for (let axis = 0; axis < 3; axis++) {
      const row = first + axis * ROW;
      const place = world[row + 3] as number;
      const moved = isFar ? (anchor[axis] as number) - place : 0;
      floats[shift + axis] = moved;
      if (isFar) anchor[axis] = place;
      const now = sourceNow + axis * ROW;
      for (let column = 0; column < 3; column++) floats[now + column] = world[row + column] as number;
      floats[now + 3] = place - (anchor[axis] as number);
      const before = sourceBefore + axis * ROW + 3;
      floats[before] = (floats[before] as number) + moved;
    }
    if (this.isNew) floats.copyWithin(sourceBefore, sourceNow, sourceNow + 3 * ROW);
    return isFar && !this.isNew;
  }

  /** Uploads the ticks of new particles. Their slots may continue at the start of the ring. */
  #uploadBirths(): void {
    const { ticks, next, newborn } = this.births;
    const { capacity } = this;
    if (newborn === 0) return;
    const { writer } = this.#rhi;
    const buffer = this.#ticks as BufferHandle;
    const begin = (next - newborn) % capacity;
    const end = Math.min(begin + newborn, capacity);
    writeWordsUnordered(writer, buffer, begin * 4, ticks, begin, end);
    const rest = newborn - (end - begin);
    if (rest > 0) writeWordsUnordered(writer, buffer, 0, ticks, 0, rest);
  }
}

/** Copies numbers without a temporary view. */
function copy(source: Float32Array, from: number, count: number, target: Float32Array, to: number): void {
  for (let index = 0; index < count; index++) target[to + index] = source[from + index] as number;
}
