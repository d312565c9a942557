/**
 * B14 with Babylon.js and WebGPUEngine, from generated numbers instead of a file. Each figure is a clone of one mesh
 * with its own skeleton, whose bones are turned by two weighted animation groups. As its guides advise, bone matrices
 * are in textures, meshes are always active, and picking is off.
 */
import '@babylonjs/core/Engines/WebGPU/Extensions/index.js';
import '@babylonjs/core/Animations/animatable.js';
import { Animation } from '@babylonjs/core/Animations/animation.js';
import { AnimationGroup } from '@babylonjs/core/Animations/animationGroup.js';
import { Bone } from '@babylonjs/core/Bones/bone.js';
import { Skeleton } from '@babylonjs/core/Bones/skeleton.js';
import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { WebGPUEngine } from '@babylonjs/core/Engines/webgpuEngine.js';
import { DirectionalLight } from '@babylonjs/core/Lights/directionalLight.js';
import { StandardMaterial } from '@babylonjs/core/Materials/standardMaterial.js';
import { Color3, Color4 } from '@babylonjs/core/Maths/math.color.js';
import { Matrix, Quaternion, Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { Mesh } from '@babylonjs/core/Meshes/mesh.js';
import { VertexData } from '@babylonjs/core/Meshes/mesh.vertexData.js';
import { Scene } from '@babylonjs/core/scene.js';
import {
  CHARACTER_CAMERA,
  CHARACTER_COUNT,
  type CharacterScene,
  makeCharacter,
  PARENTS,
  placeOf,
} from '../lib/character.js';

let engine: WebGPUEngine;
let world: Scene;

const FRAMES_PER_SECOND = 30;

/** Returns a clip's animations. All figures share them. */
function animationsOf(clip: ReturnType<typeof makeCharacter>['clips'][number]) {
  const { name, times, rotations, hips } = clip;
  const make = (
    property: string,
    kind: number,
    valueAt: (key: number) => Quaternion | Vector3,
  ): Animation => {
    const animation = new Animation(
      name,
      property,
      FRAMES_PER_SECOND,
      kind,
      Animation.ANIMATIONLOOPMODE_CYCLE,
    );
    animation.setKeys(
      Array.from(times, (time, key) => ({ frame: time * FRAMES_PER_SECOND, value: valueAt(key) })),
    );
    return animation;
  };
  const turns = rotations.map((values) =>
    make('rotationQuaternion', Animation.ANIMATIONTYPE_QUATERNION, (key) =>
      Quaternion.FromArray(values, key * 4),
    ),
  );
  const moves = make('position', Animation.ANIMATIONTYPE_VECTOR3, (key) => Vector3.FromArray(hips, key * 3));
  return { name, turns, moves };
}

function draw(): number {
  const began = performance.now();
  engine.beginFrame();
  world.render();
  engine.endFrame();
  return performance.now() - began;
}

export const scene: CharacterScene = {
  name: 'babylon',
  version: WebGPUEngine.Version,
  async start(canvas) {
    engine = new WebGPUEngine(canvas, { antialias: false, adaptToDeviceRatio: false });
    await engine.initAsync();
    engine.compatibilityMode = false;
    world = new Scene(engine);
    world.useRightHandedSystem = true;
    world.clearColor = new Color4(0, 0, 0, 1);
    world.skipPointerMovePicking = true;
    world.useConstantAnimationDeltaTime = true;
    const camera = new FreeCamera('camera', new Vector3(...CHARACTER_CAMERA.position), world);
    camera.fov = CHARACTER_CAMERA.fovY;
    camera.setTarget(new Vector3(...CHARACTER_CAMERA.target));
    new DirectionalLight('sun', new Vector3(-1, -2, -1.5), world);
    const { positions, normals, joints, weights, indices, offsets, clips } = makeCharacter();
    const material = new StandardMaterial('coat', world);
    material.diffuseColor = new Color3(0.7, 0.3, 0.1);
    const mesh = new Mesh('figure', world);
    const data = new VertexData();
    Object.assign(data, { positions, normals, indices: Array.from(indices) });
    data.matricesIndices = Array.from(joints);
    data.matricesWeights = weights;
    data.applyToMesh(mesh);
    mesh.material = material;
    const animations = clips.map(animationsOf);
    for (let index = 0; index < CHARACTER_COUNT; index++) {
      const figure = index === 0 ? mesh : mesh.clone(`figure ${index}`);
      figure.position = new Vector3(...placeOf(index));
      figure.alwaysSelectAsActiveMesh = true;
      figure.isPickable = false;
      const skeleton = new Skeleton(`skeleton ${index}`, `${index}`, world);
      const bones: Bone[] = [];
      PARENTS.forEach((parent, joint) => {
        const [x, y, z] = offsets[joint] as readonly [number, number, number];
        bones.push(new Bone(`joint ${joint}`, skeleton, bones[parent] ?? null, Matrix.Translation(x, y, z)));
      });
      figure.skeleton = skeleton;
      for (const { name, turns, moves } of animations) {
        const group = new AnimationGroup(`${name} ${index}`, world, 0.5);
        turns.forEach((animation, joint) => {
          group.addTargetedAnimation(animation, bones[joint]);
        });
        group.addTargetedAnimation(moves, bones[0]);
        group.play(true);
        group.setWeightForAllAnimatables(0.5);
        group.goToFrame((index / CHARACTER_COUNT) * FRAMES_PER_SECOND);
      }
    }
    await world.whenReadyAsync();
    draw();
  },
  async frame() {
    const main = draw();
    await (engine as unknown as { _device: GPUDevice })._device.queue.onSubmittedWorkDone();
    return { main, render: 0, rhi: 0 };
  },
};
