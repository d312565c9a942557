import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/depth-of-field.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture } from '../../graph/graph-pass.js';
import type { BufferHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { DISPLAY_BITS } from '../keys/pass-format.js';
import { FilterPass } from '../pipelines/filter-pass.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines, ScreenShader, SourceType } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { depthCode } from './depth-code.js';

export const GpuDepthOfField = /* @__PURE__ */ defineGpuStruct('DepthOfField', {
  /** Numbers of the projection: depth is depthOffset ÷ distance − depthScale. */
  depthScale: 'f32',
  depthOffset: 'f32',
  /** Distance of the focus, in metres. */
  focus: 'f32',
  /** Radius of the disc of a point at an infinite distance, in pixels. */
  blur: 'f32',
  /** Largest radius of a disc, in pixels. */
  most: 'f32',
});

const shaderFor = (sampleCount: 1 | 4): ScreenShader => ({
  label: `depth of field, ${sampleCount}`,
  code: `${GpuDepthOfField.wgsl}${coverCode}${code}${depthCode(sampleCount)}`,
});
const SHADERS = { 1: shaderFor(1), 4: shaderFor(4) } as const;

const LINEAR = { isDisplayed: 0 };
const DISPLAYED = { isDisplayed: 1 };
/** Pixels of half size along the side of a tile, as in the shader. */
const TILE = 8;
/** Pixels of the view along the side of a tile. */
export const TILE_PIXELS = TILE * 2;
const FLOAT: SourceType = 'float';

/** The textures and passes of one colour of the view, which is halved, gathered in layers, and composed. */
interface ColorPasses {
  readonly color: ScreenTexture;
  readonly halved: ScreenTexture;
  readonly halvedBlur: ScreenTexture;
  readonly far: ScreenTexture;
  readonly near: ScreenTexture;
  readonly nearShare: ScreenTexture;
  readonly result: ScreenTexture;
  readonly halve: FilterPass;
  readonly gather: FilterPass;
  readonly compose: FilterPass;
}

const texture = (): ScreenTexture => ({ version: undefined });

/**
 * The passes of one view, for a number of samples per pixel.
 *
 *   depth ─► blur ─┬─► halved blur ─► near tiles ─► spread tiles ─┐
 *   colour ────────┴─► halved colour ─────────────────────────────┴─► far, near, share of near ─► colour
 *
 * Unmapped colour, if the view has it, takes the same steps as scene colour. Both share the blur and the tiles.
 */
export class LensPasses {
  readonly sampleCount: 1 | 4;
  readonly #create: (
    entryPoint: string,
    name: string,
    sources: readonly ScreenTexture[],
    types: readonly SourceType[],
    targets: readonly ScreenTexture[],
  ) => FilterPass;
  readonly #suffix: string;
  readonly #depth = texture();
  readonly #blur = texture();
  readonly #tiles = texture();
  readonly #spreadTiles = texture();
  readonly #findBlur: FilterPass;
  readonly #findNear: FilterPass;
  readonly #spreadNear: FilterPass;
  readonly #scene: ColorPasses;
  /** Created once the view has unmapped colours. */
  #unmapped: ColorPasses | undefined;

  constructor(
    rhi: ImmediateContext,
    pipelines: ScreenPipelines,
    uniforms: BufferHandle,
    suffix: string,
    sampleCount: 1 | 4,
  ) {
    this.sampleCount = sampleCount;
    this.#suffix = suffix;
    const shader = SHADERS[sampleCount];
    this.#create = (entryPoint, name, sources, types, targets) =>
      new FilterPass(rhi, pipelines, { shader, entryPoint, name, uniforms, sources, types, targets });
    const depthType = sampleCount === 4 ? 'multisampled-depth' : 'depth';
    this.#findBlur = this.#create('findBlur', `blur${suffix}`, [this.#depth], [depthType], [this.#blur]);
    this.#scene = this.#createColor('');
    const { halvedBlur } = this.#scene;
    this.#findNear = this.#create('findNear', `near tiles${suffix}`, [halvedBlur], [FLOAT], [this.#tiles]);
    this.#spreadNear = this.#create(
      'spreadNear',
      `spread near tiles${suffix}`,
      [this.#tiles],
      [FLOAT],
      [this.#spreadTiles],
    );
  }

  /** Per frame: adds the passes, and replaces the view's colours. */
  add(graph: FrameGraph, { targets }: SceneViewState): void {
    const { width, height, colorFormat, format } = targets;
    const constants = format & DISPLAY_BITS ? DISPLAYED : LINEAR;
    this.#resize(width, height, colorFormat);
    this.#depth.version = targets.depth;
    graph.addPass(this.#findBlur);
    const scene = this.#scene;
    halve(graph, scene, targets.color, constants);
    graph.addPass(this.#findNear);
    graph.addPass(this.#spreadNear);
    targets.color = gather(graph, scene);
    if (targets.unmappedColor === undefined) return;
    const unmapped = this.#unmapped as ColorPasses;
    halve(graph, unmapped, targets.unmappedColor, constants);
    targets.unmappedColor = gather(graph, unmapped);
  }

  /** Per frame, before `add`: creates the passes of unmapped colours if the view has them. */
  prepare(hasUnmapped: boolean): void {
    if (!hasUnmapped || this.#unmapped) return;
    this.#unmapped = this.#createColor(', unmapped');
    this.#blur.descriptor = undefined;
  }

  dispose(): void {
    for (const pass of [this.#findBlur, this.#findNear, this.#spreadNear]) pass.dispose();
    for (const { halve, gather, compose } of this.#colors) {
      for (const pass of [halve, gather, compose]) pass.dispose();
    }
  }

  get #colors(): readonly ColorPasses[] {
    return this.#unmapped ? [this.#scene, this.#unmapped] : [this.#scene];
  }

  #createColor(kind: string): ColorPasses {
    const create = this.#create;
    const suffix = `${kind}${this.#suffix}`;
    const [color, halved, halvedBlur, far, near, nearShare, result] = [
      texture(),
      texture(),
      texture(),
      texture(),
      texture(),
      texture(),
      texture(),
    ] as const;
    const layers = [far, near, nearShare];
    return {
      ...{ color, halved, halvedBlur, far, near, nearShare, result },
      halve: create('halve', `halved${suffix}`, [color, this.#blur], [FLOAT, FLOAT], [halved, halvedBlur]),
      gather: create(
        'gather',
        `discs${suffix}`,
        [halved, halvedBlur, this.#spreadTiles],
        [FLOAT, FLOAT, FLOAT],
        layers,
      ),
      compose: create(
        'compose',
        `depth of field${suffix}`,
        [color, this.#blur, ...layers],
        [FLOAT, FLOAT, FLOAT, FLOAT, FLOAT],
        [result],
      ),
    };
  }

  /** Describes the textures in the size and the format of the view, unless they are described so already. */
  #resize(width: number, height: number, colorFormat: GPUTextureFormat): void {
    const { descriptor } = this.#blur;
    const isSame = descriptor?.width === width && descriptor.height === height;
    if (isSame && this.#scene.result.descriptor?.format === colorFormat) return;
    const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
    const tiles = { width: Math.ceil(half.width / TILE), height: Math.ceil(half.height / TILE) };
    const suffix = this.#suffix;
    this.#blur.descriptor = { name: `blur${suffix}`, width, height, format: 'r16float' };
    this.#tiles.descriptor = { name: `near tiles${suffix}`, ...tiles, format: 'r16float' };
    this.#spreadTiles.descriptor = { name: `spread near tiles${suffix}`, ...tiles, format: 'r16float' };
    for (const [index, passes] of this.#colors.entries()) {
      const kind = `${index ? ', unmapped' : ''}${suffix}`;
      const light = { ...half, format: 'rgba16float' } as const;
      passes.halved.descriptor = { name: `halved${kind}`, ...light };
      passes.halvedBlur.descriptor = { name: `halved blur${kind}`, ...half, format: 'r16float' };
      passes.far.descriptor = { name: `far discs${kind}`, ...light };
      passes.near.descriptor = { name: `near discs${kind}`, ...light };
      passes.nearShare.descriptor = { name: `share of near discs${kind}`, ...half, format: 'r16float' };
      passes.result.descriptor = { name: `depth of field${kind}`, width, height, format: colorFormat };
    }
  }
}

function halve(
  graph: FrameGraph,
  passes: ColorPasses,
  color: GraphTexture,
  constants: Readonly<Record<string, number>>,
): void {
  passes.color.version = color;
  passes.halve.constants = passes.compose.constants = constants;
  graph.addPass(passes.halve);
}

function gather(graph: FrameGraph, passes: ColorPasses): GraphTexture {
  graph.addPass(passes.gather);
  graph.addPass(passes.compose);
  return passes.result.version as GraphTexture;
}
