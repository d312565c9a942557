import atmosphereCode from '../../../shaders/atmosphere.wgsl?raw';
import imageCode from '../../../shaders/environment-image.wgsl?raw';
import skyCode from '../../../shaders/environment-sky.wgsl?raw';
import sourceCubeCode from '../../../shaders/environment-source-cube.wgsl?raw';
import studioCode from '../../../shaders/environment-studio.wgsl?raw';
import type { FrameGraph, ImportOptions } from '../../graph/frame-graph.js';
import type { GraphBuffer, GraphPass, GraphTextureDescriptor } from '../../graph/graph-pass.js';
import { EnvironmentKind } from '../../proxy/commands.js';
import type { TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { CUBE_FORMAT, CUBE_SIZE, LOBE_LEVELS, LOBE_SAMPLES, SOURCE_LEVELS } from './cube-format.js';
import type { EnvironmentPipelines, FaceShader } from './environment-pipelines.js';
import {
  type EnvironmentTexture,
  type Face,
  FacePass,
  FaceResources,
  type FaceSource,
  type Rotation,
} from './face-passes.js';
import { IRRADIANCE_SHADER, IrradiancePass, SUN_SHADER } from './irradiance-pass.js';

/** A source of radiance. */
export interface EnvironmentSource {
  /** `EnvironmentKind`. */
  readonly kind: number;
  /** Factor on the source's radiance. */
  readonly weight: number;
  /** Equirectangular image or cube, for the kind `image`. */
  readonly image?: EnvironmentImageTexture | undefined;
}

interface EnvironmentImageTexture {
  readonly handle: TextureHandle;
  /** Rotation of the cube. */
  readonly rotation: Rotation;
  readonly descriptor: GraphTextureDescriptor;
}

/** Targets of the passes, as graph handles of this frame. */
interface EnvironmentTargets {
  readonly lobes: EnvironmentTexture;
  irradiance: GraphBuffer;
}

const CUBE: GraphTextureDescriptor = {
  name: 'environment, unfiltered',
  width: CUBE_SIZE,
  height: CUBE_SIZE,
  layers: 6,
  mipLevelCount: SOURCE_LEVELS,
  format: CUBE_FORMAT,
};
/** Shaders of computed sources besides the studio. */
const COMPUTED_SOURCES: Readonly<Record<number, FaceShader>> = {
  [EnvironmentKind.sky]: { code: skyCode },
  [EnvironmentKind.atmosphere]: { code: atmosphereCode, vertexEntryPoint: 'coverFaceOverGround' },
};
const STUDIO: FaceShader = { code: studioCode };
/** Images are not read any more once the cube has been drawn, so they are not results of the graph. */
const IMAGE: ImportOptions = { isResult: false };

/**
 * Adds about 90 small passes to the graph of one frame. They fill the lobes and the irradiance buffer of an
 * environment.
 *
 *   images, studio, skies, added up ─► cube 256² ─halve─► its mip levels ─┬─ blur ──► lobes: 5 levels, roughness 0 to 1
 *                                         │                 │             └─ project ─► irradiance: 9 coefficients
 *                                      sun pass ─► sun ─────┴─ removed here, added to blurred lobes, kept in `Irradiance`
 */
export function addEnvironmentPasses(
  graph: FrameGraph,
  rhi: ImmediateContext,
  pipelines: EnvironmentPipelines,
  sources: readonly EnvironmentSource[],
  toSun: readonly [number, number, number],
  air: readonly number[],
  targets: EnvironmentTargets,
): void {
  const resources = new FaceResources(rhi, pipelines);
  const passes: GraphPass[] = [];
  const add = (
    shader: FaceShader,
    face: Omit<Face, 'face'>,
    target: EnvironmentTexture,
    what: string,
    source?: FaceSource,
  ) => {
    for (let side = 0; side < 6; side++) {
      passes.push(new FacePass(resources, shader, { ...face, face: side }, target, what, source));
    }
  };
  const cube: EnvironmentTexture = { version: graph.setup.createTexture(CUBE) };
  for (const [index, { kind, weight, image }] of sources.entries()) {
    const face = { level: 0, size: CUBE_SIZE, toSun, air, weight, isAdded: index > 0 };
    const what = `source ${index + 1}`;
    if (image) {
      const isCube = image.descriptor.layers === 6;
      const texture = { version: graph.importTexture(image.descriptor, image.handle, IMAGE) };
      const { rotation } = image;
      const code = isCube ? sourceCubeCode : imageCode;
      add({ code }, { ...face, rotation }, cube, what, { texture, isCube });
    } else add(COMPUTED_SOURCES[kind] ?? STUDIO, face, cube, what);
  }
  passes.push(new IrradiancePass(resources, SUN_SHADER, cube, targets));
  for (let level = 1; level < SOURCE_LEVELS; level++) {
    const above = { texture: cube, isCube: true, level: level - 1 };
    const face = { level, size: CUBE_SIZE >> level, sourceSize: CUBE_SIZE >> (level - 1) };
    if (level === 1) {
      add({ entryPoint: 'halveWithoutSun' }, face, cube, 'unfiltered', { ...above, sun: targets });
    } else add({ entryPoint: 'halve' }, face, cube, 'unfiltered', above);
  }
  const whole = { texture: cube, isCube: true };
  for (let level = 0; level < LOBE_LEVELS; level++) {
    const face = { level, size: CUBE_SIZE >> level, sourceSize: CUBE_SIZE };
    const roughness = level / (LOBE_LEVELS - 1);
    const blurred = { ...face, roughness, samples: LOBE_SAMPLES[level] as number };
    if (level === 0) add({ entryPoint: 'halve' }, face, targets.lobes, 'reflected', whole);
    else add({ entryPoint: 'blur' }, blurred, targets.lobes, 'reflected', { ...whole, sun: targets });
  }
  for (const pass of passes) graph.addPass(pass);
  const images = sources.flatMap(({ image }) => (image ? [image.handle] : []));
  graph.addPass(new IrradiancePass(resources, IRRADIANCE_SHADER, cube, targets, images));
}
