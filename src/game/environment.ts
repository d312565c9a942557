/**
 * Light from all around, the game's side: which environment there is, and how it lies. Loaded with the first call.
 *
 *   setEnvironment ─► image: fetched and decoded in the asset worker ─┐
 *                     studio, sky: computed on the GPU ───────────────┴─► with the next update ─► render thread
 *
 * The decoded image is kept, so that it can be sent again after a device was lost.
 */
import { OptionError } from '../core/errors.js';
import { EnvironmentKind, RenderOpcode } from '../proxy/commands.js';
import type { EnvironmentImage } from '../proxy/scene-description.js';
import { assetSource } from './asset-source.js';
import type { LoadEnvironment } from './load-queue.js';
import { checkBoolean, checkNumber, checkOptions, checkVector } from './options.js';
import { nameOfSource } from './source-name.js';
import { encodeText, type Outlet, writeText } from './write-record.js';

/** An equirectangular `.hdr` file, by URL, as a file or as bytes; `studio` or `sky`, which are computed; null: none. */
export type EnvironmentSource = string | URL | File | ArrayBuffer | 'studio' | 'sky' | null;

export interface EnvironmentOptions {
  /** Factor on its radiance, from 0. Default 1. */
  readonly intensity?: number;
  /** Radians around the Y axis, counter-clockwise seen from above. Default 0: the image's centre lies towards +X. */
  readonly rotation?: number;
  /** Whether it is seen behind the scene. Default false. */
  readonly background?: boolean;
  /** How blurred it is there: 0 sharp (default) to 1. */
  readonly backgroundBlur?: number;
  /** Of `sky`: the way the sun's light travels, as of a directional light. Default [-1, -2, -1.5]. */
  readonly sunDirection?: ArrayLike<number>;
  /** Aborts the load: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

interface Settings {
  readonly kind: number;
  readonly label: string;
  readonly image: EnvironmentImage | null;
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
const OPTIONS = 'intensity rotation background backgroundBlur sunDirection signal';
const SETTINGS_WORDS = 8;

export class EnvironmentUpdates {
  readonly #outlet: Outlet;
  readonly #load: LoadEnvironment;
  readonly #disposed: AbortSignal;
  #settings: Settings | null = null;
  #isImageSent = false;
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
    return this.#settings?.image?.data.byteLength ?? 0;
  }

  /**
   * Resolves when the environment goes to the render thread with the next frame.
   *
   * @throws OptionError; AssetError; the signal's reason
   */
  async set(source: EnvironmentSource, options: EnvironmentOptions): Promise<void> {
    const settings = checkSettings(options);
    const call = ++this.#calls;
    const computed = typeof source === 'string' ? COMPUTED[source] : undefined;
    if (source === null || computed !== undefined) {
      const kind = source === null ? EnvironmentKind.none : (computed as number);
      this.#apply({ ...settings, kind, label: '', image: null });
      return;
    }
    const { signal } = options;
    const ended = signal ? AbortSignal.any([signal, this.#disposed]) : this.#disposed;
    ended.throwIfAborted();
    const image = await this.#load(assetSource(source), { signal: ended });
    // A later call has set another one meanwhile.
    if (call !== this.#calls) return;
    this.#apply({ ...settings, kind: EnvironmentKind.image, label: nameOfSource(source), image });
  }

  /** Per frame. */
  send(): void {
    const settings = this.#settings;
    if (!this.#isDirty || settings === null) return;
    this.#isDirty = false;
    const { writer } = this.#outlet;
    if (settings.image !== null && !this.#isImageSent) this.#sendImage(settings.label, settings.image);
    const at = writer.reserve(RenderOpcode.setEnvironment, SETTINGS_WORDS);
    const { words, floats } = writer;
    words[at] = settings.kind;
    words[at + 1] = Number(settings.background);
    floats[at + 2] = settings.backgroundBlur;
    floats[at + 3] = settings.intensity;
    floats[at + 4] = settings.rotation;
    floats.set(settings.toSun, at + 5);
  }

  /** Everything goes anew with the next update, into another stream. */
  resend(): void {
    this.#isImageSent = false;
    this.#isDirty = this.#settings !== null;
  }

  #apply(settings: Settings): void {
    this.#settings = settings;
    this.#isImageSent = false;
    this.#isDirty = true;
  }

  #sendImage(label: string, { data, width, height }: EnvironmentImage): void {
    const { writer } = this.#outlet;
    const name = encodeText(label);
    const attachment = writer.attach(data.slice(0));
    const at = writer.reserveWithAttachment(RenderOpcode.setEnvironmentImage, 4 + ((name.length + 3) >> 2));
    const { words } = writer;
    words[at] = attachment;
    words[at + 1] = width;
    words[at + 2] = height;
    writeText(words, at + 3, name);
    this.#isImageSent = true;
  }
}

function checkSettings(options: EnvironmentOptions): Omit<Settings, 'kind' | 'label' | 'image'> {
  const call = 'setEnvironment';
  checkOptions(call, options, OPTIONS);
  const {
    intensity = 1,
    rotation = 0,
    background = false,
    backgroundBlur = 0,
    sunDirection = [-1, -2, -1.5],
  } = options;
  const [x, y, z] = checkVector(call, 'sunDirection', sunDirection, 3);
  const length = Math.hypot(x, y, z);
  if (!(length > 0 && length < Infinity)) {
    throw new OptionError(
      'option-invalid',
      `sunDirection of ${call} is [${x}, ${y}, ${z}]; it needs a length.`,
    );
  }
  return {
    intensity: checkNumber(call, 'intensity', intensity, 0),
    rotation: checkNumber(call, 'rotation', rotation, -1e6, 1e6),
    background: checkBoolean(call, 'background', background),
    backgroundBlur: checkNumber(call, 'backgroundBlur', backgroundBlur, 0, 1),
    toSun: [-x / length, -y / length, -z / length],
  };
}
