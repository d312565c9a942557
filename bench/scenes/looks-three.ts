/**
 * B16 with three.js: WebGPURenderer with MeshPhysicalNodeMaterial, and the effects of its addons in a `RenderPipeline`.
 * They are set up like their examples, with 4× MSAA where no effect smooths edges. Its fog does not cover the background.
 */

import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { HDRLoader } from 'three/addons/loaders/HDRLoader.js';
import { bloom } from 'three/addons/tsl/display/BloomNode.js';
import { chromaticAberration } from 'three/addons/tsl/display/ChromaticAberrationNode.js';
import { dof } from 'three/addons/tsl/display/DepthOfFieldNode.js';
import { film } from 'three/addons/tsl/display/FilmNode.js';
import { fxaa } from 'three/addons/tsl/display/FXAANode.js';
import { ao } from 'three/addons/tsl/display/GTAONode.js';
import { outline } from 'three/addons/tsl/display/OutlineNode.js';
import { smaa } from 'three/addons/tsl/display/SMAANode.js';
import { traa } from 'three/addons/tsl/display/TRAANode.js';
import { float, mrt, normalView, output, pass, renderOutput, vec2, vec3, vec4, velocity } from 'three/tsl';
import {
  Color,
  EquirectangularReflectionMapping,
  FogExp2,
  Group,
  type Light,
  Mesh,
  MeshPhysicalNodeMaterial,
  type Object3D,
  PerspectiveCamera,
  REVISION,
  RenderPipeline,
  Scene,
  SphereGeometry,
  WebGPURenderer,
} from 'three/webgpu';
import {
  type EffectLook,
  GRID,
  GRID_CAMERA,
  ISLAND_CAMERA,
  isMaterial,
  LENS,
  type LookScene,
  MATERIALS,
  type MaterialLook,
  spheres,
} from '../lib/look-scene.js';

let renderer: WebGPURenderer;
let pipeline: RenderPipeline | null = null;
const world = new Scene();
const camera = new PerspectiveCamera((LENS.fovY * 180) / Math.PI, 1, LENS.near, LENS.far);
const grids = new Map<MaterialLook, Group>();
let outlined: Object3D | undefined;

const FEATURES: Readonly<Record<MaterialLook, (material: MeshPhysicalNodeMaterial) => void>> = {
  plain: () => {},
  clearcoat: (material) => Object.assign(material, { clearcoat: 1, clearcoatRoughness: 0.1 }),
  sheen: (material) =>
    Object.assign(material, { sheen: 1, sheenColor: new Color(0.8, 0.4, 0.4), sheenRoughness: 0.4 }),
  iridescence: (material) => Object.assign(material, { iridescence: 1 }),
  anisotropy: (material) => Object.assign(material, { anisotropy: 0.8 }),
  specular: (material) =>
    Object.assign(material, { specularIntensity: 0.7, specularColor: new Color(1, 0.6, 0.4) }),
  transmission: (material) => Object.assign(material, { transmission: 1, thickness: 0.4 }),
  dispersion: (material) => Object.assign(material, { transmission: 1, thickness: 0.4, dispersion: 1 }),
};

/** Returns a pipeline with one effect, or null for a picture without effects of its own. */
function pipelineOf(look: EffectLook): RenderPipeline | null {
  if (look === 'no effect' || look === 'fog') return null;
  const smooths = look === 'fxaa' || look === 'smaa' || look.includes('taa');
  const scenePass = pass(world, camera, { samples: smooths ? 0 : 4 });
  const created = new RenderPipeline(renderer);
  const color = scenePass.getTextureNode();
  const occluded = () => {
    const shade = ao(scenePass.getTextureNode('depth'), scenePass.getTextureNode('normal'), camera);
    return color.mul(vec4(vec3(shade.getTextureNode().r), 1));
  };
  switch (look) {
    case 'bloom':
      created.outputNode = color.add(bloom(color, 0.25, 0.65, 1));
      break;
    case 'ambient occlusion':
      scenePass.setMRT(mrt({ output, normal: normalView }));
      created.outputNode = occluded();
      break;
    case 'depth of field':
      created.outputNode = dof(color, scenePass.getViewZNode(), 7, 2, 3);
      break;
    case 'outline': {
      const lines = outline(world, camera, { selectedObjects: outlined ? [outlined] : [] });
      created.outputNode = color.add(lines.visibleEdge);
      break;
    }
    case 'chromatic aberration':
      created.outputNode = chromaticAberration(renderOutput(color), float(0.5), vec2(0.5, 0.5), float(1.1));
      break;
    case 'grain':
      created.outputNode = film(color, float(0.05));
      break;
    case 'fxaa':
      created.outputColorTransform = false;
      created.outputNode = fxaa(renderOutput(color));
      break;
    case 'smaa':
      created.outputNode = smaa(color);
      break;
    case 'taa':
      scenePass.setMRT(mrt({ output, velocity }));
      created.outputNode = traa(
        color,
        scenePass.getTextureNode('depth'),
        scenePass.getTextureNode('velocity'),
        camera,
      );
      break;
    default: {
      scenePass.setMRT(mrt({ output, normal: normalView, velocity }));
      const smooth = traa(
        occluded(),
        scenePass.getTextureNode('depth'),
        scenePass.getTextureNode('velocity'),
        camera,
      );
      created.outputNode = smooth.add(bloom(smooth, 0.25, 0.65, 1));
    }
  }
  return created;
}

export const scene: LookScene = {
  name: 'three',
  version: `0.${REVISION}.0`,
  async start(canvas, modelUrl, environmentUrl) {
    renderer = new WebGPURenderer({ canvas, antialias: true });
    renderer.setSize(canvas.width, canvas.height, false);
    await renderer.init();
    camera.aspect = canvas.width / canvas.height;
    camera.updateProjectionMatrix();
    const texture = await new HDRLoader().loadAsync(environmentUrl);
    texture.mapping = EquirectangularReflectionMapping;
    world.environment = world.background = texture;
    const { scene: model } = await new GLTFLoader().loadAsync(modelUrl);
    const inFile: Light[] = [];
    model.traverse((object) => {
      if ('isLight' in object) inFile.push(object as Light);
      if (object instanceof Mesh) outlined ??= object;
    });
    for (const light of inFile) light.removeFromParent();
    world.add(model);
    const geometry = new SphereGeometry(GRID.radius, GRID.segments, GRID.segments / 2);
    for (const look of MATERIALS) {
      const grid = new Group();
      for (const { position, roughness, metalness } of spheres()) {
        const material = new MeshPhysicalNodeMaterial({ color: '#c8a078', roughness, metalness });
        FEATURES[look](material);
        const mesh = new Mesh(geometry, material);
        mesh.position.set(...position);
        grid.add(mesh);
      }
      grids.set(look, grid);
      world.add(grid);
    }
  },
  async show(look) {
    for (const [name, grid] of grids) grid.visible = name === look;
    const { position, target } = isMaterial(look) ? GRID_CAMERA : ISLAND_CAMERA;
    camera.position.fromArray(position);
    camera.lookAt(target[0], target[1], target[2]);
    pipeline?.dispose();
    pipeline = isMaterial(look) ? null : pipelineOf(look);
    world.fog = look.includes('fog') ? new FogExp2(0x808890, 0.02) : null;
    await this.draw();
  },
  async draw() {
    if (pipeline) pipeline.render();
    else renderer.render(world, camera);
    await (renderer.backend as unknown as { device: GPUDevice }).device.queue.onSubmittedWorkDone();
  },
};
