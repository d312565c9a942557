/** B16 with this engine: forward, `threading: 'render'`, 4× MSAA where no effect smooths edges. */
import {
  type Actor,
  createEngine,
  type EffectsOptions,
  type Engine,
  type StandardMaterialOptions,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';
import {
  type EffectLook,
  GRID,
  GRID_CAMERA,
  ISLAND_CAMERA,
  isMaterial,
  LENS,
  type LookScene,
  MATERIALS,
  type MaterialLook,
  spheres,
} from '../lib/look-scene.js';

declare const FENCEPOST_VERSION: string;

const FEATURES: Readonly<Record<MaterialLook, StandardMaterialOptions>> = {
  plain: {},
  clearcoat: { clearcoat: 1, clearcoatRoughness: 0.1 },
  sheen: { sheenColor: [0.8, 0.4, 0.4], sheenRoughness: 0.4 },
  iridescence: { iridescence: 1 },
  anisotropy: { anisotropy: 0.8 },
  specular: { specular: 0.7, specularColor: [1, 0.6, 0.4] },
  transmission: { transmission: 1, thickness: 0.4 },
  dispersion: { transmission: 1, thickness: 0.4, dispersion: 1 },
};

const BLOOM = { amount: 0.25, threshold: 1 };
const AMBIENT_OCCLUSION = { radius: 0.35 };
const FOG = { density: 0.02 };

let engine: Engine;
let island: readonly Actor[] = [];
const grids = new Map<MaterialLook, Actor[]>();
let cameras: { readonly island: Actor; readonly grid: Actor };

const effectsOf = (look: EffectLook): EffectsOptions => {
  switch (look) {
    case 'bloom':
      return { bloom: BLOOM };
    case 'ambient occlusion':
      return { ambientOcclusion: AMBIENT_OCCLUSION };
    case 'fog':
      return { fog: FOG };
    case 'depth of field':
      return { depthOfField: { focusDistance: 7, fStop: 1.4, sensorHeight: 0.2 } };
    case 'outline':
      return { outline: { actors: island.slice(0, 1) } };
    case 'chromatic aberration':
      return { chromaticAberration: true };
    case 'grain':
      return { grain: true };
    case 'bloom, ambient occlusion, taa, fog':
      return { bloom: BLOOM, ambientOcclusion: AMBIENT_OCCLUSION, fog: FOG };
    default:
      return {};
  }
};

function antialiasOf(look: EffectLook): 4 | 'fxaa' | 'smaa' | 'taa' {
  if (look === 'fxaa' || look === 'smaa' || look === 'taa') return look;
  return look.includes('taa') ? 'taa' : 4;
}

export const scene: LookScene = {
  name: 'fencepost',
  version: FENCEPOST_VERSION,
  async start(canvas, modelUrl, environmentUrl) {
    engine = await createEngine(canvas, { pixelRatio: 1 });
    const { world } = engine;
    const cameraAt = ({ position, target }: typeof ISLAND_CAMERA | typeof GRID_CAMERA): Actor =>
      world.addCamera({ position, lookAt: target, ...LENS });
    cameras = { grid: cameraAt(GRID_CAMERA), island: cameraAt(ISLAND_CAMERA) };
    await world.setEnvironment(environmentUrl, { background: true });
    const level = await world.load(modelUrl);
    for (const actor of level.actors.filter(({ light }) => light)) actor.light?.destroy();
    island = level.actors;
    const geometry = sphereGeometry({ radius: GRID.radius, segments: GRID.segments });
    for (const look of MATERIALS) {
      const grid = [...spheres()].map(({ position, roughness, metalness: metallic }) => {
        const material = standardMaterial({ baseColor: '#c8a078', roughness, metallic, ...FEATURES[look] });
        return world.addMesh({ geometry, material, position });
      });
      grids.set(look, grid);
    }
    await engine.whenReady();
  },
  async show(look) {
    for (const [name, grid] of grids) for (const actor of grid) actor.visible = name === look;
    const { world } = engine;
    world.activeCamera = isMaterial(look) ? cameras.grid : cameras.island;
    engine.effects = isMaterial(look) ? {} : effectsOf(look);
    engine.antialias = isMaterial(look) ? 4 : antialiasOf(look);
    await engine.step(0);
    await engine.whenReady();
  },
  draw: () => engine.step(0),
};
