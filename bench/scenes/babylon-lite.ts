/**
 * Babylon Lite with its defaults: 4× MSAA, and draws kept in render bundles. Each box is a Mesh, cloned so that
 * geometry is shared. Materials are StandardMaterials (Blinn-Phong, cheaper than Fencepost's materials).
 * Coordinates are left-handed, so the picture is mirrored.
 */
import {
  addToScene,
  cloneTransformNode,
  createBox,
  createDirectionalLight,
  createEngine,
  createFreeCamera,
  createSceneContext,
  createStandardMaterial,
  type EngineContext,
  type Mesh,
  registerScene,
  renderFrame,
} from '@babylonjs/lite';
import {
  type BenchScene,
  COLORS,
  createLayout,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  moveBoxes,
} from '../lib/scene.js';

declare const BABYLON_LITE_VERSION: string;

let engine: EngineContext;
let layout: Layout;
const meshes: Mesh[] = [];

export const bench: BenchScene = {
  name: 'babylon-lite',
  version: BABYLON_LITE_VERSION,
  async init(canvas, count) {
    engine = await createEngine(canvas);
    const scene = createSceneContext(engine);
    scene.clearColor = { r: 0, g: 0, b: 0, a: 1 };
    layout = createLayout(count);
    const [x, y, z] = layout.cameraPosition;
    const camera = createFreeCamera({ x, y, z }, { x: 0, y: 0, z: 0 });
    camera.fov = FOV_Y;
    camera.nearPlane = layout.near;
    camera.farPlane = layout.far;
    scene.camera = camera;
    addToScene(scene, createDirectionalLight([...LIGHT_DIRECTION], 1));
    const materials = COLORS.map((color) => {
      const material = createStandardMaterial();
      material.diffuseColor = [color[0] ** (1 / 2.2), color[1] ** (1 / 2.2), color[2] ** (1 / 2.2)];
      material.specularColor = [0, 0, 0];
      return material;
    });
    const box = createBox(engine, 1);
    box.material = materials[0] as Mesh['material'];
    for (let i = 0; i < count; i++) {
      const mesh = i === 0 ? box : (cloneTransformNode(box) as Mesh);
      mesh.material = materials[i % materials.length] as Mesh['material'];
      meshes.push(mesh);
    }
    for (const mesh of meshes) addToScene(scene, mesh);
    await registerScene(scene);
  },
  update(timeSeconds) {
    moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
      const mesh = meshes[i] as Mesh;
      mesh.position.set(x, y, z);
      mesh.rotationQuaternion.set(qx, qy, qz, qw);
    });
  },
  render() {
    renderFrame(engine, 1000 / 60);
  },
};
