/**
 * B11 with Babylon.js: WebGPUEngine in its non-compatibility mode, frozen StandardMaterials (Blinn-Phong, cheaper than
 * Fencepost's materials), and frozen still objects. It uses ClusteredLightContainer for hundreds of lights, and
 * CascadedShadowGenerator for cascades.
 */
import '@babylonjs/core/Engines/WebGPU/Extensions/index.js';
import { TargetCamera } from '@babylonjs/core/Cameras/targetCamera.js';
import { WebGPUEngine } from '@babylonjs/core/Engines/webgpuEngine.js';
import { ClusteredLightContainer } from '@babylonjs/core/Lights/Clustered/clusteredLightContainer.js';
import { DirectionalLight } from '@babylonjs/core/Lights/directionalLight.js';
import { PointLight } from '@babylonjs/core/Lights/pointLight.js';
import { CascadedShadowGenerator } from '@babylonjs/core/Lights/Shadows/cascadedShadowGenerator.js';
import '@babylonjs/core/Lights/Shadows/shadowGeneratorSceneComponent.js';
import '@babylonjs/core/Lights/Clustered/clusteredLightingSceneComponent.js';
import { StandardMaterial } from '@babylonjs/core/Materials/standardMaterial.js';
import { Color3, Color4 } from '@babylonjs/core/Maths/math.color.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { CreateBox } from '@babylonjs/core/Meshes/Builders/boxBuilder.js';
import { CreateGround } from '@babylonjs/core/Meshes/Builders/groundBuilder.js';
import type { Mesh } from '@babylonjs/core/Meshes/mesh.js';
import { TransformNode } from '@babylonjs/core/Meshes/transformNode.js';
import { Scene } from '@babylonjs/core/scene.js';
import {
  boxesOf,
  CAMERA,
  CASCADES,
  FLOOR,
  LAMP,
  lampsOf,
  type ManyScene,
  SUN,
  turnOf,
} from '../lib/many-scene.js';

let engine: WebGPUEngine;
let world: Scene;
let turned: TransformNode;

function material(name: string, color: readonly [number, number, number]): StandardMaterial {
  const made = new StandardMaterial(name, world);
  made.diffuseColor = new Color3(...color).toGammaSpace();
  made.specularColor = Color3.Black();
  return made;
}

export const scene: ManyScene = {
  name: 'babylon',
  version: WebGPUEngine.Version,
  async start(canvas, of) {
    engine = new WebGPUEngine(canvas, { antialias: true, adaptToDeviceRatio: false });
    await engine.initAsync();
    engine.compatibilityMode = false;
    world = new Scene(engine);
    world.useRightHandedSystem = true;
    world.clearColor = new Color4(0, 0, 0, 1);
    world.skipPointerMovePicking = true;
    turned = new TransformNode('turned', world);
    const camera = new TargetCamera('camera', new Vector3(...CAMERA.position), world);
    camera.fov = CAMERA.fovY;
    camera.minZ = CAMERA.near;
    camera.maxZ = CAMERA.far;
    camera.setTarget(new Vector3(...CAMERA.target));
    if (of === '3,000 meshes') camera.parent = turned;
    const sun = new DirectionalLight('sun', new Vector3(...SUN.direction), world);
    sun.intensity = of === '500 lights' ? 0.1 : 1;
    const hasShadows = of === '2,000 casters';
    let shadows: CascadedShadowGenerator | undefined;
    if (hasShadows) {
      shadows = new CascadedShadowGenerator(CASCADES.mapSize, sun);
      shadows.numCascades = CASCADES.count;
      shadows.shadowMaxZ = CASCADES.distance;
    }
    const floor = CreateGround('floor', { width: FLOOR, height: FLOOR }, world);
    floor.material = material('floor', [0.5, 0.5, 0.5]);
    floor.receiveShadows = hasShadows;
    floor.freezeWorldMatrix();
    const geometries = new Map<number, Mesh>();
    const materials = new Map<unknown, StandardMaterial>();
    for (const [index, { position, size, color }] of boxesOf(of).entries()) {
      const first = geometries.get(size);
      const mesh = first ? first.clone(`box ${index}`) : CreateBox(`box ${index}`, { size }, world);
      if (!first) geometries.set(size, mesh);
      const look = materials.get(color) ?? material(`material ${index}`, color);
      materials.set(color, look);
      mesh.material = look;
      mesh.isPickable = false;
      mesh.position.set(...position);
      if (hasShadows) {
        mesh.parent = turned;
        mesh.receiveShadows = true;
        shadows?.addShadowCaster(mesh);
      } else mesh.freezeWorldMatrix();
    }
    const lamps = lampsOf(of).map((position, index) => {
      const lamp = new PointLight(`lamp ${index}`, new Vector3(...position), world, true);
      lamp.range = LAMP.range;
      lamp.intensity = LAMP.intensity / 4;
      lamp.parent = turned;
      return lamp;
    });
    if (lamps.length > 0) new ClusteredLightContainer('lamps', lamps, world);
    await world.whenReadyAsync();
    for (const each of materials.values()) each.freeze();
  },
  async draw(frame, gpuIdle) {
    turned.rotation.y = turnOf(frame);
    const began = performance.now();
    engine.beginFrame();
    world.render();
    engine.endFrame();
    const mainMs = performance.now() - began;
    await gpuIdle();
    return { mainMs };
  },
};
