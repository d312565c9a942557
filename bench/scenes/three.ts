/**
 * three.js with WebGPURenderer: one Mesh per box, one BoxGeometry, MeshStandardMaterial without textures (the same
 * metallic-roughness model as Fencepost's). It uses `antialias: true` (4× MSAA). All other options have their
 * defaults, and matrices update automatically, as documented. InstancedMesh and BundleGroup are not used. InstancedMesh
 * is another way of programming (without objects), and BundleGroup is documented for content that does not move.
 */
import {
  BoxGeometry,
  Color,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  REVISION,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import {
  type BenchScene,
  COLORS,
  createLayout,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  LIGHT_INTENSITY,
  METALLIC,
  moveBoxes,
  ROUGHNESS,
} from '../lib/scene.js';

let renderer: WebGPURenderer;
let layout: Layout;
const scene = new Scene();
const camera = new PerspectiveCamera((FOV_Y * 180) / Math.PI, 1);
const meshes: Mesh[] = [];

export const bench: BenchScene = {
  name: 'three',
  version: `0.${REVISION}.0`,
  async init(canvas, count) {
    renderer = new WebGPURenderer({ canvas, antialias: true });
    renderer.setSize(canvas.width, canvas.height, false);
    await renderer.init();
    layout = createLayout(count);
    camera.near = layout.near;
    camera.far = layout.far;
    camera.updateProjectionMatrix();
    camera.position.set(...layout.cameraPosition);
    camera.lookAt(0, 0, 0);
    const light = new DirectionalLight(0xffffff, LIGHT_INTENSITY);
    light.position.set(-LIGHT_DIRECTION[0], -LIGHT_DIRECTION[1], -LIGHT_DIRECTION[2]);
    scene.add(light);
    const geometry = new BoxGeometry();
    const materials = COLORS.map(
      (color) =>
        new MeshStandardMaterial({ color: new Color(...color), metalness: METALLIC, roughness: ROUGHNESS }),
    );
    for (let i = 0; i < count; i++) {
      const mesh = new Mesh(geometry, materials[i % materials.length]);
      scene.add(mesh);
      meshes.push(mesh);
    }
  },
  update(timeSeconds) {
    moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
      const mesh = meshes[i] as Mesh;
      mesh.position.set(x, y, z);
      mesh.quaternion.set(qx, qy, qz, qw);
    });
  },
  render() {
    renderer.render(scene, camera);
  },
};
