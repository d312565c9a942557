/**
 * B11 with three.js: WebGPURenderer, 4× MSAA; ClusteredLighting for hundreds of lights, CSMShadowNode for cascades.
 */
import { CSMShadowNode } from 'three/addons/csm/CSMShadowNode.js';
import { ClusteredLighting } from 'three/addons/lighting/ClusteredLighting.js';
import {
  BoxGeometry,
  Color,
  DirectionalLight,
  Group,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  PointLight,
  REVISION,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
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

let renderer: WebGPURenderer;
const world = new Scene();
const turned = new Group();
const camera = new PerspectiveCamera((CAMERA.fovY * 180) / Math.PI, 1, CAMERA.near, CAMERA.far);

export const scene: ManyScene = {
  name: 'three',
  version: `0.${REVISION}.0`,
  async start(canvas, of) {
    renderer = new WebGPURenderer({ canvas, antialias: true });
    renderer.setSize(canvas.width, canvas.height, false);
    if (of === '500 lights') renderer.lighting = new ClusteredLighting(512);
    const hasShadows = of === '2,000 casters';
    renderer.shadowMap.enabled = hasShadows;
    await renderer.init();
    world.add(turned);
    camera.position.set(...CAMERA.position);
    camera.lookAt(...CAMERA.target);
    (of === '3,000 meshes' ? turned : world).add(camera);
    const sun = new DirectionalLight(0xffffff, of === '500 lights' ? 0.3 : SUN.intensity);
    sun.position.set(-SUN.direction[0], -SUN.direction[1], -SUN.direction[2]).multiplyScalar(5);
    if (hasShadows) {
      sun.castShadow = true;
      sun.shadow.mapSize.set(CASCADES.mapSize, CASCADES.mapSize);
      const { count: cascades, distance: maxFar } = CASCADES;
      sun.shadow.shadowNode = new CSMShadowNode(sun, { cascades, maxFar, mode: 'practical' });
    }
    world.add(sun);
    const floor = new Mesh(
      new PlaneGeometry(FLOOR, FLOOR).rotateX(-Math.PI / 2),
      new MeshStandardMaterial({ color: new Color(0.5, 0.5, 0.5), roughness: 0.8 }),
    );
    floor.receiveShadow = hasShadows;
    world.add(floor);
    const geometries = new Map<number, BoxGeometry>();
    const materials = new Map<unknown, MeshStandardMaterial>();
    for (const { position, size, color } of boxesOf(of)) {
      const geometry = geometries.get(size) ?? new BoxGeometry(size, size, size);
      const material =
        materials.get(color) ?? new MeshStandardMaterial({ color: new Color(...color), roughness: 0.6 });
      geometries.set(size, geometry);
      materials.set(color, material);
      const mesh = new Mesh(geometry, material);
      mesh.position.set(...position);
      mesh.castShadow = mesh.receiveShadow = hasShadows;
      (hasShadows ? turned : world).add(mesh);
    }
    for (const position of lampsOf(of)) {
      const lamp = new PointLight(0xffffff, LAMP.intensity, LAMP.range);
      lamp.position.set(...position);
      turned.add(lamp);
    }
  },
  async draw(frame, gpuIdle) {
    turned.rotation.y = turnOf(frame);
    const began = performance.now();
    renderer.render(world, camera);
    const mainMs = performance.now() - began;
    await gpuIdle();
    return { mainMs };
  },
};
