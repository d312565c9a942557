/**
 * Light from all around, the game's side: which environment there is, and how it lies.
 *
 *   setEnvironment ─► image: fetched and decoded in the asset worker ─┐
 *                     studio, sky: computed on the GPU ───────────────┴─► with the next update ─► render thread
 *
 * The decoded image is kept, so that it can be sent again after a device was lost.
 */

import { OptionError } from '../../core/errors.js';
import { checkNames, fillOptions } from '../../core/options/check-options.js';
import { checkSignal, checkVector } from '../../core/options/check-value.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, numberFrom, optional } from '../../core/options/members.js';
import { EnvironmentKind, RenderOpcode } from '../../proxy/commands.js';
import {
  type CubePictures,
  ENVIRONMENT_FORMATS,
  type EnvironmentImage,
  type LevelEnvironment,
} from '../../proxy/scene-description.js';
import { assetSource } from '../loading/asset-source.js';
import type { LoadEnvironment } from '../loading/load-queue.js';
import { nameOfSource } from '../loading/source-name.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { encodeText, type Outlet, writeText } from '../updates/write-record.js';

/**
 * An `.hdr` or `.ktx2` file, by URL, as a file or as bytes; what a loaded file brings (`level.environment`); `studio` or `sky`, which are
 * computed; null: none.
 */
export type EnvironmentSource =
  | string
  | URL
  | File
  | ArrayBuffer
  | LevelEnvironment
  | 'studio'
  | 'sky'
  | null;

const WEIGHTED = {
  source: anything<EnvironmentSource>(),
  /** Factor on its radiance, from 0. Weights that sum up to 1 are a blend. */
  weight: numberFrom(0, 1e6),
};

/** One of several environments whose light is added up. */
export type WeightedEnvironment = Shaped<typeof WEIGHTED>;

const OPTIONS = {
  /** Factor on its radiance, from 0. Default 1. */
  intensity: byDefault(numberFrom(0, 1e30), 1),
  /** Radians around the Y axis, counter-clockwise seen from above. Default 0: the image's centre lies towards +X. */
  rotation: byDefault(numberFrom(-1e6, 1e6), 0),
  /** Whether it is seen behind the scene. Default false. */
  background: byDefault(boolean(), false),
  /** How blurred it is there: 0 sharp (default) to 1. */
  backgroundBlur: byDefault(numberFrom(0, 1), 0),
  /** Of `sky`: the way the sun's light travels, as of a directional light. Default [-1, -2, -1.5]. */
  sunDirection: optional(anything<VectorLike>()),
  /** Aborts the load: the promise rejects with the signal's reason. */
  signal: optional(anything<AbortSignal>()),
};

export type EnvironmentOptions = Shaped<typeof OPTIONS>;

/** A source, ready to be sent. */
interface Part {
  readonly kind: number;
  readonly weight: number;
  readonly label: string;
  readonly image: EnvironmentImage | null;
  /** Quaternion xyzw: from a direction to where the image shows what comes from there. */
  readonly rotation: readonly number[];
}

interface Settings {
  readonly parts: readonly Part[];
  readonly intensity: number;
  readonly rotation: number;
  readonly background: boolean;
  readonly backgroundBlur: number;
  readonly toSun: readonly number[];
}

const COMPUTED: Readonly<Record<string, number>> = {
  studio: EnvironmentKind.studio,
  sky: EnvironmentKind.sky,
};
/** Without the lists' entries. */
const SETTINGS_WORDS = 9;
/** That can be added up; each takes textures while it is made. */
const MOST_SOURCES = 8;
const UNTURNED = [0, 0, 0, 1];

export class EnvironmentUpdates {
  readonly #outlet: Outlet;
  readonly #load: LoadEnvironment;
  readonly #disposed: AbortSignal;
  #settings: Settings | null = null;
  #isDirty = false;
  /** Rises with each call: the last one counts, whatever is loaded first. */
  #calls = 0;

  constructor(outlet: Outlet, load: LoadEnvironment, disposed: AbortSignal) {
    this.#outlet = outlet;
    this.#load = load;
    this.#disposed = disposed;
  }

  /** Bytes kept to send the image again. */
  get retainedBytes(): number {
    const images = this.#settings?.parts.map(({ image }) => image?.data.byteLength ?? 0) ?? [];
    return images.reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * Resolves when the environment goes to the render thread with the next frame.
   *
   * @throws OptionError; AssetError; the signal's reason
   */
  async set(
    source: EnvironmentSource | readonly WeightedEnvironment[],
    options: EnvironmentOptions,
  ): Promise<void> {
    const settings = checkSettings(options);
    const sources = checkSources(source);
    const call = ++this.#calls;
    const signal = checkSignal('setEnvironment', options.signal);
    const ended = signal ? AbortSignal.any([signal, this.#disposed]) : this.#disposed;
    ended.throwIfAborted();
    // Nothing is there by halves: one that can't be loaded ends the others.
    const failure = new AbortController();
    const all = AbortSignal.any([ended, failure.signal]);
    try {
      const parts = await Promise.all(sources.map((each) => this.#read(each, all)));
      // A later call has set another one meanwhile.
      const seen = parts.filter(({ kind, weight }) => kind !== EnvironmentKind.none && weight > 0);
      if (call === this.#calls) this.#apply({ ...settings, parts: seen });
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  }

  async #read({ source, weight }: WeightedEnvironment, signal: AbortSignal): Promise<Part> {
    const computed = typeof source === 'string' ? COMPUTED[source] : undefined;
    const kind = source === null ? EnvironmentKind.none : computed;
    if (source === null || kind !== undefined) {
      return { kind: kind ?? EnvironmentKind.none, weight, label: '', image: null, rotation: UNTURNED };
    }
    const brought = broughtBy(source);
    if (brought) {
      const { name, intensity, rotation, faces, file, place } = brought;
      const pictures: CubePictures = { kind: 'environment-cube', name: file, place, faces };
      const image = await this.#load(pictures, { signal });
      return { kind: EnvironmentKind.image, weight: weight * intensity, label: name, image, rotation };
    }
    const file = checkSource(source);
    const image = await this.#load(assetSource(file), { signal });
    return { kind: EnvironmentKind.image, weight, label: nameOfSource(file), image, rotation: UNTURNED };
  }

  /** Per frame. */
  send(): void {
    const settings = this.#settings;
    if (!this.#isDirty || settings === null) return;
    this.#isDirty = false;
    const { writer } = this.#outlet;
    for (const part of settings.parts) if (part.image) this.#sendImage(part, part.image);
    const { parts } = settings;
    const count = parts.length;
    const at = writer.reserve(RenderOpcode.setEnvironment, SETTINGS_WORDS + 2 * count);
    const { words, floats } = writer;
    words[at] = Number(settings.background);
    floats[at + 1] = settings.backgroundBlur;
    floats[at + 2] = settings.intensity;
    floats[at + 3] = settings.rotation;
    floats.set(settings.toSun, at + 4);
    words[at + 7] = words[at + 8 + count] = count;
    for (const [index, { kind, weight }] of parts.entries()) {
      words[at + 8 + index] = kind;
      floats[at + 9 + count + index] = weight;
    }
  }

  /** Everything goes anew with the next update, into another stream. */
  resend(): void {
    this.#isDirty = this.#settings !== null;
  }

  #apply(settings: Settings): void {
    this.#settings = settings;
    this.#isDirty = true;
    this.#outlet.onChange();
  }

  #sendImage({ label, rotation }: Part, { data, width, height, faces, format }: EnvironmentImage): void {
    const { writer } = this.#outlet;
    const name = encodeText(label);
    const attachment = writer.attach(data.slice(0));
    const at = writer.reserveWithAttachment(RenderOpcode.setEnvironmentImage, 10 + ((name.length + 3) >> 2));
    const { words, floats } = writer;
    words[at] = attachment;
    words[at + 1] = width;
    words[at + 2] = height;
    words[at + 3] = faces;
    words[at + 4] = ENVIRONMENT_FORMATS.indexOf(format);
    floats.set(rotation, at + 5);
    writeText(words, at + 9, name);
  }
}

/** Null: the source is of another kind. */
function broughtBy(source: EnvironmentSource): LevelEnvironment | null {
  const isPlain = typeof source === 'object' && source !== null && 'faces' in source;
  return isPlain && Array.isArray(source.faces) ? source : null;
}

/** @throws OptionError */
function checkSource(source: EnvironmentSource): string | URL | File | ArrayBuffer {
  const isFile =
    source instanceof URL ||
    source instanceof Blob ||
    source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source);
  // An empty one would be the address of the page.
  const isMistyped = typeof source === 'string' && /^(s[a-z]{1,6})?$/i.test(source);
  if (isFile || (typeof source === 'string' && !isMistyped))
    return source as string | URL | File | ArrayBuffer;
  throw new OptionError(
    'option-invalid',
    `setEnvironment was given ${typeof source === 'string' ? `"${source}"` : String(source)}; it takes 'studio', 'sky', null, the environment of a level, or an .hdr or .ktx2 file by its URL, as a File or as an ArrayBuffer.`,
  );
}

/** One source is the only one, of weight 1. @throws OptionError */
function checkSources(
  source: EnvironmentSource | readonly WeightedEnvironment[],
): readonly WeightedEnvironment[] {
  if (!Array.isArray(source)) return [{ source: source as EnvironmentSource, weight: 1 }];
  const call = 'setEnvironment';
  if (source.length < 1 || source.length > MOST_SOURCES) {
    throw new OptionError(
      'option-out-of-range',
      `${call} was given ${source.length} environments; 1 to ${MOST_SOURCES} can be added up.`,
    );
  }
  return source.map((each: WeightedEnvironment, index) => {
    checkNames(`${call}, environment ${index}`, each, WEIGHTED);
    if (each.source === undefined)
      throw new OptionError('option-invalid', `${call}, environment ${index}: it has no source.`);
    const weight = checkMember(`${call}, environment ${index}`, 'weight', each.weight, WEIGHTED.weight);
    return { source: each.source, weight };
  });
}

function checkSettings(options: EnvironmentOptions): Omit<Settings, 'parts'> {
  const call = 'setEnvironment';
  const {
    intensity,
    rotation,
    background,
    backgroundBlur,
    sunDirection = [-1, -2, -1.5],
  } = fillOptions(call, options, OPTIONS);
  const [x, y, z] = checkVector(call, 'sunDirection', sunDirection, 3);
  const length = Math.hypot(x, y, z);
  if (!(length > 0 && length < Infinity)) {
    throw new OptionError(
      'option-invalid',
      `sunDirection of ${call} is [${x}, ${y}, ${z}]; it needs a length.`,
    );
  }
  return {
    intensity,
    rotation,
    background,
    backgroundBlur,
    toSun: [-x / length, -y / length, -z / length],
  };
}
