/** Materials, custom shaders, and content that bends, repeats or faces the camera. */
import {
  boxGeometry,
  geometry,
  instanceColors,
  planeGeometry,
  shaderMaterial,
  sphereGeometry,
  standardMaterial,
  unlitMaterial,
} from 'fencepost';
import { morphedGltf } from '../morphed-gltf.js';
import { pointerGltf } from '../pointer-gltf.js';
import { skinnedGltf } from '../skinned-gltf.js';
import type { ReferenceScene } from './scenes.js';
import { addThings, chequerWithHoles, image } from './things.js';

export const CONTENT_SCENES: Readonly<Record<string, ReferenceScene>> = {
  'material-textures': {
    build({ world }) {
      world.addCamera({ position: [0, 0.6, 4.4], lookAt: [0, 0, 0], fovY: 0.65 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const slope = (value: number): number => 128 + (value % 4 < 2 ? 50 : -50);
      const material = standardMaterial({
        baseColorTexture: image((x, y) =>
          ((x >> 2) + (y >> 2)) % 2 ? [60, 130, 200, 255] : [220, 200, 170, 255],
        ),
        normalTexture: image((x, y) => [slope(x), slope(y), 235, 255], 'linear'),
        metallicRoughnessTexture: image((x, y) => [0, y * 16, x < 8 ? 0 : 255, 255], 'linear'),
        emissiveTexture: image((x, y) => (x === y ? [255, 80, 20, 255] : [0, 0, 0, 255])),
        emissive: [0.8, 0.8, 0.8],
      });
      world.addMesh({ geometry: sphereGeometry({ radius: 0.85 }), material, position: [-0.75, 0.1, 0] });
      world.addMesh({
        geometry: boxGeometry({ size: 1.1 }),
        material,
        position: [0.95, -0.1, 0],
        rotation: [0.2, 0.35, 0, 0.91],
      });
    },
  },
  'material-masked': {
    build({ world }) {
      world.addCamera({ position: [1, 1.5, 3.2], lookAt: [0, 0, 0], fovY: 0.65 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const material = standardMaterial({
        baseColorTexture: chequerWithHoles(),
        alphaMode: 'mask',
        doubleSided: true,
      });
      world.addMesh({ geometry: boxGeometry({ size: 1.5 }), material });
    },
  },
  'material-unlit-and-vertex-colors': {
    build({ world }) {
      world.addCamera({ position: [0, 0, 3.4], fovY: 0.65 });
      const positions = [-1, -0.9, 0, 1, -0.9, 0, 0, 0.9, 0];
      const colors = [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1];
      world.addMesh({
        geometry: geometry({
          positions: new Float32Array(positions),
          colors: new Float32Array(colors),
          indices: new Uint16Array([0, 1, 2]),
        }),
        material: unlitMaterial(),
      });
    },
  },
  'shader-material': {
    build({ world }) {
      world.addCamera({ position: [0, 0, 3.4], fovY: 0.65 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const material = shaderMaterial({
        roughness: 0.35,
        uniforms: { stripe: '#c02020', paper: '#f8f0e0', width: 0.3 },
        wgsl: `
          fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            let isStripe = fract((point.position.x + point.position.y) / uniforms.width) < 0.5;
            (*appearance).baseColor = select(uniforms.paper, uniforms.stripe, isStripe);
            (*appearance).metallic = select(0.0, 1.0, isStripe);
          }`,
      });
      world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 32 }), material });
    },
  },
  'shader-vertices': {
    async build(engine) {
      const { world } = engine;
      world.addCamera({ position: [0, 1.6, 4.2], lookAt: [0, 0.4, 0], fovY: 0.65 });
      world.addDirectionalLight({ direction: [-1, -2, -1.2], intensity: 3, castShadow: { mapSize: 512 } });
      world.setAmbient('#fff', 0.3);
      const floor = planeGeometry({ size: 6, facing: 'y' });
      world.addMesh({ geometry: floor, material: standardMaterial({ roughness: 0.9 }) });
      const waving = shaderMaterial({
        doubleSided: true,
        displacement: 0.2,
        uniforms: { height: 0.2, cloth: '#3070c0' },
        wgsl: `
          fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
            let phase = point.uv.x * 9.0 + point.time;
            (*moved).position.z += uniforms.height * sin(phase);
            (*moved).normal = vec3f(-7.5 * uniforms.height * cos(phase), 0.0, 1.0);
          }
          fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            (*appearance).baseColor = uniforms.cloth;
          }`,
      });
      const cloth = planeGeometry({ width: 1.2, height: 1, segments: 24 });
      world.addMesh({ geometry: cloth, material: waving, position: [-0.7, 0.8, 0] });
      const pierced = shaderMaterial({
        doubleSided: true,
        alphaMode: 'mask',
        wgsl: `
          fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            let isHole = length(fract(point.uv * 3.0) - 0.5) < 0.35;
            (*appearance).baseColor = vec4f(0.9, 0.5, 0.1, select(1.0, 0.0, isHole));
          }`,
      });
      world.addMesh({ geometry: planeGeometry({ size: 1 }), material: pierced, position: [0.8, 0.7, 0] });
    },
  },
  skin: {
    async build({ world }) {
      world.addCamera({ position: [-0.4, 1, 4], lookAt: [-0.3, 1, 0], fovY: 0.6 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const level = await world.load(skinnedGltf());
      level.play(0, { speed: 0, startSeconds: 0.7 });
    },
  },
  morph: {
    async build({ world }) {
      world.addCamera({ position: [0.5, 0, 6], lookAt: [0.7, 0, 0], fovY: 0.7 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const level = await world.load(morphedGltf(false));
      level.play(0, { speed: 0, startSeconds: 0.4 });
    },
  },
  'skin-and-morph-in-motion': {
    async build(engine) {
      const { world } = engine;
      world.addCamera({ position: [0.4, 0.4, 7], lookAt: [0.6, 0.4, 0], fovY: 0.7 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const bar = await world.load(skinnedGltf(), { position: [-1.2, -0.4, 0] });
      const face = await world.load(morphedGltf(true));
      await engine.step(0);
      // The clip plays ping-pong with half its weight. A clone plays it twice as fast.
      bar.play(0, { loop: 'ping-pong', weight: 0.5 });
      bar.clone({ position: [0.6, -0.4, -0.5] }).play(0, { loop: 'ping-pong', speed: 2 });
      face.play(0, { loop: 'once', speed: 0.5 });
      for (let frame = 0; frame < 12; frame++) await engine.step(0.125);
    },
  },
  'pointers-in-motion': {
    async build(engine) {
      const { world } = engine;
      const halves = new OffscreenCanvas(2, 1);
      const drawing = halves.getContext('2d') as OffscreenCanvasRenderingContext2D;
      drawing.fillStyle = '#fff';
      drawing.fillRect(0, 0, 1, 1);
      let binary = '';
      for (const byte of new Uint8Array(await (await halves.convertToBlob()).arrayBuffer()))
        binary += String.fromCharCode(byte);
      const level = await world.load(pointerGltf(`data:image/png;base64,${btoa(binary)}`));
      await engine.whenReady();
      await engine.step(0);
      level.play(0, { loop: 'once' });
      for (let frame = 0; frame < 5; frame++) await engine.step(0.125);
    },
  },
  instances: {
    build({ world }) {
      world.addCamera({ position: [0, 2.4, 3.6], lookAt: [0, 0, 0], fovY: 0.7 });
      world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
      const places = world.addInstances({
        geometry: boxGeometry({ size: 0.28 }),
        material: standardMaterial({ roughness: 0.6 }),
        count: 64,
        colors: instanceColors('rgb'),
      });
      for (let place = 0; place < places.count; place++) {
        const [x, z] = [place % 8, place >> 3];
        places.positions.set([x * 0.42 - 1.47, ((x * z) % 5) * 0.12, z * 0.42 - 1.47], place * 3);
        places.rotations.set([0, Math.sin(place), 0, Math.cos(place)], place * 4);
        places.colors.set([x / 7, 0.4, z / 7], place * 3);
      }
      places.touch();
    },
  },
  'levels-of-detail': {
    build({ world }) {
      world.addCamera({ position: [0, 0, 6], fovY: 0.7 });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const material = standardMaterial({ baseColor: '#5b8e7d', roughness: 0.5 });
      // Each mesh is at another stage of the fade from a ball to a box.
      const heightAtOnce = 2 * Math.tan(0.35) * 6;
      for (const [index, share] of [1.2, 1.1, 1.04, 0.95].entries()) {
        const screenSize = (2 * 0.7 * Math.sqrt(3)) / heightAtOnce / share;
        world.addMesh({
          lods: [
            { geometry: sphereGeometry({ radius: 0.7 }), screenSize },
            { geometry: boxGeometry({ size: 1.1 }), screenSize: 0.01 },
          ],
          material,
          position: [(index % 2) * 1.8 - 0.9, index < 2 ? 0.9 : -0.9, 0],
        });
      }
    },
  },
  'facing-the-camera': {
    async build(engine) {
      const { world } = engine;
      addThings(engine);
      world.setAmbient('#fff', 2);
      const corners = [-1.6, 0.1, 1, 1.6, 0.1, 1, 1.6, 1.8, -1, -1.6, 1.8, -1];
      await world.addLines({ positions: corners, connect: 'loop', color: '#2bd', width: 4 });
      const dots = Array.from({ length: 7 }, (_, index) => [index * 0.5 - 1.5, 0.3, 1.4]).flat();
      await world.addPoints({ positions: dots, size: 6, color: '#f44' });
      await world.addSprite({
        texture: image((x, y) => [255, 255, 60, Math.hypot(x - 7.5, y - 7.5) < 7 ? 255 : 0]),
        alphaMode: 'mask',
        size: 0.9,
        position: [0, 1.9, 0],
      });
    },
  },
};
