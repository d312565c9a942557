/**
 * The render commands: all that the game and the render thread both know (SYSTEMS G3, R2). Objects are named
 * by ids that the game allocates, one dense id space per kind; `NO_ID` means none. A record is executed
 * exactly once, in order; what it names was created by an earlier record. Creating an id again replaces it.
 * What each command carries stands in `command-table.ts`.
 */

/** Record name by opcode; 0 is never valid. */
const names = [
  '',
  'beginFrame',
  'endFrame',
  'surfaceSize',
  'sceneSettings',
  'setRenderer',
  'setToneCurve',
  'setEffect',
  'createNode',
  'attachNode',
  'destroyNode',
  'nodeTransforms',
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
  'setShadow',
  'clusterLights',
  'setView',
  'clearView',
  'setAddedView',
  'removeAddedView',
  'readView',
  'setCanvas',
  'pick',
  'setEnvironmentImage',
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

/** The stream of render commands, as messages name it and its records. */
export const renderStream = { name: 'render commands', names: names as readonly RenderCommandName[] };

/** Opcode by record name. */
export const RenderOpcode = Object.fromEntries(names.map((name, opcode) => [name, opcode])) as Readonly<
  Record<RenderCommandName, number>
>;

export const NO_ID = 0xffffffff;

/** Bits of `selectScene.flags`. */
export enum SceneFlag {
  /** What follows is its world's update in this frame: the time counts, and so does `running`. */
  frame = 1,
  /** The world ticks, in a running engine. */
  running = 2,
  /** The surface shows it from now on. */
  shown = 4,
  /** It is no more; what follows is of scene 0. */
  destroyed = 8,
}

/** Bits of `beginFrame.flags`. */
export enum RenderFrameFlag {
  /** Deterministic stepping: wait for pipelines, read no clock. */
  step = 1,
  /** Read the finished picture back (`captureFrame`). */
  capture = 2,
  /** The engine was started: scene time goes on by the clock, also when the next frame is late. */
  running = 4,
}

export enum PrimitiveFlag {
  visible = 1,
  castsNoShadow = 2,
  receivesNoShadow = 4,
  /** Its size is one of the screen: no box in the scene holds it. */
  alwaysSeen = 8,
  /** It has a colour of its own: see `setColors`. */
  colored = 16,
}
export enum LightKind {
  directional = 0,
  point = 1,
  spot = 2,
}
export enum LightFlag {
  visible = 1,
  castsShadow = 2,
}
/** Where the light from all around comes from. */
export enum EnvironmentKind {
  none = 0,
  image = 1,
  studio = 2,
  sky = 3,
}
/** How views are drawn. */
export const RENDERERS = ['forward', 'deferred'] as const;
export type RendererName = (typeof RENDERERS)[number];
export enum Projection {
  perspective = 0,
  orthographic = 1,
}

export const TONE_MAPPINGS = ['none', 'aces', 'agx', 'khronos-neutral'] as const;
export type ToneMapping = (typeof TONE_MAPPINGS)[number];

/** Loops, fans and the like are converted before they get here. */
export const TOPOLOGIES = [
  'triangle-list',
  'triangle-strip',
  'line-list',
  'line-strip',
  'point-list',
] as const;
export type Topology = (typeof TOPOLOGIES)[number];
/** Besides them, triangles whose vertices face the camera (`shaders/mesh-billboards.wgsl`). Index = the `topology` field. */
export const DRAWN_TOPOLOGIES = [...TOPOLOGIES, 'billboards'] as const;
export type DrawnTopology = (typeof DRAWN_TOPOLOGIES)[number];
