/**
 * The render commands, which the game sends to the render thread (SYSTEMS G3, R2). The game allocates the ids of
 * objects, one dense id space per kind. `NO_ID` means none. Each record is executed exactly once, in order, and names
 * only objects that earlier records have created. Creating an id again replaces its object.
 * `command-table.ts` lists the fields of each command.
 */

/** Record name by opcode; 0 is never valid. */
const names = [
  '',
  'beginFrame',
  'endFrame',
  'surfaceSize',
  'sceneSettings',
  'setRenderer',
  'setEffect',
  'setEffectTable',
  'setEffectActors',
  'createNode',
  'attachNode',
  'destroyNode',
  'nodeTransforms',
  'nodePlaces',
  'createGeometry',
  'updateGeometry',
  'destroyGeometry',
  'createTexture',
  'updateTexture',
  'createRenderTexture',
  'destroyTexture',
  'setMaterialShader',
  'setMaterial',
  'destroyMaterial',
  'createPrimitive',
  'updatePrimitive',
  'destroyPrimitive',
  'setColors',
  'setLods',
  'setOccluder',
  'createSkin',
  'destroySkin',
  'attachSkin',
  'setMorphTargets',
  'setMorphWeights',
  'setLight',
  'destroyLight',
  'setParticles',
  'emitParticles',
  'destroyParticles',
  'setShadowCatcher',
  'destroyShadowCatcher',
  'setDecal',
  'destroyDecal',
  'setShadow',
  'clusterLights',
  'setView',
  'clearView',
  'setAddedView',
  'removeAddedView',
  'readView',
  'capturePicture',
  'setCanvas',
  'pick',
  'setEnvironmentImage',
  'setSky',
  'setEnvironment',
  'setAmbient',
  'declareMotion',
  'clearMotion',
  'followGoal',
  'holdMotion',
  'createClip',
  'destroyClip',
  'setPlayback',
  'removePlayback',
  'callModule',
  'selectScene',
] as const;

export type RenderCommandName = Exclude<(typeof names)[number], ''>;

/** Names of the stream of render commands and of its records, for messages. */
export const renderStream = { name: 'render commands', names: names as readonly RenderCommandName[] };

/** Opcode by record name. */
export const RenderOpcode = Object.fromEntries(names.map((name, opcode) => [name, opcode])) as Readonly<
  Record<RenderCommandName, number>
>;

export const NO_ID = 0xffffffff;

/** Bits of `selectScene.flags`. */
export enum SceneFlag {
  /** The commands that follow are the world's update in this frame: `timeSeconds` and `running` are valid. */
  frame = 1,
  /** The engine is running and the world ticks, so the world's scene time advances with the clock. */
  running = 2,
  /** The surface shows the world from now on. */
  shown = 4,
  /** The world was destroyed. The commands that follow are for scene 0. */
  destroyed = 8,
}

/** Bits of `beginFrame.flags`. */
export enum RenderFrameFlag {
  /** Deterministic stepping: wait for pipelines, read no clock. */
  step = 1,
  /** Read the finished image back (`captureFrame`). */
  capture = 2,
  /** The engine is running: scene time advances with the clock even when the next frame is late. */
  running = 4,
}

/** Bits of `setAddedView.own`: the settings that the view does not share with all views, and `shadowless`. */
export enum ViewSetting {
  background = 1,
  exposure = 2,
  toneMapping = 4,
  antialias = 8,
  debugView = 16,
  transparency = 32,
  /** The view shows no shadows. */
  shadowless = 64,
}

export enum PrimitiveFlag {
  visible = 1,
  castsNoShadow = 2,
  receivesNoShadow = 4,
  /** The primitive has a fixed size on the screen, so no box in the scene bounds it: it is never culled. */
  alwaysSeen = 8,
  /** The primitive has a colour of its own (`setColors`). */
  colored = 16,
  /** Picks pass through the primitive. */
  notPicked = 32,
}
/** Lowest bit of the primitive's `renderOrder` in its flags: a signed number of 16 bits. */
export const RENDER_ORDER_SHIFT = 16;
export enum LightKind {
  directional = 0,
  point = 1,
  spot = 2,
}
export enum LightFlag {
  visible = 1,
  castsShadow = 2,
}
/** The source of image-based light. */
export enum EnvironmentKind {
  none = 0,
  image = 1,
  studio = 2,
  sky = 3,
  /** The sky of `setSky`. */
  atmosphere = 4,
}
/** The renderers that draw views. */
export const RENDERERS = ['forward', 'deferred'] as const;
export type RendererName = (typeof RENDERERS)[number];
export enum Projection {
  perspective = 0,
  orthographic = 1,
}

export const TONE_MAPPINGS = ['none', 'aces', 'agx', 'khronos-neutral'] as const;
export type ToneMapping = (typeof TONE_MAPPINGS)[number];

/** How blended surfaces are drawn: one after the other from back to front, or at once with weights. */
export const TRANSPARENCIES = ['sorted', 'weighted'] as const;
export type Transparency = (typeof TRANSPARENCIES)[number];

/** Ways to smooth edges in a picture with one sample per pixel; `'none'`: edges are not smoothed. */
export const SMOOTHINGS = ['none', 'fxaa', 'smaa', 'taa'] as const;
export type Smoothing = (typeof SMOOTHINGS)[number];

/** Pictures that a view shows instead of the lit scene; `'none'`: the scene. */
export const DEBUG_VIEWS = [
  'none',
  'base-color',
  'normals',
  'roughness',
  'metallic',
  'occlusion',
  'emissive',
  'uv',
  'overdraw',
  'lights',
  'cascades',
  'wireframe',
  'motion',
] as const;
export type DebugView = (typeof DEBUG_VIEWS)[number];

/** Topologies that pages can choose. The loops and fans of files are converted to these topologies. */
export const TOPOLOGIES = [
  'triangle-list',
  'triangle-strip',
  'line-list',
  'line-strip',
  'point-list',
] as const;
export type Topology = (typeof TOPOLOGIES)[number];
/**
 * All topologies of geometries; the index is the `topology` field. `billboards` are triangles whose vertices face the
 * camera (`shaders/mesh-billboards.wgsl`).
 */
export const DRAWN_TOPOLOGIES = [...TOPOLOGIES, 'billboards'] as const;
export type DrawnTopology = (typeof DRAWN_TOPOLOGIES)[number];
