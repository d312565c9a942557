/**
 * Babylon.js with WebGPUEngine, set up for moving content as its pages "Optimizing your scene" and "WebGPU
 * optimizations" advise. Materials are frozen StandardMaterials (Blinn-Phong, cheaper than Fencepost's materials). It
 * uses the non-compatibility mode, no picking, no updates of bounding information, and meshes that always count as
 * visible. Each box is a clone of one Mesh and shares its geometry. `babylon-snapshot.ts` adds the fast snapshot mode.
 */
import '@babylonjs/core/Engines/WebGPU/Extensions/index.js';
import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { WebGPUEngine } from '@babylonjs/core/Engines/webgpuEngine.js';
import { DirectionalLight } from '@babylonjs/core/Lights/directionalLight.js';
import { StandardMaterial } from '@babylonjs/core/Materials/standardMaterial.js';
import { Color3, Color4 } from '@babylonjs/core/Maths/math.color.js';
import { Quaternion, Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { CreateBox } from '@babylonjs/core/Meshes/Builders/boxBuilder.js';
import type { Mesh } from '@babylonjs/core/Meshes/mesh.js';
import { SnapshotRenderingHelper } from '@babylonjs/core/Misc/snapshotRenderingHelper.js';
import { Scene } from '@babylonjs/core/scene.js';
import {
  type BenchScene,
  COLORS,
  createLayout,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  moveBoxes,
} from '../lib/scene.js';

let engine: WebGPUEngine;
let scene: Scene;
let layout: Layout;
let snapshot: SnapshotRenderingHelper | undefined;
const meshes: Mesh[] = [];

export function createBabylonScene(name: string, useSnapshot: boolean): BenchScene {
  return {
    name,
    version: WebGPUEngine.Version,
    async init(canvas, count) {
      engine = new WebGPUEngine(canvas, { antialias: true, adaptToDeviceRatio: false });
      await engine.initAsync();
      engine.compatibilityMode = false;
      scene = new Scene(engine);
      scene.useRightHandedSystem = true;
      scene.clearColor = new Color4(0, 0, 0, 1);
      scene.skipPointerMovePicking = true;
      scene.autoClear = true;
      layout = createLayout(count);
      const camera = new FreeCamera('camera', new Vector3(...layout.cameraPosition), scene);
      camera.fov = FOV_Y;
      camera.minZ = layout.near;
      camera.maxZ = layout.far;
      camera.setTarget(Vector3.Zero());
      new DirectionalLight('light', new Vector3(...LIGHT_DIRECTION), scene);
      const materials = COLORS.map((color, i) => {
        const material = new StandardMaterial(`material ${i}`, scene);
        material.diffuseColor = new Color3(...color).toGammaSpace();
        material.specularColor = Color3.Black();
        return material;
      });
      const box = CreateBox('box 0', { size: 1 }, scene);
      for (let i = 0; i < count; i++) {
        const mesh = i === 0 ? box : box.clone(`box ${i}`);
        mesh.material = materials[i % materials.length] ?? null;
        mesh.rotationQuaternion = new Quaternion();
        mesh.isPickable = false;
        mesh.doNotSyncBoundingInfo = true;
        mesh.alwaysSelectAsActiveMesh = true;
        meshes.push(mesh);
      }
      await scene.whenReadyAsync();
      for (const material of materials) material.freeze();
      if (useSnapshot) {
        snapshot = new SnapshotRenderingHelper(scene);
        snapshot.enableSnapshotRendering();
        for (let frame = 0; frame < 1000 && !engine.snapshotRendering; frame++) {
          this.render();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (!engine.snapshotRendering) throw new Error('The snapshot mode did not start.');
      }
    },
    update(timeSeconds) {
      moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
        const mesh = meshes[i] as Mesh;
        mesh.position.set(x, y, z);
        (mesh.rotationQuaternion as Quaternion).set(qx, qy, qz, qw);
      });
    },
    render() {
      // The fast snapshot mode requires the program to report moved meshes.
      snapshot?.updateMesh(meshes);
      engine.beginFrame();
      scene.render();
      engine.endFrame();
    },
  };
}

export const bench = createBabylonScene('babylon', false);
