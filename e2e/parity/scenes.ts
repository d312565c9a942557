// The scenes of the parity test, and the departures of stock three.js from glTF.
import { unit } from './gltf-reference.js';
import type { ParityLight, ParityMaterial, ParityMesh, ParityScene, Shape, Triple } from './scene.js';
import { box, bumps, discs, floor, panel, roughBands, sphere, tiles } from './shapes.js';

const SIZE = 128;
const BACKGROUND = '#2b3a4d';

function light(kind: ParityLight['kind'], options: Partial<ParityLight>): ParityLight {
  return {
    kind,
    color: [1, 1, 1],
    intensity: 1,
    position: [0, 0, 0],
    range: 0,
    innerConeAngle: 0,
    outerConeAngle: Math.PI / 4,
    castsShadow: false,
    ...options,
    direction: unit(options.direction ?? [0, -1, 0]),
  };
}

function mesh(
  shape: Shape,
  material: Partial<ParityMaterial>,
  options: Partial<ParityMesh> = {},
): ParityMesh {
  return {
    shape,
    material: { baseColor: [1, 1, 1, 1], metallic: 0, roughness: 0.5, ...material },
    position: [0, 0, 0],
    rotation: [0, 0, 0, 1],
    scale: 1,
    givesTangents: true,
    ...options,
  };
}

/** Returns a rotation about Y, followed by a rotation about X. */
function turned(aboutY: number, aboutX: number): ParityMesh['rotation'] {
  const [cy, sy, cx, sx] = [
    Math.cos(aboutY / 2),
    Math.sin(aboutY / 2),
    Math.cos(aboutX / 2),
    Math.sin(aboutX / 2),
  ];
  return [sx * cy, cx * sy, sx * sy, cx * cy];
}

/** A light from behind. It lights surfaces at grazing angles, where the Fresnel term matters. */
const RIM = light('directional', { direction: [0.9, -0.5, 0.8], intensity: 2.5, color: [0.7, 0.85, 1] });
const SUN = light('directional', { direction: [-1, -1.4, -1.8], intensity: 3 });

/**
 * Returns 5 × 5 spheres. Metallic goes from 0 to 1 from left to right, roughness from 0.1 to 1 from bottom to
 * top.
 */
function sphereGrid(): ParityScene {
  const shape = sphere(24, 16);
  const meshes: ParityMesh[] = [];
  const roughnesses = [0.1, 0.3, 0.5, 0.75, 1];
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 5; column++) {
      meshes.push(
        mesh(
          shape,
          { baseColor: [0.9, 0.45, 0.2, 1], metallic: column / 4, roughness: roughnesses[row]! },
          { position: [column - 2, row - 2, 0], scale: 0.47 },
        ),
      );
    }
  }
  return {
    name: 'sphere grid, metallic × roughness',
    camera: { position: [0, 0, 9], target: [0, 0, 0], fovY: 0.58, near: 1, far: 20 },
    lights: [SUN, RIM],
    meshes,
    size: SIZE,
    background: BACKGROUND,
  };
}

function boxScene(name: string, material: Partial<ParityMaterial>, givesTangents: boolean): ParityScene {
  return {
    name,
    camera: { position: [0, 0, 5.4], target: [0, 0, 0], fovY: 0.7, near: 1, far: 20 },
    lights: [SUN],
    meshes: [mesh(box(), material, { rotation: turned(-0.6, 0.5), givesTangents })],
    size: SIZE,
    background: BACKGROUND,
  };
}

/** Returns a scene with a floor, a wall, a sphere and a box, under the given lights. */
function lit(name: string, lights: readonly ParityLight[]): ParityScene {
  return {
    name,
    camera: { position: [0, 2.6, 6.2], target: [0, 0.7, 0], fovY: 0.75, near: 0.5, far: 20 },
    lights,
    meshes: [
      mesh(floor(), { baseColor: [0.7, 0.7, 0.65, 1], roughness: 0.7 }, { scale: 3.2 }),
      mesh(
        panel(),
        { baseColor: [0.35, 0.55, 0.75, 1], roughness: 0.6 },
        { position: [0, 2, -2.6], scale: 2.6 },
      ),
      mesh(
        sphere(32, 24),
        { baseColor: [0.9, 0.3, 0.15, 1], roughness: 0.35 },
        { position: [-1.1, 0.8, 0.2], scale: 0.8 },
      ),
      mesh(
        box(),
        { baseColor: [0.85, 0.7, 0.35, 1], metallic: 0.8, roughness: 0.5 },
        { position: [1.2, 0.6, 0], rotation: turned(0.5, 0), scale: 0.6 },
      ),
    ],
    size: SIZE,
    background: BACKGROUND,
  };
}

function layers(name: string, middle: Partial<ParityMaterial>, front: Partial<ParityMaterial>): ParityScene {
  return {
    name,
    camera: { position: [0, 0, 6], target: [0, 0, 0], fovY: 0.7, near: 1, far: 20 },
    lights: [light('directional', { direction: [-0.5, -0.7, -1], intensity: 3 })],
    meshes: [
      mesh(
        sphere(32, 24),
        { baseColor: [0.2, 0.6, 0.85, 1], roughness: 0.4 },
        { position: [0.2, 0.1, -1.6], scale: 1.5 },
      ),
      mesh(panel(), middle, { position: [-0.5, 0.3, 0.1], rotation: turned(0.3, 0), scale: 1.2 }),
      mesh(panel(), front, { position: [0.6, -0.4, 0.9], rotation: turned(-0.2, 0.2), scale: 0.9 }),
    ],
    size: SIZE,
    background: BACKGROUND,
  };
}

export interface ParityCase {
  readonly scene: ParityScene;
  /** Reason why stock three.js exceeds the bound. If there is no reason, it must stay within the bound. */
  readonly departure?: string;
  /** Whether the reference on the CPU can draw the scene. It does not support mip levels. */
  readonly hasReference: boolean;
}

const cased = (scene: ParityScene, departure?: string): ParityCase => ({
  scene,
  hasReference: scene.meshes.every(({ material }) => material.baseColorImage?.hasMipLevels !== true),
  ...(departure === undefined ? {} : { departure }),
});

// The grid leaves out roughness below 0.1. The formulas have no lower limit, and at 0 a mirror shows no light
// at all. This engine clamps roughness at 0.0525 and three at 0.045, so that a light still shows.
export const SPHERE_CASES: readonly ParityCase[] = [
  cased(
    sphereGrid(),
    'departs: energy compensation on rough metals, roughness raised by curvature on screen',
  ),
];

export const BOX_CASES: readonly ParityCase[] = [
  cased(boxScene('textured box', { baseColorImage: tiles(64, false), roughness: 0.6 }, true)),
  cased(boxScene('textured box, mip levels', { baseColorImage: tiles(256, true), roughness: 0.6 }, true)),
  cased(
    boxScene(
      'box with metallic-roughness and normal maps',
      {
        baseColorImage: tiles(64, false),
        metallicRoughnessImage: roughBands(64),
        normalImage: bumps(128),
        metallic: 1,
        roughness: 1,
      },
      true,
    ),
  ),
  cased(
    boxScene(
      'box with a normal map, no tangents given',
      { normalImage: bumps(128), roughness: 0.5, baseColor: [0.8, 0.5, 0.4, 1] },
      false,
    ),
  ),
];

const lamp: Triple = [0.3, 2.3, 1.4];
const warm: Triple = [1, 0.85, 0.6];
const spot = (options: Partial<ParityLight>): ParityLight =>
  light('spot', { position: [0.4, 4.2, 2], direction: [-0.1, -1, -0.55], color: warm, ...options });

export const LIGHT_CASES: readonly ParityCase[] = [
  cased(lit('directional light', [SUN])),
  cased(lit('point light', [light('point', { position: lamp, intensity: 14, color: warm })])),
  cased(
    lit('point light with range', [light('point', { position: lamp, intensity: 22, color: warm, range: 4 })]),
    'departs: the distance window is squared',
  ),
  cased(
    lit('spot light', [spot({ intensity: 60, innerConeAngle: 0.25, outerConeAngle: 0.6 })]),
    'departs: smoothstep over the cone',
  ),
  cased(
    lit('spot light with range', [
      spot({ intensity: 90, innerConeAngle: 0.1, outerConeAngle: 0.7, range: 6 }),
    ]),
    'departs: smoothstep over the cone, the distance window squared',
  ),
];

const casting = (each: ParityLight): ParityLight => ({ ...each, castsShadow: true });

export const SHADOW_CASES: readonly ParityCase[] = [
  cased(lit('shadows of a directional light', [casting(SUN)])),
  cased(
    lit('shadows of a point light', [
      casting(light('point', { position: lamp, intensity: 14, color: warm })),
    ]),
  ),
  cased(
    lit('shadows of a spot light', [
      casting(spot({ intensity: 60, innerConeAngle: 0.25, outerConeAngle: 0.6 })),
    ]),
  ),
];

export const ALPHA_CASES: readonly ParityCase[] = [
  cased(
    layers(
      'alpha mask',
      { baseColorImage: discs(64), alphaMode: 'mask', alphaCutoff: 0.4, roughness: 0.6 },
      { baseColorImage: discs(64), alphaMode: 'mask', alphaCutoff: 0.7, roughness: 0.3 },
    ),
  ),
  cased(
    layers(
      'alpha blend',
      { baseColorImage: discs(64), alphaMode: 'blend', roughness: 0.6 },
      { baseColor: [0.9, 0.75, 0.2, 0.45], alphaMode: 'blend', roughness: 0.3 },
    ),
  ),
];

export const PARITY_CASES: readonly ParityCase[] = [
  ...SPHERE_CASES,
  ...BOX_CASES,
  ...LIGHT_CASES,
  ...SHADOW_CASES,
  ...ALPHA_CASES,
];
