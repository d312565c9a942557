import coverCode from '../../../shaders/cover-target-uv.wgsl?raw';
import code from '../../../shaders/scene-levels.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneTargets } from './scene-targets.js';
import type { ViewLook } from './view-look.js';

/** Settings of the copy of the scene. */
const GpuSceneCopy = /* @__PURE__ */ defineGpuStruct('SceneCopy', {
  /** Background of the view, linear, not multiplied by alpha. */
  background: 'vec4f',
  /** Factor from shown colours to scene colour, which is exposed later. */
  inverseExposure: 'f32',
});
const { at } = GpuSceneCopy;

const SHADER = { label: 'scene behind', code: `${GpuSceneCopy.wgsl}${coverCode}${code}` };

/**
 * The picture of a view's scene that glass and reflections show. Level 0 is a copy of scene colour over the
 * background, and each further level is half as large. A rough surface reads a small level.
 *
 *   scene colour, unmapped colour, background ──copy──► level 0 ──average──► level 1 ──average──► level 2 … 1 × 1
 */
export class ScenePicture {
  readonly texture: ScreenTexture = { version: undefined };
  readonly #rhi: ImmediateContext;
  readonly #name: string;
  readonly #settings = new Float32Array(GpuSceneCopy.words).fill(Number.NaN);
  readonly #buffer: BufferHandle;
  readonly #scene: ScreenTexture = { version: undefined };
  readonly #unmapped: ScreenTexture = { version: undefined };
  readonly #copyScene: ScreenPass;
  /** Copies scenes whose unmapped colours have a target of their own. */
  readonly #copyWithUnmapped: ScreenPass;
  /** Passes of level 1 and up. */
  readonly #levels: ScreenPass[] = [];
  readonly #createLevel: (level: number) => ScreenPass;

  /** @param name name of the passes and the texture, unique in the frame */
  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, name: string) {
    this.#rhi = rhi;
    this.#name = name;
    this.#buffer = rhi.createBuffer({
      label: 'scene behind',
      byteLength: GpuSceneCopy.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const target = this.texture;
    const copy = {
      shader: SHADER,
      name,
      uniforms: this.#buffer,
      source: { of: this.#scene },
      target: { of: target },
    };
    this.#copyScene = new ScreenPass(rhi, pipelines, { ...copy, entryPoint: 'copyScene' });
    this.#copyWithUnmapped = new ScreenPass(rhi, pipelines, {
      ...copy,
      entryPoint: 'copyWithUnmapped',
      second: { of: this.#unmapped },
    });
    const average = { shader: SHADER, entryPoint: 'averageLevel' };
    for (const pass of [this.#copyScene, this.#copyWithUnmapped]) pass.createPipeline(SCENE_COLOR_FORMAT);
    this.#createLevel = (level) =>
      new ScreenPass(rhi, pipelines, {
        ...average,
        name: `${name}, level ${level}`,
        source: { of: target, level: level - 1 },
        target: { of: target, level },
      });
    this.#levels.push(this.#createLevel(1));
    this.#levels[0]?.createPipeline(SCENE_COLOR_FORMAT);
  }

  /** Per frame, outside passes: uploads the settings if they have changed. */
  prepare({ background, exposure }: ViewLook): void {
    const settings = this.#settings;
    const inverseExposure = Math.fround(1 / Math.max(exposure, 1e-6));
    let isSame = settings[at.inverseExposure] === inverseExposure;
    for (let channel = 0; channel < 4; channel++) {
      const value = Math.fround(background[channel] as number);
      isSame &&= settings[at.background + channel] === value;
      settings[at.background + channel] = value;
    }
    settings[at.inverseExposure] = inverseExposure;
    if (!isSame) this.#rhi.writeBuffer(this.#buffer, 0, settings);
  }

  /** Per frame: describes the texture in the size of the view. The next `addPasses` creates it. */
  begin({ width, height }: SceneTargets): void {
    this.texture.version = undefined;
    const { descriptor } = this.texture;
    if (descriptor?.width === width && descriptor.height === height) return;
    const mipLevelCount = Math.floor(Math.log2(Math.max(width, height))) + 1;
    this.texture.descriptor = { name: this.#name, width, height, format: SCENE_COLOR_FORMAT, mipLevelCount };
  }

  /** Per layer: adds the passes that draw the picture from the newest scene colour. */
  addPasses(
    graph: FrameGraph,
    { color, unmappedColor }: Pick<SceneTargets, 'color' | 'unmappedColor'>,
  ): void {
    this.#scene.version = color;
    this.#unmapped.version = unmappedColor;
    graph.addPass(unmappedColor === undefined ? this.#copyScene : this.#copyWithUnmapped);
    const { mipLevelCount = 1 } = this.texture.descriptor ?? {};
    for (let level = 1; level < mipLevelCount; level++) {
      this.#levels[level - 1] ??= this.#createLevel(level);
      graph.addPass(this.#levels[level - 1] as ScreenPass);
    }
  }

  dispose(): void {
    for (const pass of [this.#copyScene, this.#copyWithUnmapped, ...this.#levels]) pass.dispose();
    this.#rhi.destroy(this.#buffer);
  }
}
