/**
 * Builds the animations of a file as clips. A clip has tracks of times and values, packed as in `proxy/motion/clip.ts`.
 * Channels of nodes outside of the scene are left out. Channels with unsupported targets or without usable keys are
 * left out with a warning.
 *
 *   channel { node, path } ─┐
 *   sampler { input, output, interpolation } ─┴─► track │ times │ values
 */
import type { Animation, AnimationChannel, AnimationSampler, Document } from '@gltf-transform/core';
import { PATH_SIZES } from '../../proxy/motion/clip.js';
import { ClipPath, pathWord, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import { Interpolation } from '../../proxy/motion/interpolate.js';
import { type ClipDescription, type NodeDescription, placeCount } from '../../proxy/scene-description.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { extensionOf, type JsonObject, textOf } from '../gltf/gltf-checks.js';
import { accessorFloats } from './accessor-floats.js';
import { KeyFaults, soundKeys } from './clip-keys.js';
import type { BuiltNodes } from './node-builder.js';
import { type PointerScene, pointerTarget } from './pointer-targets.js';

const POINTER = 'KHR_animation_pointer';

const PATHS: ReadonlyMap<string, 0 | 1 | 2 | 3> = new Map([
  ['translation', ClipPath.position],
  ['rotation', ClipPath.rotation],
  ['scale', ClipPath.scale],
  ['weights', ClipPath.weights],
]);

const INTERPOLATIONS: ReadonlyMap<string, number> = new Map([
  ['LINEAR', Interpolation.linear],
  ['STEP', Interpolation.step],
  ['CUBICSPLINE', Interpolation.cubic],
]);

/** The inputs of the clip builder. */
interface ClipContext {
  readonly built: BuiltNodes;
  readonly file: string;
  readonly warnings: string[];
  readonly pointers: PointerScene;
}

/** Builds all clips of a file. @param onWork called before each clip */
export function buildClips(document: Document, context: ClipContext, onWork: () => void): ClipDescription[] {
  return document
    .getRoot()
    .listAnimations()
    .map((animation, index) => {
      onWork();
      return buildClip(animation, index, context);
    });
}

function buildClip(animation: Animation, index: number, context: ClipContext): ClipDescription {
  const jsonPath = `animations[${index}]`;
  const packer = new TrackPacker();
  const samplers = animation.listSamplers();
  const faults = new KeyFaults(context.file, context.warnings);
  animation.listChannels().forEach((channel, number) => {
    const at = `${jsonPath}.channels[${number}]`;
    const sampler = channel.getSampler();
    // `gltf-optional.ts` has removed a faulty sampler with a warning.
    if (!sampler) return;
    const aim = aimOf(channel, at, pointerOf(context.pointers, index, number), context);
    if (!aim || aim.targets.length === 0) return;
    const from = `${jsonPath}.samplers[${samplers.indexOf(sampler)}]`;
    const keys = orWarn(context.warnings, 'The animated value stays unchanged.', null, () =>
      readKeys(sampler, aim, from, context.file, faults),
    );
    if (keys) packer.add(aim, keys);
  });
  faults.addWarnings();
  return { name: String(animation.getName() || jsonPath), ...packer.finish() };
}

/** The numbers that a channel animates. */
interface Aim {
  /** Value of `ClipPath`. */
  readonly path: number;
  /** Nodes or materials. Each entry gets a track. A node with weights has one entry per primitive and instance. */
  readonly targets: readonly number[];
  /** Numbers per key. */
  readonly size: number;
  /** Index of the first animated number among the target's properties. */
  readonly first: number;
  /** Factor on the file's numbers. */
  readonly factor: number;
}

interface Keys {
  readonly interpolation: number;
  readonly times: Float32Array;
  readonly values: Float32Array;
}

/** Returns the target of a channel; null if the scene lacks it, or if it is unsupported, which adds a warning. */
function aimOf(
  channel: AnimationChannel,
  jsonPath: string,
  pointer: string | undefined,
  { built: { nodes, indexOf }, file, warnings, pointers }: ClipContext,
): Aim | null {
  if (pointer !== undefined) {
    const found = pointerTarget(pointer, pointers);
    if (found === undefined) {
      warnings.push(
        `"${file}", ${jsonPath}: It animates "${pointer}", which is not supported. That value stays unchanged.`,
      );
    }
    return found ?? null;
  }
  const target = channel.getTargetNode();
  const targetPath = textOf(channel.getTargetPath());
  const node = target ? indexOf.get(target) : undefined;
  const path = PATHS.get(targetPath);
  if (path === undefined) {
    warnings.push(
      `"${file}", ${jsonPath}: It animates "${targetPath}", which is not supported. That value stays unchanged.`,
    );
    return null;
  }
  // Nodes of other scenes are not shown.
  if (node === undefined) return null;
  if (path !== ClipPath.weights)
    return { path, targets: [node], size: PATH_SIZES[path], first: 0, factor: 1 };
  // A mesh without morph targets has no weights to animate.
  const size = nodes[node]?.weights?.length ?? 0;
  const targets = size > 0 ? new Array<number>(partsOf(nodes[node])).fill(node) : [];
  return { path, targets, size, first: 0, factor: 1 };
}

/** Reads a channel's pointer from the JSON, because the document drops extensions of channels. */
function pointerOf({ checks, json }: PointerScene, animation: number, channel: number): string | undefined {
  const jsonPath = `animations[${animation}]`;
  const channels = checks.objects(checks.objects(json, 'animations')[animation] ?? {}, 'channels', jsonPath);
  const target = channels[channel]?.target as JsonObject | undefined;
  const at = `${jsonPath}.channels[${channel}].target.extensions.${POINTER}`;
  const { pointer } = extensionOf(target, POINTER, at, checks) ?? {};
  return pointer === undefined ? undefined : textOf(pointer);
}

/** Reads the keys of a sampler. @throws AssetError if it has no usable keys */
function readKeys(
  sampler: AnimationSampler,
  { path, size, factor }: Aim,
  jsonPath: string,
  file: string,
  faults: KeyFaults,
): Keys {
  const times = readAccessor(sampler, 'input', [1], file, jsonPath);
  const given = readAccessor(sampler, 'output', [path === ClipPath.weights ? 1 : size], file, jsonPath);
  const values = factor === 1 ? given : given.map((value) => value * factor);
  const interpolation = interpolationOf(sampler, path, jsonPath, faults);
  const perKey = size * (interpolation === Interpolation.cubic ? 3 : 1);
  if (values.length !== times.length * perKey) {
    throw invalidGltf(
      file,
      `${jsonPath}.output`,
      `It has ${values.length} numbers; ${times.length} keys of ${perKey} numbers need ${times.length * perKey}.`,
    );
  }
  const keys = soundKeys(times, values, perKey, jsonPath, faults);
  if (keys.times.length === 0) throw invalidGltf(file, `${jsonPath}.input`, 'It has no keys.');
  return {
    interpolation,
    times: keys.times,
    values: path === ClipPath.rotation ? turnsOf(keys.values, perKey) : keys.values,
  };
}

function interpolationOf(
  sampler: AnimationSampler,
  path: number,
  jsonPath: string,
  faults: KeyFaults,
): number {
  const interpolation = INTERPOLATIONS.get(textOf(sampler.getInterpolation()));
  if (path === ClipPath.visibility && interpolation !== Interpolation.step) {
    faults.add(`${jsonPath}.interpolation`, 'Visibility has no values in between, so STEP is used.');
    return Interpolation.step;
  }
  if (interpolation === undefined)
    faults.add(`${jsonPath}.interpolation`, 'It should be LINEAR, STEP or CUBICSPLINE; LINEAR is used.');
  return interpolation ?? Interpolation.linear;
}

/**
 * Replaces rotations of four zeros with the identity, as other loaders do. A cubic key has three parts: tangent, value,
 * tangent. The value is in the middle.
 */
function turnsOf(values: Float32Array, perKey: number): Float32Array {
  let turns = values;
  for (let at = (perKey - 4) / 2; at < values.length; at += perKey) {
    if (turns.subarray(at, at + 4).some((value) => value !== 0)) continue;
    // Copy the array before the first change, because other channels may share it.
    if (turns === values) turns = values.slice();
    turns[at + 3] = 1;
  }
  return turns;
}

/** Returns how many sets of weights a node has: one per primitive and instance. */
function partsOf(node: NodeDescription | undefined): number {
  return node ? node.primitives.length * placeCount(node) : 0;
}

function readAccessor(
  sampler: AnimationSampler,
  name: 'input' | 'output',
  sizes: readonly number[],
  file: string,
  jsonPath: string,
): Float32Array {
  const accessor = name === 'input' ? sampler.getInput() : sampler.getOutput();
  if (!accessor) throw invalidGltf(file, `${jsonPath}.${name}`, 'It should name an accessor.');
  return accessorFloats(accessor, sizes, file, `${jsonPath}.${name}`);
}

/** Packs tracks into arrays. Times and values that several tracks share are stored once. */
class TrackPacker {
  readonly #nodes: number[] = [];
  readonly #tracks: number[] = [];
  readonly #arrays = new Map<Float32Array, number>();
  #length = 0;
  #duration = 0;

  add({ path, targets, size, first }: Aim, { interpolation, times, values }: Keys): void {
    const keys = [interpolation, times.length, this.#place(times), this.#place(values)];
    for (const target of targets) {
      this.#nodes.push(target);
      this.#tracks.push(pathWord(path, size, first), ...keys);
    }
    this.#duration = Math.max(this.#duration, times.at(-1) ?? 0);
  }

  finish(): Omit<ClipDescription, 'name'> {
    const floats = new Float32Array(this.#length);
    for (const [array, at] of this.#arrays) floats.set(array, at);
    const tracks = new Uint32Array(this.#tracks);
    if (tracks.length !== this.#nodes.length * TRACK_WORDS) throw new Error('tracks and nodes differ');
    return { duration: this.#duration, nodes: this.#nodes, tracks, floats };
  }

  #place(array: Float32Array): number {
    const known = this.#arrays.get(array);
    if (known !== undefined) return known;
    const at = this.#length;
    this.#arrays.set(array, at);
    this.#length += array.length;
    return at;
  }
}
