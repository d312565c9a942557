/** Renderers, views, tone mapping curves and passes of render modules. */
import {
  boxGeometry,
  type Engine,
  planeGeometry,
  renderTexture,
  standardMaterial,
  type ToneMapping,
  unlitMaterial,
} from 'fencepost';
import type { ReferenceScene } from './scenes.js';
import { addSpheres, addThings } from './things.js';

const addSun = ({ world }: Engine, intensity = 3): void => {
  world.addDirectionalLight({
    direction: [-1, -1.5, -0.8],
    intensity,
    castShadow: { mapSize: 256, cascades: 1, distance: 9 },
  });
};

/** Adds three glass panes, one behind the other. */
function addGlass({ world }: Engine): void {
  for (const [index, color] of [
    [0.9, 0.1, 0.1],
    [0.1, 0.8, 0.2],
    [0.1, 0.3, 0.9],
  ].entries()) {
    world.addMesh({
      geometry: planeGeometry({ size: 1.3 }),
      material: standardMaterial({
        baseColor: [...color, 0.5] as [number, number, number, number],
        alphaMode: 'blend',
        doubleSided: true,
      }),
      position: [index * 0.7 - 0.9, 0.9, 1.6 - index * 0.4],
    });
  }
}

/** Returns a scene brighter than a screen can show, for a tone mapping curve. */
const toned = (toneMapping: ToneMapping): ReferenceScene => ({
  options: { toneMapping, exposure: 1.5 },
  build(engine) {
    addSpheres(engine);
    engine.world.addDirectionalLight({ direction: [-1, -1, -1.5], intensity: 9, color: '#ffd0b0' });
    engine.world.addPointLight({ position: [2, -2, 2.5], intensity: 60, color: '#a0c0ff' });
    engine.world.setAmbient({ sky: '#cfe4ff', ground: '#a06040' }, 3);
  },
});

export const PASS_SCENES: Readonly<Record<string, ReferenceScene>> = {
  deferred: {
    options: { renderer: 'deferred' },
    build(engine) {
      addThings(engine);
      addSun(engine);
      engine.world.setAmbient('#abf', 0.6);
      engine.world.addMesh({
        geometry: boxGeometry({ size: [1, 1.6, 0.05] }),
        material: standardMaterial({ baseColor: [0.2, 0.9, 0.5, 0.5], alphaMode: 'blend' }),
        position: [0, 0.8, 1.3],
      });
      for (let index = 0; index < 24; index++) {
        engine.world.addPointLight({
          position: [(index % 6) - 2.5, 0.4, 1.6 - Math.floor(index / 6)],
          color: '#ff4010',
          intensity: 0.3,
          range: 1,
        });
      }
    },
  },
  antialiased: {
    options: { antialias: 4 },
    build(engine) {
      addThings(engine);
      addSun(engine);
    },
  },
  transparent: {
    build(engine) {
      addThings(engine);
      addSun(engine);
      addGlass(engine);
    },
  },
  'views-split': {
    build(engine) {
      addThings(engine);
      addSun(engine);
      const { world } = engine;
      const front = world.activeCamera;
      const above = world.addCamera({ position: [0, 7, 0.01], lookAt: [0, 0, 0], fovY: 0.7 });
      const near = world.addCamera({ position: [-3, 1, 2], lookAt: [-0.5, 0.6, 0], fovY: 0.8 });
      engine.addView({ camera: above, rect: { x: 0, y: 0, width: 0.4, height: 0.5 } });
      engine.addView({ camera: near, rect: { x: 0.5, y: 0.4, width: 0.5, height: 0.6 } });
      world.activeCamera = front;
    },
  },
  'view-in-texture': {
    build(engine) {
      const { box } = addThings(engine);
      addSun(engine);
      const { world } = engine;
      const front = world.activeCamera;
      box.visible = false;
      const target = renderTexture({ width: 64, height: 64 });
      engine.addView({
        camera: world.addCamera({ position: [-3, 1.5, 2], lookAt: [-0.9, 0.7, 0], fovY: 0.8 }),
        target,
      });
      world.activeCamera = front;
      world.addMesh({
        geometry: planeGeometry({ size: 1.8 }),
        material: unlitMaterial({ baseColorTexture: target }),
        position: [1, 1.1, 0],
        rotation: [0, -0.2, 0, 0.98],
      });
    },
  },
  'pass-outline': {
    async build(engine) {
      addThings(engine);
      addSun(engine);
      await engine.addRenderModule(new URL('/outline.js', location.href).href);
    },
  },
  'without-hdr': {
    options: { hdr: false, antialias: 4, toneMapping: 'aces' },
    build(engine) {
      addThings(engine);
      addSun(engine, 6);
      addGlass(engine);
    },
  },
  'pass-outline-without-hdr': {
    options: { hdr: false },
    async build(engine) {
      addThings(engine);
      addSun(engine);
      await engine.addRenderModule(new URL('/outline.js', location.href).href);
    },
  },
  'tone-none': toned('none'),
  'tone-aces': toned('aces'),
  'tone-agx': toned('agx'),
  'tone-khronos-neutral': toned('khronos-neutral'),
};
