import code from '../../../shaders/environment.wgsl?raw';
import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphBuffer,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
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
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuEnvironment, GpuIrradiance } from '../buffers/gpu-layouts.js';
import { PassFormat } from '../keys/pass-format.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import { CUBE_FORMAT, CUBE_SIZE, LOBE_LEVELS } from './cube-format.js';
import { EnvironmentImages, type WeightedSource } from './environment-images.js';
import { EnvironmentPipelines } from './environment-pipelines.js';
import { addEnvironmentPasses, type EnvironmentSource } from './make-environment.js';
import { Reflectance } from './reflectance.js';
import type { Sky } from './sky.js';
import type { SkyDetails } from './sky-details.js';

/** Resources of the environment in bind group 0, as the graph has resolved them in this frame. */
interface Bound {
  lobes: TextureHandle | undefined;
  reflectance: TextureHandle | undefined;
  irradiance: BufferHandle | undefined;
}

/** Entries of bind group 0 in the pipelines' layout, after the frame's own bindings. */
export const ENVIRONMENT_LAYOUT: readonly GPUBindGroupLayoutEntry[] = [
  { binding: 5, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } },
  { binding: 6, visibility: ShaderStage.fragment, texture: { viewDimension: 'cube' } },
  { binding: 7, visibility: ShaderStage.fragment, sampler: {} },
  { binding: 8, visibility: ShaderStage.fragment, texture: { sampleType: 'unfilterable-float' } },
  { binding: 9, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } },
];

/**
 * Light from all directions: an environment, and ambient light. Commands change this light. In the next
 * frame, `record` creates textures, passes of the frame graph draw into them, and the mesh shader reads them.
 *
 *   setEnvironmentImage ─► image ─┐
 *   setEnvironment ─► sources ────┼─► textures are created again
 *   setSky ─┬─► atmosphere ───────┘
 *           └─► SkyDetails: the sun's disc and the stars
 *   setEnvironment, setAmbient ─► numbers ─► uniform buffer
 */
export class EnvironmentLight implements PassShader {
  readonly part = 'environment';
  readonly passBit = PassFormat.environment;
  readonly offBit = PassFormat.environmentOff;
  readonly shaderCode = `${GpuEnvironment.wgsl}${GpuIrradiance.wgsl}${code}`;
  readonly layout = ENVIRONMENT_LAYOUT;
  /** Increases when `resolve` finds another texture or buffer. */
  version = 0;
  /** Whether the environment is visible behind the scene. */
  hasBackground = false;
  /**
   * Whether there is a background, light of the environment or ambient light. If not, shaders omit the
   * environment's code.
   */
  isOn = false;
  readonly sky: Sky;
  readonly #rhi: ImmediateContext;
  readonly #packed = new Float32Array(GpuEnvironment.words);
  #areNumbersNew = true;
  readonly #images: EnvironmentImages;
  readonly #pipelines: EnvironmentPipelines;
  #sources: readonly WeightedSource[] = [];
  #toSun: readonly [number, number, number] = [0, 1, 0];
  /** The values of the last `setSky`: turbidity and ground, then those of the sun's disc and the stars. */
  #sky: readonly number[] = [];
  /** Colour of the ground and turbidity of the atmosphere that the textures show. */
  #air: readonly number[] = [];
  #details: SkyDetails | undefined;
  /** Whether the textures are missing or out of date. */
  #isStale = true;
  #lobes: TextureHandle | undefined;
  #reflectance: Reflectance | undefined;
  #sampler: SamplerHandle | undefined;
  #numbers: BufferHandle | undefined;
  #irradiance: BufferHandle | undefined;
  /** Sources to draw with the next graph; undefined: there is nothing to draw. */
  #toDraw: readonly EnvironmentSource[] | undefined;
  #lobesDescriptor: GraphTextureDescriptor = { name: '', width: 0, height: 0, format: CUBE_FORMAT };
  /**
   * Graph handles of the lobes (the blurred cube) and the irradiance in this frame. Each write replaces a
   * handle.
   */
  readonly #targets = { lobes: { version: 0 as GraphTexture }, irradiance: 0 as GraphBuffer };
  readonly #bound: Bound = { lobes: undefined, reflectance: undefined, irradiance: undefined };

  /**
   * @param largestSize maximum width and height of textures, in texels
   * @param hasBlocks whether the device reads BC6H blocks
   */
  constructor(rhi: ImmediateContext, sky: Sky, largestSize: number, hasBlocks: boolean) {
    this.sky = sky;
    this.#rhi = rhi;
    this.#images = new EnvironmentImages(rhi, largestSize, hasBlocks);
    this.#pipelines = new EnvironmentPipelines(rhi);
    this.#packed[GpuEnvironment.at.rotation] = 1;
  }

  /** Bits of `PassFormat`. */
  get passFormat(): number {
    return PassFormat.environment | (this.isOn ? 0 : PassFormat.environmentOff);
  }

  /**
   * Whether the next frame creates the textures. That frame must not skip a pass because its pipeline is
   * missing.
   */
  get isPending(): boolean {
    return this.#isStale;
  }

  /**
   * Per command: executes the reader's current record.
   * @throws AssetError `texture-too-large`, `texture-format-unsupported`
   */
  execute(reader: StreamReader): void {
    const { words, floats, fields: at, opcode } = reader;
    const packed = this.#packed;
    const { at: offset } = GpuEnvironment;
    if (opcode === RenderOpcode.setEnvironmentImage) {
      this.#isStale = true;
      this.#images.take(reader);
    } else if (opcode === RenderOpcode.setSky) {
      const rows = at + 9;
      this.#sky = [...floats.subarray(at, at + 8), ...floats.subarray(rows, rows + 9)];
      return;
    } else if (opcode === RenderOpcode.setAmbient) {
      for (let channel = 0; channel < 3; channel++) {
        packed[offset.ambientSky + channel] = (floats[at + channel] as number) / Math.PI;
        packed[offset.ambientGround + channel] = (floats[at + 3 + channel] as number) / Math.PI;
      }
    } else {
      const given = readSources(reader, at + 7);
      const sum = given.reduce((total, { weight }) => total + weight, 0);
      // The weights are divided by their sum, so that no texel of the cube exceeds a half float. The
      // intensity is multiplied by the sum instead.
      const sources = given.map(({ kind, weight }) => ({ kind, weight: weight / sum }));
      const toSun = [floats[at + 4], floats[at + 5], floats[at + 6]] as [number, number, number];
      const hasAtmosphere = sources.some(({ kind }) => kind === EnvironmentKind.atmosphere);
      const hasSky = hasAtmosphere || sources.some(({ kind }) => kind === EnvironmentKind.sky);
      const hasSunMoved = hasSky && toSun.some((axis, index) => axis !== this.#toSun[index]);
      if (hasSunMoved || this.#images.areWaiting || !areSame(sources, this.#sources)) this.#isStale = true;
      if (hasAtmosphere) this.#setAtmosphere(toSun);
      else this.sky.details = undefined;
      this.#sources = sources;
      this.#toSun = toSun;
      const isEmpty = sources.length === 0;
      this.hasBackground = !isEmpty && words[at] === 1;
      const rotation = floats[at + 3] as number;
      packed[offset.backgroundBlur] = floats[at + 1] as number;
      packed[offset.intensity] = isEmpty ? 0 : (floats[at + 2] as number) * sum;
      packed[offset.rotation] = Math.cos(rotation);
      packed[offset.rotation + 1] = Math.sin(rotation);
    }
    this.#areNumbersNew = true;
    let light = packed[offset.intensity] as number;
    for (let channel = 0; channel < 3; channel++) {
      light +=
        (packed[offset.ambientSky + channel] as number) + (packed[offset.ambientGround + channel] as number);
    }
    this.isOn = this.hasBackground || light > 0;
  }

  /** Per frame, outside passes: creates missing textures and uploads changed numbers. */
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

  /** Per frame, after `record`: imports the textures, and adds the passes that draw new textures. */
  addPasses(graph: FrameGraph): void {
    const targets = this.#targets;
    this.#reflectance?.addTo(graph);
    targets.lobes.version = graph.importTexture(this.#lobesDescriptor, this.#lobes as TextureHandle);
    targets.irradiance = graph.importBuffer(IRRADIANCE, this.#irradiance as BufferHandle);
    const sources = this.#toDraw;
    if (!sources) return;
    this.#toDraw = undefined;
    addEnvironmentPasses(graph, this.#rhi, this.#pipelines, sources, this.#toSun, this.#air, targets);
  }

  declareReads(builder: PassBuilder): void {
    const { lobes, irradiance } = this.#targets;
    builder.read(lobes.version, 'sampled');
    builder.read(irradiance, 'uniform');
    if (this.#reflectance) builder.read(this.#reflectance.version, 'sampled');
  }

  resolve(context: PassContext): void {
    const bound = this.#bound;
    const lobes = context.texture(this.#targets.lobes.version);
    const reflectance = context.texture((this.#reflectance as Reflectance).version);
    const irradiance = context.buffer(this.#targets.irradiance);
    if (lobes !== bound.lobes || reflectance !== bound.reflectance || irradiance !== bound.irradiance) {
      this.version++;
    }
    bound.lobes = lobes;
    bound.reflectance = reflectance;
    bound.irradiance = irradiance;
  }

  /** Entries of bind group 0. Valid after `resolve`. */
  get entries(): readonly BindGroupEntry[] {
    const { lobes, reflectance, irradiance } = this.#bound;
    return [
      { binding: 5, buffer: this.#numbers as BufferHandle },
      { binding: 6, view: { texture: lobes as TextureHandle, dimension: 'cube' } },
      { binding: 7, sampler: this.#sampler as SamplerHandle },
      { binding: 8, view: { texture: reflectance as TextureHandle } },
      { binding: 9, buffer: irradiance as BufferHandle },
    ];
  }

  dispose(): void {
    const rhi = this.#rhi;
    this.sky.dispose();
    this.#details?.dispose();
    const resources: (ResourceHandle | undefined)[] = [
      this.#lobes,
      this.#sampler,
      this.#numbers,
      this.#irradiance,
    ];
    for (const resource of resources) rhi.destroy(resource);
    this.#reflectance?.dispose();
    this.#pipelines.dispose();
    for (const { image } of this.#toDraw ?? []) rhi.destroy(image?.handle);
    this.#reflectance = this.#toDraw = undefined;
    this.#lobes = this.#sampler = this.#numbers = this.#irradiance = undefined;
  }

  #setAtmosphere(toSun: readonly number[]): void {
    const [turbidity = 1, red = 0, green = 0, blue = 0, ...details] = this.#sky;
    const air = [red, green, blue, turbidity];
    if (air.some((value, index) => value !== this.#air[index])) this.#isStale = true;
    this.#air = air;
    this.#details ??= this.sky.createDetails();
    this.#details.set(toSun, details);
    this.sky.details = this.#details;
  }

  #makeTextures(): void {
    const rhi = this.#rhi;
    this.#isStale = false;
    this.#reflectance ??= new Reflectance(rhi);
    this.#sampler ??= rhi.createSampler({
      label: 'environment',
      magFilter: 'linear',
      minFilter: 'linear',
      mipmapFilter: 'linear',
    });
    rhi.destroy(this.#lobes);
    rhi.destroy(this.#irradiance);
    for (const { image } of this.#toDraw ?? []) rhi.destroy(image?.handle);
    const sources = this.#images.upload(this.#sources);
    const isEmpty = sources.length === 0;
    const levelCount = isEmpty ? 1 : LOBE_LEVELS;
    const size = isEmpty ? 1 : CUBE_SIZE;
    // New textures and buffers hold zeros, which means no light.
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
      byteLength: IRRADIANCE.byteLength,
      usage: BufferUsage.uniform | BufferUsage.storage,
    });
    this.#packed[GpuEnvironment.at.levelCount] = levelCount;
    this.#areNumbersNew = true;
    this.#lobesDescriptor = {
      name: 'environment',
      width: size,
      height: size,
      layers: 6,
      mipLevelCount: levelCount,
      format: CUBE_FORMAT,
    };
    this.#toDraw = isEmpty ? undefined : sources;
  }
}

/** Buffer of the structure `Irradiance`, which passes write. */
const IRRADIANCE = { name: 'irradiance', byteLength: GpuIrradiance.byteLength };

/** Reads the sources of the environment: a list of kinds and a list of weights, each preceded by its length. */
function readSources({ words, floats }: StreamReader, at: number): WeightedSource[] {
  const count = words[at] as number;
  const sources: WeightedSource[] = [];
  for (let index = 0; index < count; index++) {
    const kind = words[at + 1 + index] as number;
    const weight = floats[at + 2 + count + index] as number;
    sources.push({ kind, weight });
  }
  return sources;
}

const areSame = (sources: readonly WeightedSource[], others: readonly WeightedSource[]): boolean =>
  sources.length === others.length &&
  sources.every(({ kind, weight }, index) => kind === others[index]?.kind && weight === others[index].weight);
