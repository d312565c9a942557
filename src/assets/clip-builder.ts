/**
 * The animations of a file as clips: tracks of times and values, packed as `proxy/clip.ts` says. A channel of a node that is not
 * in the scene, or of what nothing here can move, is left out, the latter with a warning.
 *
 *   channel { node, path } ─┐
 *   sampler { input, output, interpolation } ─┴─► track │ times │ values
 */
import type { Animation, AnimationChannel, AnimationSampler, Document } from '@gltf-transform/core';
import { ClipPath, PATH_SIZES, pathWord, TRACK_WORDS } from '../proxy/clip.js';
import { Interpolation } from '../proxy/interpolate.js';
import { type ClipDescription, type NodeDescription, placeCount } from '../proxy/scene-description.js';
import { accessorFloats } from './accessor-floats.js';
import { invalidGltf } from './asset-error.js';
import type { BuiltNodes } from './node-builder.js';

const PATHS: Readonly<Record<string, 0 | 1 | 2 | 3>> = {
  translation: ClipPath.position,
  rotation: ClipPath.rotation,
  scale: ClipPath.scale,
  weights: ClipPath.weights,
};

const INTERPOLATIONS: Readonly<Record<string, number>> = {
  LINEAR: Interpolation.linear,
  STEP: Interpolation.step,
  CUBICSPLINE: Interpolation.cubic,
};

/** @param onWork called between pieces of long work */
export function buildClips(
  document: Document,
  { nodes, indexOf }: BuiltNodes,
  file: string,
  warnings: string[],
  onWork: () => void,
): ClipDescription[] {
  return document
    .getRoot()
    .listAnimations()
    .map((animation, index) => {
      onWork();
      return buildClip(animation, `animations[${index}]`, { nodes, indexOf }, file, warnings);
    });
}

function buildClip(
  animation: Animation,
  place: string,
  built: BuiltNodes,
  file: string,
  warnings: string[],
): ClipDescription {
  const samplers = animation.listSamplers();
  const packer = new TrackPacker();
  animation.listChannels().forEach((channel, index) => {
    const at = `${place}.channels[${index}]`;
    const track = readTrack(channel, samplers, place, at, built, file, warnings);
    if (track) packer.add(track);
  });
  return { name: String(animation.getName() || place), ...packer.finish() };
}

interface Track {
  readonly node: number;
  readonly path: 0 | 1 | 2 | 3;
  /** Numbers per key. */
  readonly size: number;
  /** How many parts of the node it drives, each of which has a track. */
  readonly parts: number;
  readonly interpolation: number;
  readonly times: Float32Array;
  readonly values: Float32Array;
}

function readTrack(
  channel: AnimationChannel,
  samplers: readonly AnimationSampler[],
  clip: string,
  place: string,
  { nodes, indexOf }: BuiltNodes,
  file: string,
  warnings: string[],
): Track | null {
  const target = channel.getTargetNode();
  const targetPath = String(channel.getTargetPath());
  const sampler = channel.getSampler();
  const node = target ? indexOf.get(target) : undefined;
  const path = PATHS[targetPath];
  if (path === undefined) {
    warnings.push(
      `"${file}", ${place}: It moves "${targetPath}", which is not supported; that stays as it is.`,
    );
    return null;
  }
  // Without a target an extension may say what moves; nodes of other scenes are not shown.
  if (node === undefined || !sampler) return null;
  const samplerPlace = `${clip}.samplers[${samplers.indexOf(sampler)}]`;
  const times = readAccessor(sampler, 'input', [1], file, samplerPlace);
  const isWeights = path === ClipPath.weights;
  const targets = nodes[node]?.weights?.length ?? 0;
  // A mesh without targets has no weights that could be moved.
  if (isWeights && targets === 0) return null;
  const size = isWeights ? targets : PATH_SIZES[path];
  const values = readAccessor(sampler, 'output', [isWeights ? 1 : size], file, samplerPlace);
  const interpolation = INTERPOLATIONS[String(sampler.getInterpolation())];
  if (interpolation === undefined) {
    throw invalidGltf(file, `${samplerPlace}.interpolation`, 'It should be LINEAR, STEP or CUBICSPLINE.');
  }
  checkTimes(times, file, `${samplerPlace}.input`);
  const perKey = size * (interpolation === Interpolation.cubic ? 3 : 1);
  if (values.length !== times.length * perKey) {
    throw invalidGltf(
      file,
      `${samplerPlace}.output`,
      `It has ${values.length} numbers; ${times.length} keys of ${perKey} are ${times.length * perKey}.`,
    );
  }
  if (!values.every(Number.isFinite))
    throw invalidGltf(file, `${samplerPlace}.output`, 'It has a number that is not finite.');
  return { node, path, size, parts: isWeights ? partsOf(nodes[node]) : 1, interpolation, times, values };
}

/** Each primitive, in each place where the node shows it, has weights of its own. */
function partsOf(node: NodeDescription | undefined): number {
  return node ? node.primitives.length * placeCount(node) : 0;
}

function readAccessor(
  sampler: AnimationSampler,
  name: 'input' | 'output',
  sizes: readonly number[],
  file: string,
  place: string,
): Float32Array {
  const accessor = name === 'input' ? sampler.getInput() : sampler.getOutput();
  if (!accessor) throw invalidGltf(file, `${place}.${name}`, 'It should name an accessor.');
  return accessorFloats(accessor, sizes, file, `${place}.${name}`);
}

function checkTimes(times: Float32Array, file: string, place: string): void {
  if (times.length === 0) throw invalidGltf(file, place, 'It has no keys.');
  for (let key = 0; key < times.length; key++) {
    const time = times[key] as number;
    const isLater = key === 0 ? time >= 0 : time > (times[key - 1] as number);
    if (Number.isFinite(time) && isLater) continue;
    throw invalidGltf(file, place, `Key ${key} is at ${time} s; times should be finite, from 0, and rise.`);
  }
}

/** Puts tracks side by side; samplers that several share are held once. */
class TrackPacker {
  readonly #nodes: number[] = [];
  readonly #tracks: number[] = [];
  readonly #arrays = new Map<Float32Array, number>();
  #length = 0;
  #duration = 0;

  add({ node, path, size, parts, interpolation, times, values }: Track): void {
    const keys = [interpolation, times.length, this.#place(times), this.#place(values)];
    for (let part = 0; part < parts; part++) {
      this.#nodes.push(node);
      this.#tracks.push(pathWord(path, size), ...keys);
    }
    this.#duration = Math.max(this.#duration, times.at(-1) as number);
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
