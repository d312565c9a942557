/**
 * B14 with three.js: WebGPURenderer, SkeletonUtils' clones of one file, and an AnimationMixer for each, as in its
 * examples.
 */
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import {
  AnimationMixer,
  DirectionalLight,
  PerspectiveCamera,
  REVISION,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { CHARACTER_CAMERA, CHARACTER_COUNT, type CharacterScene, placeOf } from '../lib/character.js';

let renderer: WebGPURenderer;
const world = new Scene();
const camera = new PerspectiveCamera((CHARACTER_CAMERA.fovY * 180) / Math.PI, 1, 0.1, 100);
const mixers: AnimationMixer[] = [];

function draw(): number {
  const began = performance.now();
  for (const mixer of mixers) mixer.update(1 / 60);
  renderer.render(world, camera);
  return performance.now() - began;
}

export const scene: CharacterScene = {
  name: 'three',
  version: `0.${REVISION}.0`,
  async start(canvas, modelUrl) {
    renderer = new WebGPURenderer({ canvas, antialias: false });
    renderer.setSize(canvas.width, canvas.height, false);
    await renderer.init();
    camera.position.set(...CHARACTER_CAMERA.position);
    camera.lookAt(...CHARACTER_CAMERA.target);
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(1, 2, 1.5);
    world.add(sun);
    const { scene: model, animations } = await new GLTFLoader().loadAsync(modelUrl);
    for (let index = 0; index < CHARACTER_COUNT; index++) {
      const figure = clone(model);
      figure.position.set(...placeOf(index));
      world.add(figure);
      const mixer = new AnimationMixer(figure);
      for (const clip of animations) {
        const action = mixer.clipAction(clip).play();
        action.setEffectiveWeight(0.5);
        action.time = index / CHARACTER_COUNT;
      }
      mixers.push(mixer);
    }
    draw();
  },
  async frame() {
    const main = draw();
    await (renderer.backend as unknown as { device: GPUDevice }).device.queue.onSubmittedWorkDone();
    return { main, render: 0, rhi: 0 };
  },
};
