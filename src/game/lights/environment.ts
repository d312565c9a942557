/**
 * Image-based light on the game side: the environments in use, and their settings.
 *
 *   setEnvironment ─► image: fetched and decoded in the asset worker ─┐
 *                     studio, sky: computed on the GPU ───────────────┼─► with the next update ─► render thread
 *   setSky ─────────► atmosphere: computed on the GPU ────────────────┘
 *
 * Decoded images are kept, so that they can be sent again after a device was lost.
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
import type { SkySettings } from './sky.js';

/**
 * A value that `world.setEnvironment` takes: an `.hdr` or `.ktx2` file (by URL, as a file or as bytes), or the
 * environment of a loaded level (`level.environment`). `studio` and `sky` are computed on the GPU. `null` removes the
 * environment.
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
  /** Factor on the radiance of the source, from 0. Weights that add up to 1 blend the sources. */
  weight: numberFrom(0, 1e6),
};

/** One of several environments whose light is added up. */
export type WeightedEnvironment = Shaped<typeof WEIGHTED>;

const OPTIONS = {
  /** Factor on the radiance of the environment, from 0. Default 1. */
  intensity: byDefault(numberFrom(0, 1e30), 1),
  /**
   * Radians around the Y axis, counter-clockwise seen from above. Default 0: the image's centre lies towards
   * +X.
   */
  rotation: byDefault(numberFrom(-1e6, 1e6), 0),
  /** Whether the environment is shown as the background. Default false. */
  background: byDefault(boolean(), false),
  /** Blur of the background: 0 sharp (default) to 1. */
  backgroundBlur: byDefault(numberFrom(0, 1), 0),
  /**
   * For `sky`: the direction in which the sun's light travels, as for a directional light. Default [-1, -2,
   * -1.5].
   */
  sunDirection: optional(anything<VectorLike>()),
  /** Aborts the load: the promise rejects with the signal's reason. */
  signal: optional(anything<AbortSignal>()),
};

export type EnvironmentOptions = Shaped<typeof OPTIONS>;

/** A source that is ready to be sent. */
interface Part {
  readonly kind: number;
  readonly weight: number;
  readonly label: string;
  readonly image: EnvironmentImage | null;
  /** Quaternion xyzw that rotates a direction in the world to its direction in the image. */
  readonly rotation: readonly number[];
}

interface Settings {
  readonly parts: readonly Part[];
  readonly intensity: number;
  readonly rotation: number;
  readonly background: boolean;
  readonly backgroundBlur: number;
  readonly toSun: readonly number[];
  /** Set if one of the parts is an atmosphere. */
  readonly sky?: SkySettings;
}

const COMPUTED: Readonly<Record<string, number>> = {
  studio: EnvironmentKind.studio,
  sky: EnvironmentKind.sky,
};
/** Words of the record without the entries of its lists. */
const SETTINGS_WORDS = 9;
/** Maximum number of environments that are added up; each needs textures during its creation. */
const MAXIMUM_SOURCES = 8;
const IDENTITY_ROTATION = [0, 0, 0, 1];

export class EnvironmentUpdates {
  readonly #outlet: Outlet;
  readonly #load: LoadEnvironment;
  readonly #disposed: AbortSignal;
  #settings: Settings | null = null;
  #isDirty = false;
  /** Number of calls of `set` so far. Only the last call takes effect, in whatever order the images are loaded. */
  #calls = 0;

  constructor(outlet: Outlet, load: LoadEnvironment, disposed: AbortSignal) {
    this.#outlet = outlet;
    this.#load = load;
    this.#disposed = disposed;
  }

  /** Bytes kept in order to resend the images. */
  get retainedBytes(): number {
    const images = this.#settings?.parts.map(({ image }) => image?.data.byteLength ?? 0) ?? [];
    return images.reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * Loads and sets the environment. Once the promise has resolved, the next frame sends it to the render thread. If
   * `set` was called again meanwhile, the promise resolves without setting this environment.
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
    // Environments are set together or not at all, so a failure aborts the other loads.
    const failure = new AbortController();
    const all = AbortSignal.any([ended, failure.signal]);
    try {
      const parts = await Promise.all(sources.map((each) => this.#read(each, all)));
      // A later call may have set another environment meanwhile.
      const visibleParts = parts.filter(({ kind, weight }) => kind !== EnvironmentKind.none && weight > 0);
      if (call === this.#calls) this.#apply({ ...settings, parts: visibleParts });
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  }

  /** Sets a sky as the environment. The next frame sends it to the render thread. */
  setSky(sky: SkySettings): void {
    const { intensity, background, toSun } = sky;
    // Loads that began earlier must not replace the sky.
    this.#calls++;
    const part = {
      kind: EnvironmentKind.atmosphere,
      weight: 1,
      label: '',
      image: null,
      rotation: IDENTITY_ROTATION,
    };
    this.#apply({ parts: [part], intensity, rotation: 0, background, backgroundBlur: 0, toSun, sky });
  }

  async #read({ source, weight }: WeightedEnvironment, signal: AbortSignal): Promise<Part> {
    const computed = typeof source === 'string' ? COMPUTED[source] : undefined;
    const kind = source === null ? EnvironmentKind.none : computed;
    if (source === null || kind !== undefined) {
      return {
        kind: kind ?? EnvironmentKind.none,
        weight,
        label: '',
        image: null,
        rotation: IDENTITY_ROTATION,
      };
    }
    const fromLevel = levelEnvironmentOf(source);
    if (fromLevel) {
      const { name, intensity, rotation, faces, file, place } = fromLevel;
      const pictures: CubePictures = { kind: 'environment-cube', name: file, place, faces };
      const image = await this.#load(pictures, { signal });
      return { kind: EnvironmentKind.image, weight: weight * intensity, label: name, image, rotation };
    }
    const file = checkSource(source);
    const image = await this.#load(assetSource(file, 'setEnvironment'), { signal });
    return {
      kind: EnvironmentKind.image,
      weight,
      label: nameOfSource(file),
      image,
      rotation: IDENTITY_ROTATION,
    };
  }

  /** Per frame: sends the environment if it has changed. */
  send(): void {
    const settings = this.#settings;
    if (!this.#isDirty || settings === null) return;
    this.#isDirty = false;
    const { writer } = this.#outlet;
    for (const part of settings.parts) if (part.image) this.#sendImage(part, part.image);
    if (settings.sky) this.#sendSky(settings.sky);
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

  /** Marks the environment to be sent to another stream, with the next update. */
  resend(): void {
    this.#isDirty = this.#settings !== null;
  }

  #apply(settings: Settings): void {
    this.#settings = settings;
    this.#isDirty = true;
    this.#outlet.onChange();
  }

  #sendSky({ turbidity, ground, stars, sunlight, starRows }: SkySettings): void {
    const { writer } = this.#outlet;
    const at = writer.reserve(RenderOpcode.setSky, 18);
    const { words, floats } = writer;
    floats[at] = turbidity;
    floats.set(ground, at + 1);
    floats.set(sunlight, at + 4);
    floats[at + 7] = stars;
    words[at + 8] = starRows.length;
    floats.set(starRows, at + 9);
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

/** Returns the source if it is the environment of a loaded file, and otherwise `null`. */
function levelEnvironmentOf(source: EnvironmentSource): LevelEnvironment | null {
  const hasFaces = typeof source === 'object' && source !== null && 'faces' in source;
  return hasFaces && Array.isArray(source.faces) ? source : null;
}

/** @throws OptionError */
function checkSource(source: EnvironmentSource): string | URL | File | ArrayBuffer {
  const isFile =
    source instanceof URL ||
    source instanceof Blob ||
    source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source);
  // Rejects misspelt names, such as 'skyy', and an empty string, which would be the URL of the page.
  const isMistyped = typeof source === 'string' && /^(s[a-z]{1,6})?$/i.test(source);
  if (isFile || (typeof source === 'string' && !isMistyped))
    return source as string | URL | File | ArrayBuffer;
  throw new OptionError(
    'option-invalid',
    `setEnvironment was given ${typeof source === 'string' ? `"${source}"` : String(source)}; it takes 'studio', 'sky', null, the environment of a level, or an .hdr or .ktx2 file by its URL, as a File or as an ArrayBuffer.`,
  );
}

/** Returns the sources; a single one has weight 1. @throws OptionError */
function checkSources(
  source: EnvironmentSource | readonly WeightedEnvironment[],
): readonly WeightedEnvironment[] {
  if (!Array.isArray(source)) return [{ source: source as EnvironmentSource, weight: 1 }];
  const call = 'setEnvironment';
  if (source.length < 1 || source.length > MAXIMUM_SOURCES) {
    throw new OptionError(
      'option-out-of-range',
      `${call} was given ${source.length} environments; 1 to ${MAXIMUM_SOURCES} can be added up.`,
    );
  }
  return source.map((each: WeightedEnvironment, index) => {
    checkNames(`${call}, environment ${index}`, each, WEIGHTED);
    if (each.source === undefined)
      throw new OptionError('option-invalid', `Environment ${index} of ${call} has no source.`);
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
      `sunDirection of ${call} is [${x}, ${y}, ${z}]; its length has to be finite and more than 0.`,
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
