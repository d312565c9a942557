/**
 * B11 with this engine and its defaults: forward, `threading: 'render'`. The benchmark itself writes the rotation of
 * the actor `turned` before each frame, as with the other engines. No motion of the engine is used.
 */
import {
  type Actor,
  boxGeometry,
  type CameraComponent,
  createEngine,
  type Engine,
  type Geometry,
  planeGeometry,
  SceneComponent,
  standardMaterial,
} from '../../src/index.js';
import {
  boxesOf,
  CAMERA,
  CASCADES,
  FLOOR,
  LAMP,
  lampsOf,
  type ManyCase,
  type ManyScene,
  SUN,
  turnOf,
} from '../lib/many-scene.js';

declare const FENCEPOST_VERSION: string;

let engine: Engine;
let turned: Actor;

export const scene: ManyScene = {
  name: 'fencepost',
  version: FENCEPOST_VERSION,
  async start(canvas, of) {
    engine = await createEngine(canvas, { pixelRatio: 1 });
    engine.addEventListener('error', ({ detail }) => console.error(String(detail)));
    const { world } = engine;
    addCamera(of);
    const { count: cascades, mapSize, distance } = CASCADES;
    const castShadow = of === '2,000 casters' && { cascades, mapSize, distance };
    const sun = { ...SUN, intensity: of === '500 lights' ? 0.3 : SUN.intensity };
    world.addDirectionalLight({ ...sun, castShadow });
    world.addMesh({
      geometry: planeGeometry({ size: FLOOR }),
      material: standardMaterial({ baseColor: [0.5, 0.5, 0.5], roughness: 0.8 }),
      rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
    });
    const geometries = new Map<number, Geometry>();
    const materials = new Map<unknown, ReturnType<typeof standardMaterial>>();
    for (const { position, size, color } of boxesOf(of)) {
      const geometry = geometries.get(size) ?? boxGeometry({ size });
      const material = materials.get(color) ?? standardMaterial({ baseColor: [...color], roughness: 0.6 });
      geometries.set(size, geometry);
      materials.set(color, material);
      const mesh = world.addMesh({ geometry, material, position });
      if (of === '2,000 casters') mesh.attachTo(turned);
    }
    for (const position of lampsOf(of)) world.addPointLight({ position, ...LAMP }).attachTo(turned);
    await engine.whenReady();
  },
  async draw(frame) {
    const half = turnOf(frame) / 2;
    turned.rotation.set(0, Math.sin(half), 0, Math.cos(half));
    const began = performance.now();
    const done = engine.step(1 / 60);
    const callMs = performance.now() - began;
    await done;
    const { gameThreadMs, renderThreadMs, rhiThreadMs } = engine.stats();
    return { mainMs: callMs + gameThreadMs, renderMs: renderThreadMs, rhiMs: rhiThreadMs };
  },
};

/**
 * Adds the camera, and a turning actor in the middle of the scene. In the case '3,000 meshes' the camera is attached to
 * this actor.
 */
function addCamera(of: ManyCase): void {
  const { world } = engine;
  const { position, target, fovY, near, far } = CAMERA;
  turned = world.spawn(new SceneComponent());
  const camera: Actor<CameraComponent> = world.addCamera({ position, lookAt: target, fovY, near, far });
  if (of === '3,000 meshes') camera.attachTo(turned);
}
