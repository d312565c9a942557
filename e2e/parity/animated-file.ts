/** Draws a pose of a file as white shapes on black, with this engine and with three.js. */

import * as fencepost from 'fencepost';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as three from 'three/webgpu';
import { createPatientEngine } from '../pages/patient-engine.js';
import type { Picture, Triple } from './scene.js';

export interface PosedClip {
  /** Index of the clip in the file's animations. */
  readonly clip: number;
  readonly seconds: number;
  readonly weight: number;
}

export interface PosedFile {
  readonly bytes: ArrayBuffer;
  readonly clips: readonly PosedClip[];
  /** Width and height in pixels. */
  readonly size: number;
}

export interface DrawnPose {
  readonly picture: Picture;
  /** World positions of the nodes, by name. */
  readonly places: ReadonlyMap<string, Triple>;
}

interface Stand {
  readonly position: Triple;
  readonly target: Triple;
}

const FOV_Y = 0.6;

export async function poseWithFencepost(
  element: HTMLElement,
  { bytes, clips }: PosedFile,
): Promise<DrawnPose & { readonly stand: Stand }> {
  const engine = await createPatientEngine(element, { background: '#000', pixelRatio: 1 });
  const { world } = engine;
  const level = await world.load(bytes.slice(0));
  const material = fencepost.unlitMaterial({ baseColor: '#fff', doubleSided: true });
  for (const component of level.components) {
    if (component instanceof fencepost.MeshComponent) component.material = material;
  }
  for (const { clip, seconds, weight } of clips)
    level.play(clip, { speed: 0, startSeconds: seconds, weight });
  await engine.step(0);
  const { min, max } = level.bounds;
  const middle = (axis: 0 | 1 | 2): number => (min[axis] + max[axis]) / 2;
  const target: Triple = [middle(0), middle(1), middle(2)];
  const size = Math.hypot(...min.map((low, axis) => max[axis]! - low));
  const position: Triple = [target[0] + size * 1.2, target[1] + size * 0.4, target[2] + size];
  world.addCamera({ position, lookAt: target, fovY: FOV_Y, near: size / 100, far: size * 10 });
  await engine.step(0);
  const picture = await engine.captureFrame();
  const places = new Map(
    level.actors.map((actor) => {
      const matrix = actor.root.worldFromLocal([]);
      const place: Triple = [Number(matrix[12]), Number(matrix[13]), Number(matrix[14])];
      return [actor.name, place] as const;
    }),
  );
  await engine.dispose();
  return { picture, places, stand: { position, target } };
}

export async function poseWithThree(
  renderer: three.WebGPURenderer,
  { bytes, clips, size }: PosedFile,
  { position, target }: Stand,
): Promise<DrawnPose> {
  const file = await new GLTFLoader().parseAsync(bytes.slice(0), '');
  const scene = new three.Scene();
  scene.background = new three.Color(0);
  scene.add(file.scene);
  const material = new three.MeshBasicNodeMaterial({ color: '#fff', side: three.DoubleSide });
  file.scene.traverse((object) => {
    if (!(object instanceof three.Mesh)) return;
    object.material = material;
    object.frustumCulled = false;
  });
  const mixer = new three.AnimationMixer(file.scene);
  for (const { clip, seconds, weight } of clips) {
    const action = mixer.clipAction(file.animations[clip]!);
    action.play();
    action.setEffectiveWeight(weight);
    action.time = seconds;
    action.setEffectiveTimeScale(0);
  }
  mixer.update(0);
  const camera = new three.PerspectiveCamera((FOV_Y * 180) / Math.PI, 1, 0.01, 1e5);
  camera.position.set(...position);
  camera.lookAt(...target);
  scene.updateMatrixWorld(true);
  await renderer.compileAsync(scene, camera);
  renderer.render(scene, camera);
  const copy = new OffscreenCanvas(size, size).getContext('2d', { willReadFrequently: true })!;
  copy.drawImage(renderer.domElement, 0, 0);
  const { data } = copy.getImageData(0, 0, size, size);
  const places = new Map<string, Triple>();
  file.scene.traverse((object) => {
    const [x, y, z] = new three.Vector3().setFromMatrixPosition(object.matrixWorld).toArray();
    places.set(String(object.userData.name ?? object.name), [x, y, z]);
  });
  return { picture: { width: size, height: size, data: new Uint8ClampedArray(data) }, places };
}
