/**
 * What each render command carries. Only threads that read or describe commands load this; whoever writes them knows the
 * opcodes (`commands.ts`) and writes by hand.
 */
import type { RecordFields, RecordTable } from '../core/records/record-table.js';
import { type RenderCommandName, RenderOpcode, renderStream } from './commands.js';

/** A camera: the node it hangs on, or NO_ID, and what it sees. `view.ts` reads the words in this order. */
const LENS = {
  camera: 'u32',
  projection: 'u32',
  extentX: 'f32',
  extentY: 'f32',
  near: 'f32',
  far: 'f32',
  aspect: 'f32',
} as const;

const fields = {
  /** `deltaSeconds` and `timeSeconds` are the frame's only clock; `flags`: `RenderFrameFlag`. */
  beginFrame: { frame: 'u32', flags: 'u32', deltaSeconds: 'f32', timeSeconds: 'f64' },
  endFrame: { frame: 'u32' },

  /** Size of the surface in physical pixels; `pixelRatio`: of them to one of the page's (CSS), each way. */
  surfaceSize: { width: 'u32', height: 'u32', pixelRatio: 'f32' },
  /** The background, its colour linear (sRGB where `setToneCurve` has a `display`) and not multiplied by `alpha`; `exposure` is a factor; `sampleCount`: 1 or 4. */
  /** `renderer`: index in `RENDERERS`. Until the first one views are drawn by the forward renderer. */
  setRenderer: { renderer: 'u32' },
  sceneSettings: { red: 'f32', green: 'f32', blue: 'f32', alpha: 'f32', exposure: 'f32', sampleCount: 'u32' },
  /**
   * WGSL of `fn toneCurve(color: vec3f) -> vec3f`, linear to linear; empty: none. `display`: of `fn displayColor(color: vec4f) -> vec4f`, with
   * which surfaces map tones themselves, a `toneCurve` included; empty: the last pass does.
   */
  setToneCurve: { code: 'string', display: 'string' },
  /**
   * Sets an effect of all views, or where `view` is not NO_ID of one. `effect`: index in `EFFECT_NAMES`; `state`: `EffectState`; `values`: its
   * options, see `effects.ts`, where it is on.
   */
  setEffect: { view: 'u32', effect: 'u32', state: 'u32', values: 'f32[]' },

  // Nodes: the transform hierarchy.
  createNode: { node: 'u32', parent: 'u32' },
  attachNode: { node: 'u32', parent: 'u32' },
  destroyNode: { node: 'u32' },
  /** Per frame: `count` ids, then 10 floats each: position xyz, rotation quaternion xyzw, scale xyz; local to the parent. */
  nodeTransforms: { nodes: 'u32[]', transforms: 'f32[]' },

  // Geometry: interleaved vertices as `vertex-format.ts` says, then 32-bit indices, in one buffer.
  createGeometry: {
    data: 'attachment',
    geometry: 'u32',
    vertexFormat: 'u32',
    topology: 'u32',
    vertexCount: 'u32',
    indexCount: 'u32',
    minimumX: 'f32',
    minimumY: 'f32',
    minimumZ: 'f32',
    maximumX: 'f32',
    maximumY: 'f32',
    maximumZ: 'f32',
    label: 'string',
  },
  /** Other words in its buffer, from `offset` (in words) on, and the box around all its positions then. */
  updateGeometry: {
    geometry: 'u32',
    offset: 'u32',
    minimumX: 'f32',
    minimumY: 'f32',
    minimumZ: 'f32',
    maximumX: 'f32',
    maximumY: 'f32',
    maximumZ: 'f32',
    data: 'u32[]',
  },
  destroyGeometry: { geometry: 'u32' },

  /** The attachment is an ImageBitmap, or an ArrayBuffer of texels as `texels` says (`texels.ts`); `sampler`: `packSampler`. */
  createTexture: {
    image: 'attachment',
    texture: 'u32',
    width: 'u32',
    height: 'u32',
    texels: 'u32',
    sampler: 'u32',
    label: 'string',
  },
  /** Part of an image that came as RGBA8: rows from the top, `x` and `y` from the left and the top. Its mip levels are drawn anew. */
  updateTexture: { image: 'attachment', texture: 'u32', x: 'u32', y: 'u32', width: 'u32', height: 'u32' },
  /** A texture that views are drawn into, RGBA8 in sRGB. */
  createRenderTexture: {
    texture: 'u32',
    width: 'u32',
    height: 'u32',
    srgb: 'u32',
    sampler: 'u32',
    label: 'string',
  },
  destroyTexture: { texture: 'u32' },

  /**
   * Before the material is created: WGSL that decides how it looks and where its vertices lie (`render/materials/material-shaders.ts`).
   * `textureCount`: how many textures the code reads, at slots from 0 on. `features`: `ShaderFeature`, of the code.
   * `displacement`: how far it moves vertices at most, in the object's space.
   */
  setMaterialShader: {
    material: 'u32',
    textureCount: 'u32',
    features: 'u32',
    displacement: 'f32',
    code: 'string',
  },
  /** Creates or updates. The layout of `parameters` and `textures` stands in `material-layout.ts`. */
  setMaterial: { material: 'u32', flags: 'u32', textures: 'u32[]', parameters: 'f32[]' },
  destroyMaterial: { material: 'u32' },

  /** `flags`: `PrimitiveFlag`. */
  createPrimitive: {
    primitive: 'u32',
    node: 'u32',
    geometry: 'u32',
    material: 'u32',
    flags: 'u32',
    /** One bit per layer that it is in. */
    layers: 'u32',
  },
  /** Render-dynamic-data of a primitive. */
  updatePrimitive: { primitive: 'u32', material: 'u32', flags: 'u32', layers: 'u32' },
  destroyPrimitive: { primitive: 'u32' },
  /** Of primitives with `PrimitiveFlag.colored`: four factors each on the base colour, linear, red green blue alpha, up to 65,504. */
  setColors: { primitives: 'u32[]', colors: 'f32[]' },
  /**
   * Behind its `createPrimitive`: the geometries it is drawn from, each from its size on: the diameter of a sphere, as a share of the
   * view's height. `sizes` falls; what is smaller than the last of them is not drawn, nor is a geometry of NO_ID. The sphere is the one
   * around the first geometry where `node` is NO_ID; else `sphere` is its centre in that node's space, and its radius.
   */
  setLods: { primitive: 'u32', geometries: 'u32[]', sizes: 'f32[]', node: 'u32', sphere: 'f32[]' },
  /**
   * Behind their `createPrimitive`: triangles that lie within what each of them is drawn from. What is wholly behind them is not drawn.
   * `corners`: three vertices per triangle; `positions`: 3 floats per vertex, in the space of a primitive's node.
   */
  setOccluder: { primitives: 'u32[]', corners: 'u32[]', positions: 'f32[]' },

  /** `joints`: nodes; `matrices`: 12 floats per joint, 3 rows of what takes the mesh's space to the joint's. */
  createSkin: { skin: 'u32', joints: 'u32[]', matrices: 'f32[]' },
  destroySkin: { skin: 'u32' },
  /** `boxes`: 6 floats per joint, centre and half extents of the vertices that it moves; a negative extent: none. */
  attachSkin: { primitive: 'u32', skin: 'u32', boxes: 'f32[]' },
  /**
   * The shapes that a geometry's vertices can be moved to. `data`: per target and vertex by how much, `size` floats: position, normal,
   * and with 9 the tangent. `boxes`: 6 floats per target, the least and the most that it moves a vertex by.
   */
  setMorphTargets: { data: 'attachment', geometry: 'u32', size: 'u32', boxes: 'f32[]' },
  /** How much of each target of its geometry a primitive shows, where no clip says otherwise. */
  setMorphWeights: { primitive: 'u32', weights: 'f32[]' },

  /** Creates or updates. `kind`: `LightKind`; colour linear; intensity in lux (directional) or candela; range in metres, 0 = unlimited; angles in radians. */
  setLight: {
    light: 'u32',
    node: 'u32',
    kind: 'u32',
    flags: 'u32',
    red: 'f32',
    green: 'f32',
    blue: 'f32',
    intensity: 'f32',
    range: 'f32',
    innerConeAngle: 'f32',
    outerConeAngle: 'f32',
  },
  destroyLight: { light: 'u32' },
  /**
   * How a light casts its shadows, while `setLight` says that it does. `mapSize`: texels each way of a map; `cascades`: of a
   * directional light; `distance` in metres, from the camera (directional) or the light, may be Infinity; `softness`: the
   * light's size, as the radius of what is seen of it, in radians (directional) or metres; 0: shadows have narrow edges.
   */
  setShadow: { light: 'u32', mapSize: 'u32', cascades: 'u32', distance: 'f32', softness: 'f32' },

  /** Sent with a light that is one too many for going through all of them at each pixel. */
  clusterLights: {},

  /**
   * The view that is drawn. Perspective: `extentY` is the vertical field of view in radians, `extentX` 0.
   * Orthographic: half width and half height in metres; `extentX` 0 follows the surface's aspect ratio.
   * `far` may be Infinity for perspective. `aspect` 0 follows the surface.
   */
  setView: LENS,
  clearView: {},
  /**
   * Creates or updates a further view, drawn after those with smaller `order`s; `camera` NO_ID: it draws nothing. `layers`: one
   * bit per layer that it shows. `target`: a texture of `createRenderTexture`, or NO_ID for the surface, or for the canvas of
   * `setCanvas` that `canvas` names (0: none). It has the rectangle of that, in shares of its width and height from the top
   * left. The rest as in `setView`.
   */
  setAddedView: {
    view: 'u32',
    order: 'u32',
    layers: 'u32',
    target: 'u32',
    canvas: 'u32',
    x: 'f32',
    y: 'f32',
    width: 'f32',
    height: 'f32',
    ...LENS,
  },
  removeAddedView: { view: 'u32' },
  /** Reads a texture back when the frame's views are drawn, or where `canvas` is not 0 that canvas, under the number `request`. */
  readView: { texture: 'u32', canvas: 'u32', request: 'u32' },
  /**
   * Creates or updates a further canvas, which the RHI knows by the same number, from 1 on. In physical pixels; `pixelRatio`:
   * of them to one CSS pixel; 0: the canvas is no more.
   */
  setCanvas: { canvas: 'u32', width: 'u32', height: 'u32', pixelRatio: 'f32' },
  /**
   * Reads back, under the number `request`, which primitives are seen in a part of a view, given in shares of its width and height
   * from the top left, looked at in so many columns and rows: see `picking.ts`. `viewWidth`, `viewHeight`: of what the view is drawn for, in CSS pixels. The rest
   * as in `setAddedView`.
   */
  pick: {
    request: 'u32',
    layers: 'u32',
    columns: 'u32',
    rows: 'u32',
    viewWidth: 'f32',
    viewHeight: 'f32',
    x: 'f32',
    y: 'f32',
    width: 'f32',
    height: 'f32',
    ...LENS,
  },

  /**
   * Radiance for the next `setEnvironment`, rows from the top. `faces`: 1, equirectangular, whose centre lies towards +X; or 6, of a cube.
   * `format`: which of `ENVIRONMENT_FORMATS`. `rotation`: of a cube, a quaternion that takes a
   * direction to where the cube holds what comes from there. Several are for its sources in order.
   */
  setEnvironmentImage: {
    image: 'attachment',
    width: 'u32',
    height: 'u32',
    faces: 'u32',
    format: 'u32',
    rotationX: 'f32',
    rotationY: 'f32',
    rotationZ: 'f32',
    rotationW: 'f32',
    label: 'string',
  },
  /**
   * Light from all around. `kinds`: the `EnvironmentKind` of each source; `weights`: factors on their radiance, which is added up;
   * `intensity` is a factor on radiance; `rotation` in radians around Y;
   * `background`: 1 where it is seen behind the scene, blurred by 0 to 1; the sun's direction is of unit length.
   */
  setEnvironment: {
    background: 'u32',
    backgroundBlur: 'f32',
    intensity: 'f32',
    rotation: 'f32',
    sunX: 'f32',
    sunY: 'f32',
    sunZ: 'f32',
    kinds: 'u32[]',
    weights: 'f32[]',
  },
  /** Ambient light from above and from below: colour, linear, times intensity. */
  setAmbient: {
    skyRed: 'f32',
    skyGreen: 'f32',
    skyBlue: 'f32',
    groundRed: 'f32',
    groundGreen: 'f32',
    groundBlue: 'f32',
  },

  /**
   * What a node or material does by itself from `startSeconds` of scene time on (`motion.ts`); replaces what it did.
   * `target`: `MotionTarget`; `kind`: `MotionKind`. Gone with its target.
   */
  declareMotion: { target: 'u32', id: 'u32', kind: 'u32', startSeconds: 'f64', parameters: 'f32[]' },
  clearMotion: { target: 'u32', id: 'u32' },
  /** A camera on its way to where the user has turned it: `declareMotion` of kind `follow`, for late frames only. */
  followGoal: { target: 'u32', id: 'u32', kind: 'u32', startSeconds: 'f64', parameters: 'f32[]' },
  /** Nothing moves by itself until the next frame of a running engine: it has stopped, or is hidden. */
  holdMotion: {},

  /** What a file animates: see `clip.ts`. */
  createClip: { clip: 'u32', duration: 'f32', tracks: 'u32[]', floats: 'f32[]' },
  destroyClip: { clip: 'u32' },
  /**
   * Plays a clip from `startSeconds` of scene time on, when it is at `offsetSeconds`; replaces what the playback was. `mode`:
   * `PlaybackMode`. The weight goes from one to the other from `fadeStart` on. `nodes`: by track, what it moves; NO_ID: nothing.
   */
  setPlayback: {
    playback: 'u32',
    clip: 'u32',
    startSeconds: 'f64',
    offsetSeconds: 'f64',
    speed: 'f64',
    mode: 'u32',
    fadeStart: 'f64',
    fadeSeconds: 'f64',
    weightFrom: 'f64',
    weightTo: 'f64',
    isAdditive: 'u32',
    nodes: 'u32[]',
  },
  removePlayback: { playback: 'u32' },

  /**
   * For a render module (`src/render-modules/render/render-modules.ts`): `command` is the number of one that it has defined, 0 removes
   * the module; `kind`: `DataKind`. `sequence` rises from one to the next and says, after a restart, what was executed.
   */
  callModule: { module: 'u32', command: 'u32', sequence: 'u32', kind: 'u32', data: 'bytes' },

  /**
   * What follows is of this world's scene, until the next one; the first creates it. Scene 0 is there from the beginning, and
   * pages with one world have no other. Geometry, materials, textures and views are those of all scenes, whichever is selected.
   * `flags`: `SceneFlag`; `timeSeconds`: the world's scene time in this frame, which scene 0 has in `beginFrame`.
   */
  selectScene: { scene: 'u32', flags: 'u32', timeSeconds: 'f64' },
} as const satisfies Readonly<Record<RenderCommandName, RecordFields>>;

export const renderCommands: RecordTable<typeof fields> = { ...renderStream, opcodes: RenderOpcode, fields };
