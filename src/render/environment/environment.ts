import code from '../../../shaders/environment.wgsl?raw';
import { AssetError } from '../../core/errors.js';
import type { StreamReader } from '../../core/stream.js';
import { EnvironmentKind, RenderOpcode } from '../../proxy/commands.js';
import {
  type BindGroupEntry,
  type BufferHandle,
  BufferUsage,
  type ResourceHandle,
  type SamplerHandle,
  ShaderStage,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import { stringAt } from '../../rhi/commands/record-fields.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuEnvironment } from '../gpu-layouts.js';
import { CUBE_FORMAT, CUBE_SIZE, LOBE_LEVELS } from './cube-format.js';
import { recordEnvironment } from './make-environment.js';
import { recordReflectance } from './reflectance.js';
import type { Sky } from './sky.js';

/** Radiance as an image, until it is on the GPU. */
interface PendingImage {
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly label: string;
}

/** What the pipelines' layout of bind group 0 has behind the frame's own bindings. */
export const ENVIRONMENT_LAYOUT: readonly GPUBindGroupLayoutEntry[] = [
  { binding: 5, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } },
  { binding: 6, visibility: ShaderStage.fragment, texture: { viewDimension: 'cube' } },
  { binding: 7, visibility: ShaderStage.fragment, sampler: {} },
  { binding: 8, visibility: ShaderStage.fragment, texture: {} },
  { binding: 9, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } },
];

/**
 * Light from all around: an environment, and ambient light. Commands change it, `record` brings its textures up to
 * date with the next frame, and the mesh shader reads them.
 *
 *   setEnvironmentImage ─► image ─┐
 *   setEnvironment ─► kind ───────┴─► textures are made anew      setEnvironment, setAmbient ─► numbers ─► uniform buffer
 */
export class EnvironmentLight {
  /** With the structures that it needs. */
  readonly shaderCode = `${GpuEnvironment.wgsl}${code}`;
  readonly layout = ENVIRONMENT_LAYOUT;
  /** Rises when a texture or buffer is another one. */
  version = 0;
  /** The environment is seen behind the scene. */
  hasBackground = false;
  readonly sky: Sky;
  readonly #rhi: ImmediateContext;
  readonly #largestSize: number;
  readonly #packed = new Float32Array(GpuEnvironment.words);
  #areNumbersNew = true;
  #image: PendingImage | undefined;
  #kind: number = EnvironmentKind.none;
  #toSun: readonly [number, number, number] = [0, 1, 0];
  /** The textures show something else, or are not there. */
  #isStale = true;
  #lobes: TextureHandle | undefined;
  #reflectance: TextureHandle | undefined;
  #sampler: SamplerHandle | undefined;
  #numbers: BufferHandle | undefined;
  #irradiance: BufferHandle | undefined;

  /** @param largestSize of textures, in texels each way */
  constructor(rhi: ImmediateContext, sky: Sky, largestSize: number) {
    this.sky = sky;
    this.#rhi = rhi;
    this.#largestSize = largestSize;
    this.#packed[GpuEnvironment.at.rotation] = 1;
  }

  /** Whether the next frame makes textures: it must skip no pass for want of a pipeline then. */
  get isPending(): boolean {
    return this.#isStale;
  }

  /** Per command: executes the reader's current record. @throws AssetError `texture-too-large` */
  execute(reader: StreamReader): void {
    const { words, floats, fields: at, opcode } = reader;
    const packed = this.#packed;
    const { at: offset } = GpuEnvironment;
    if (opcode === RenderOpcode.setEnvironmentImage) this.#setImage(reader);
    else if (opcode === RenderOpcode.setAmbient) {
      for (let channel = 0; channel < 3; channel++) {
        packed[offset.ambientSky + channel] = (floats[at + channel] as number) / Math.PI;
        packed[offset.ambientGround + channel] = (floats[at + 3 + channel] as number) / Math.PI;
      }
    } else {
      const kind = words[at] as number;
      const toSun = [floats[at + 5], floats[at + 6], floats[at + 7]] as [number, number, number];
      const isSunOther =
        kind === EnvironmentKind.sky && toSun.some((axis, index) => axis !== this.#toSun[index]);
      if (kind !== this.#kind || isSunOther || this.#image) this.#isStale = true;
      this.#kind = kind;
      this.#toSun = toSun;
      this.hasBackground = kind !== EnvironmentKind.none && words[at + 1] === 1;
      const rotation = floats[at + 4] as number;
      packed[offset.backgroundBlur] = floats[at + 2] as number;
      packed[offset.intensity] = kind === EnvironmentKind.none ? 0 : (floats[at + 3] as number);
      packed[offset.rotation] = Math.cos(rotation);
      packed[offset.rotation + 1] = Math.sin(rotation);
    }
    this.#areNumbersNew = true;
  }

  /** Per frame, outside passes. */
  record(): void {
    const rhi = this.#rhi;
    this.#numbers ??= rhi.createBuffer({
      label: 'environment',
      byteLength: GpuEnvironment.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    if (this.#isStale) this.#makeTextures();
    if (!this.#areNumbersNew) return;
    this.#areNumbersNew = false;
    rhi.writeBuffer(this.#numbers, 0, this.#packed);
  }

  /** For bind group 0. */
  get entries(): readonly BindGroupEntry[] {
    return [
      { binding: 5, buffer: this.#numbers as BufferHandle },
      { binding: 6, view: { texture: this.#lobes as TextureHandle, dimension: 'cube' } },
      { binding: 7, sampler: this.#sampler as SamplerHandle },
      { binding: 8, view: { texture: this.#reflectance as TextureHandle } },
      { binding: 9, buffer: this.#irradiance as BufferHandle },
    ];
  }

  dispose(): void {
    const rhi = this.#rhi;
    this.sky.dispose();
    const resources: (ResourceHandle | undefined)[] = [
      this.#lobes,
      this.#reflectance,
      this.#sampler,
      this.#numbers,
      this.#irradiance,
    ];
    for (const resource of resources) rhi.destroy(resource);
    this.#lobes = this.#reflectance = this.#sampler = this.#numbers = this.#irradiance = undefined;
  }

  #setImage(reader: StreamReader): void {
    const { words, fields: at } = reader;
    const data = reader.attachment(words[at] as number) as ArrayBuffer;
    const width = words[at + 1] as number;
    const height = words[at + 2] as number;
    const label = stringAt(words, at, 3);
    if (Math.max(width, height) > this.#largestSize) {
      throw new AssetError(
        'texture-too-large',
        `The environment "${label}" is ${width} × ${height}; this device takes at most ${this.#largestSize} in each direction. Scale the image down.`,
      );
    }
    this.#image = { data, width, height, label };
    this.#isStale = true;
  }

  #makeTextures(): void {
    const rhi = this.#rhi;
    this.#isStale = false;
    this.version++;
    this.#reflectance ??= recordReflectance(rhi);
    this.#sampler ??= rhi.createSampler({
      label: 'environment',
      magFilter: 'linear',
      minFilter: 'linear',
      mipmapFilter: 'linear',
    });
    rhi.destroy(this.#lobes);
    rhi.destroy(this.#irradiance);
    const isNothing = this.#kind === EnvironmentKind.none;
    const levelCount = isNothing ? 1 : LOBE_LEVELS;
    const size = isNothing ? 1 : CUBE_SIZE;
    // Textures and buffers begin as zeros: no light.
    this.#lobes = rhi.createTexture({
      label: 'environment',
      width: size,
      height: size,
      depthOrArrayLayers: 6,
      mipLevelCount: levelCount,
      format: CUBE_FORMAT,
      usage: TextureUsage.textureBinding | TextureUsage.renderAttachment,
    });
    this.#irradiance = rhi.createBuffer({
      label: 'irradiance',
      byteLength: 9 * 16,
      usage: BufferUsage.uniform | BufferUsage.storage,
    });
    this.#packed[GpuEnvironment.at.levelCount] = levelCount;
    this.#areNumbersNew = true;
    const image = this.#uploadImage();
    if (isNothing || (this.#kind === EnvironmentKind.image && image === undefined)) return;
    recordEnvironment(rhi, { kind: this.#kind, image, toSun: this.#toSun }, this.#lobes, this.#irradiance);
    rhi.destroy(image);
  }

  #uploadImage(): TextureHandle | undefined {
    const pending = this.#image;
    this.#image = undefined;
    if (pending === undefined || this.#kind !== EnvironmentKind.image) return undefined;
    const { data, width, height, label } = pending;
    const texture = this.#rhi.createTexture({
      label,
      width,
      height,
      format: CUBE_FORMAT,
      usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
    });
    this.#rhi.writeTextureFromAttachment(
      texture,
      { width, height, bytesPerRow: width * 8, rowsPerImage: height },
      data,
    );
    return texture;
  }
}
