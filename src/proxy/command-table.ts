/**
 * The fields of each render command. Only threads that read or describe commands load this file. Writers know the
 * opcodes (`commands.ts`) and write the fields by hand.
 */
import type { RecordFields, RecordTable } from '../core/records/record-table.js';
import { type RenderCommandName, RenderOpcode, renderStream } from './commands.js';
import { groundCommands } from './ground-commands.js';
import { motionCommands } from './motion-commands.js';
import { particleCommands } from './particle-commands.js';
import { skyCommands } from './sky-commands.js';

/** A camera's node or NO_ID, its lens, and a bit per layer that it shows. `view-parameters.ts` reads these words. */
const LENS = {
  camera: 'u32',
  projection: 'u32',
  extentX: 'f32',
  extentY: 'f32',
  near: 'f32',
  far: 'f32',
  aspect: 'f32',
  cameraLayers: 'u32',
} as const;

/** The look of views, see `sceneSettings`. */
const LOOK = {
  red: 'f32',
  green: 'f32',
  blue: 'f32',
  alpha: 'f32',
  exposure: 'f32',
  sampleCount: 'u32',
  toneMapping: 'u32',
  debugView: 'u32',
  transparency: 'u32',
  smoothing: 'u32',
} as const;

const fields = {
  /** `deltaSeconds`: since the last frame. `timeSeconds`: scene time of scene 0. `flags`: `RenderFrameFlag`. */
  beginFrame: { frame: 'u32', flags: 'u32', deltaSeconds: 'f32', timeSeconds: 'f64' },
  endFrame: { frame: 'u32' },

  /** Size of the surface in physical pixels. `pixelRatio`: physical pixels per CSS pixel, along each axis. */
  surfaceSize: { width: 'u32', height: 'u32', pixelRatio: 'f32' },
  /** `renderer`: index in `RENDERERS`. The forward renderer draws all views before the first `setRenderer`. */
  setRenderer: { renderer: 'u32' },
  /**
   * The look of all views. `red` to `alpha`: the background, a linear colour, not multiplied by `alpha`. `exposure`: a
   * factor. `sampleCount`: 1 or 4. `toneMapping`: index in `TONE_MAPPINGS`. `hdr`: 1 if the last pass maps tones, 0 if
   * the shaders of meshes do. `debugView`: index in `DEBUG_VIEWS`. `transparency`: index in
   * `TRANSPARENCIES`. `smoothing`: index in `SMOOTHINGS`. `resolutionScale`: factor on the width and the height in which
   * scenes on canvases are drawn.
   */
  sceneSettings: { ...LOOK, hdr: 'u32', resolutionScale: 'f32' },
  /**
   * Sets an effect of one view, or of all views when `view` is NO_ID. `effect`: index in `EFFECT_NAMES`. `state`:
   * `EffectState`. `values`: the effect's options while it is on (`effects.ts`).
   */
  setEffect: { view: 'u32', effect: 'u32', state: 'u32', values: 'f32[]' },
  /**
   * Sets the table of colours that the next `setEffect` of the view and effect refers to (`color-table.ts`). `isCube`:
   * 1 for a cube, 0 for curves.
   */
  setEffectTable: {
    texels: 'attachment',
    view: 'u32',
    effect: 'u32',
    size: 'u32',
    isCube: 'u32',
    leastRed: 'f32',
    leastGreen: 'f32',
    leastBlue: 'f32',
    mostRed: 'f32',
    mostGreen: 'f32',
    mostBlue: 'f32',
  },

  /** Sets the actors of an effect (`EffectActors`). `pairs`: a scene and a node for each actor. */
  setEffectActors: { view: 'u32', effect: 'u32', pairs: 'u32[]' },

  // Nodes: the transform hierarchy.
  createNode: { node: 'u32', parent: 'u32' },
  attachNode: { node: 'u32', parent: 'u32' },
  destroyNode: { node: 'u32' },
  /**
   * Sets transforms of nodes, relative to their parents. `transforms`: 14 words per node, in the layout of
   * `transform-array.ts`. `padding`: zeros, so that the transforms begin at an even word.
   */
  nodeTransforms: { padding: 'u32[]', transforms: 'u32[]' },
  /**
   * Sets the transforms of the places of instances. `places`: 11 words per place, in the layout of `place-record.ts`.
   * `padding`: as above. Rotations need not have unit length.
   */
  nodePlaces: { padding: 'u32[]', places: 'u32[]' },

  // Geometry: interleaved vertices in the layout of `vertex-format.ts`, then 32-bit indices, in one buffer.
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
  /**
   * Replaces words of the geometry's buffer, from the word `offset` on. The box contains all positions after the
   * update.
   */
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

  /**
   * The attachment is an ImageBitmap, or an ArrayBuffer of texels that `texels` describes (`texels.ts`). `sampler`: the
   * word that `packSampler` returns.
   */
  createTexture: {
    image: 'attachment',
    texture: 'u32',
    width: 'u32',
    height: 'u32',
    texels: 'u32',
    sampler: 'u32',
    label: 'string',
  },
  /**
   * Replaces a rectangle of an RGBA8 texture, and generates the mip levels again. `x` counts from the left, `y` and the
   * image's rows from the top.
   */
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
   * Sets the WGSL of a material (`render/materials/material-shaders.ts`). Precedes the material's `setMaterial`.
   * - `textureCount`: textures that the code reads, at slots from 0 on
   * - `features`: `ShaderFeature` bits of the code; `varyings`: types of its varyings (`materials/varying-types.ts`)
   * - `displacement`: maximum distance by which the code moves a vertex, in the object's space
   */
  setMaterialShader: {
    material: 'u32',
    textureCount: 'u32',
    features: 'u32',
    varyings: 'u32',
    displacement: 'f32',
    code: 'string',
  },
  /** Creates or updates a material. `material-layout.ts` has the layout of `parameters` and `textures`. */
  setMaterial: { material: 'u32', flags: 'u32', textures: 'u32[]', parameters: 'f32[]' },
  destroyMaterial: { material: 'u32' },

  /** `flags`: `PrimitiveFlag`, and the order of drawing from `RENDER_ORDER_SHIFT` on. */
  createPrimitive: {
    primitive: 'u32',
    node: 'u32',
    geometry: 'u32',
    material: 'u32',
    flags: 'u32',
    /** One bit per layer of the primitive. */
    layers: 'u32',
  },
  /** Replaces a primitive's material, flags and layers, which may change in any frame. */
  updatePrimitive: { primitive: 'u32', material: 'u32', flags: 'u32', layers: 'u32' },
  destroyPrimitive: { primitive: 'u32' },
  /**
   * Sets colours of primitives that have `PrimitiveFlag.colored`: four linear factors each on the base colour (red,
   * green, blue, alpha), up to 65,504.
   */
  setColors: { primitives: 'u32[]', colors: 'f32[]' },
  /**
   * Sets a primitive's levels of detail. Follows its `createPrimitive`.
   * - `geometries`: the geometry of each level; NO_ID draws nothing
   * - `sizes`: the minimum size of each level, in falling order; below the last size nothing is drawn. A size is the
   *   diameter of a sphere as a fraction of the view's height.
   * - `sphere`: a centre in the space of `node`, and a radius. If `node` is NO_ID, the sphere around the first geometry
   *   is used.
   */
  setLods: { primitive: 'u32', geometries: 'u32[]', sizes: 'f32[]', node: 'u32', sphere: 'f32[]' },
  /**
   * Sets an occluder of primitives. Follows their `createPrimitive`. The occluder's triangles lie within the drawn
   * geometry of each primitive. Primitives completely behind the triangles are not drawn. `corners`: three vertices per
   * triangle. `positions`: 3 floats per vertex, in the space of a primitive's node.
   */
  setOccluder: { primitives: 'u32[]', corners: 'u32[]', positions: 'f32[]' },

  /**
   * `joints`: nodes. `matrices`: 12 numbers per joint, the 3 rows of the matrix from the mesh's space to the joint's
   * space. For a joint that is NO_ID, the matrix leads to world space.
   */
  createSkin: { skin: 'u32', joints: 'u32[]', matrices: 'f64[]' },
  destroySkin: { skin: 'u32' },
  /**
   * `boxes`: 6 floats per joint, centre and half extents of the vertices that the joint moves. A negative extent means
   * that the joint moves none.
   */
  attachSkin: { primitive: 'u32', skin: 'u32', boxes: 'f32[]' },
  /**
   * Sets the morph targets of a geometry. `data`: offsets, `size` floats per target and vertex: position and normal
   * (6), or also the tangent (9). `boxes`: 6 floats per target, minimum and maximum of the offsets of positions.
   */
  setMorphTargets: { data: 'attachment', geometry: 'u32', size: 'u32', boxes: 'f32[]' },
  /** Sets the weights of the morph targets of a primitive's geometry. Playing clips are mixed with them. */
  setMorphWeights: { primitive: 'u32', weights: 'f32[]' },

  /**
   * Creates or updates a light. `kind`: `LightKind`. The colour is linear. The intensity is in lux (directional) or
   * candela; `range` in metres, 0 = unlimited; angles in radians.
   */
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
  ...particleCommands,
  ...groundCommands,
  /**
   * Sets how a light casts its shadows. They are drawn while `setLight` enables them.
   * - `mapSize`: texels along each side of a map
   * - `cascades`: number of cascades of a directional light
   * - `distance`: metres from the camera (directional) or from the light; may be Infinity
   * - `softness`: radius of the light in metres, or in radians as seen from a surface (directional); 0: hard edges
   */
  setShadow: { light: 'u32', mapSize: 'u32', cascades: 'u32', distance: 'f32', softness: 'f32' },

  /** Creates the clusters of lights. Sent with each light beyond those that shaders loop over at each pixel. */
  clusterLights: {},

  /**
   * Sets the main view. Perspective: `extentY` is the vertical field of view in radians, `extentX` 0. Orthographic:
   * half width and half height in metres; `extentX` 0 follows the surface's aspect ratio. `far` may be Infinity for
   * perspective. `aspect` 0 follows the surface.
   */
  setView: LENS,
  clearView: {},
  /**
   * Creates or updates an added view. Views with smaller `order`s are drawn first. `own`: `ViewSetting` bits. Other
   * fields are those of `setView` and `sceneSettings`.
   * - `camera`: NO_ID draws nothing
   * - `layers`: one bit per layer that the view shows
   * - `target`: a texture of `createRenderTexture`, or NO_ID for a canvas
   * - `canvas`: the canvas to draw into if `target` is NO_ID: a canvas of `setCanvas`, or 0 for the surface
   *
   * The rectangle is in shares of the target's width and height, from the top left.
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
    own: 'u32',
    ...LOOK,
    ...LENS,
  },
  removeAddedView: { view: 'u32' },
  /**
   * Reads a texture back, under the number `request`, once the frame's views are drawn. A `canvas` other than 0 is read
   * instead of the texture.
   */
  readView: { texture: 'u32', canvas: 'u32', request: 'u32' },
  /**
   * Draws a picture of any size after the frame, by tiles, and reads each tile back (`capture-tiles.ts`). `view`: a view
   * of `setAddedView`, or NO_ID for all views on the surface. `request`: number of the first tile; further tiles have
   * the numbers that follow. `samples`: number of drawings that are averaged; 0: the looks of the views decide.
   */
  capturePicture: { request: 'u32', view: 'u32', width: 'u32', height: 'u32', samples: 'u32' },
  /**
   * Creates or updates an added canvas. Its number, from 1 on, is also its number in the RHI. Sizes are in physical
   * pixels. `pixelRatio`: as in `surfaceSize`; 0 removes the canvas.
   */
  setCanvas: { canvas: 'u32', width: 'u32', height: 'u32', pixelRatio: 'f32' },
  /**
   * Finds the primitives that are visible in a rectangle of a view, and reads them back under the number `request`
   * (`picking.ts`). The rectangle is in shares of the view's width and height from the top left. It is sampled in
   * `columns` × `rows` pixels. `viewWidth` × `viewHeight` is the size of the view's target in CSS pixels. Other fields
   * are those of `setAddedView`.
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
   * Sends the radiance of one image source for the next `setEnvironment`. Rows are listed from the top. Image sources
   * are sent in the order in which `setEnvironment` lists them.
   * - `faces`: 1 for an equirectangular image, whose centre lies towards +X; 6 for a cube
   * - `format`: index in `ENVIRONMENT_FORMATS`
   * - `rotation`: a cube's quaternion, from a direction in the scene to the direction in the cube
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
  ...skyCommands,
  /**
   * Sets the image-based light.
   * - `kinds`: the `EnvironmentKind` of each source
   * - `weights`: factors on the sources' radiances, which are added up
   * - `intensity`: a factor on the sum
   * - `rotation`: radians around Y
   * - `background`: 1 if the environment is visible behind the scene
   * - `backgroundBlur`: 0 (sharp) to 1
   * - `sunX`, `sunY`, `sunZ`: direction towards the sun, of unit length
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
  /** Sets the ambient light from above and from below. Colours are linear, with the intensity multiplied in. */
  setAmbient: {
    skyRed: 'f32',
    skyGreen: 'f32',
    skyBlue: 'f32',
    groundRed: 'f32',
    groundGreen: 'f32',
    groundBlue: 'f32',
  },

  ...motionCommands,

  /**
   * Calls a command of a render module (`src/render-modules/render/render-modules.ts`).
   * - `command`: the module's number of the command; 0 removes the module
   * - `kind`: `DataKind`
   * - `sequence`: rises with each call, so that a restart knows which calls were executed
   */
  callModule: { module: 'u32', command: 'u32', sequence: 'u32', kind: 'u32', data: 'bytes' },

  /**
   * Directs the commands that follow at one world's scene, until the next `selectScene`. The first one creates the
   * scene. Scene 0 always exists; pages with one world have no other. Geometry, materials, textures and views are
   * shared by all scenes. `flags`: `SceneFlag`. `timeSeconds`: the world's scene time in this frame. The scene time of
   * scene 0 is a field of `beginFrame`.
   */
  selectScene: { scene: 'u32', flags: 'u32', timeSeconds: 'f64' },
} as const satisfies Readonly<Record<RenderCommandName, RecordFields>>;

export const renderCommands: RecordTable<typeof fields> = { ...renderStream, opcodes: RenderOpcode, fields };
