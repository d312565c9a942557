// Draws a parity scene with three.js (WebGPURenderer), in one of two variants:
//
//   stock   MeshStandardNodeMaterial, PointLight and SpotLight unchanged
//   gltf    the same classes with glTF's formulas (left: three's deviation; right: its replacement here):
//             multi-scattering compensation of direct light      the factor is 1
//             roughness raised where normals vary on screen      the material's roughness, unchanged
//             the distance window squared                        KHR_lights_punctual: once
//             smoothstep over the cone                           KHR_lights_punctual: the square of a linear ramp
//           This variant keeps three's approximation of Schlick's fifth power by an exponential. It also keeps
//           three's clamp of n·v where a mapped normal faces away from the viewer (glTF: the magnitude).

import { lightTargetDirection, materialRoughness, roughness, vec3 } from 'three/tsl';
import * as three from 'three/webgpu';
import type { Image, ParityLight, ParityMesh, ParityScene, Picture } from './scene.js';

export type ThreeVariant = 'stock' | 'gltf';

/** Node types with TSL's operators, which TSL's declarations leave out for many nodes. */
type Scalar = ReturnType<typeof three.TSL.float>;
type Vector = ReturnType<typeof three.TSL.vec3>;

class GltfLightingModel extends three.PhysicalLightingModel {
  override direct(input: three.LightingModelDirectInput, builder: three.NodeBuilder): void {
    this.multiScatteringCompensation = vec3(1);
    super.direct(input, builder);
  }
}

class GltfMaterial extends three.MeshStandardNodeMaterial {
  override setupLightingModel(): three.PhysicalLightingModel {
    return new GltfLightingModel();
  }

  override setupVariants(builder: three.NodeBuilder): void {
    super.setupVariants(builder);
    (roughness as unknown as Scalar).assign(materialRoughness as unknown as Scalar);
  }
}

/** Returns the light that arrives from a position, by the inverse square law with the extension's window. */
function arriving(color: unknown, toLight: Vector, cutoffDistance: unknown, hasRange: boolean) {
  const squaredDistance = toLight.dot(toLight);
  const range = cutoffDistance as Scalar;
  const relative = squaredDistance.div(range.mul(range));
  const falloff = squaredDistance.reciprocal();
  const attenuation = hasRange ? falloff.mul(relative.mul(relative).oneMinus().clamp()) : falloff;
  return { lightDirection: toLight.normalize(), lightColor: (color as Vector).mul(attenuation) };
}

class GltfPointLightNode extends three.PointLightNode {
  override setupDirect(builder: three.NodeBuilder) {
    const toLight = this.getLightVector(builder) as unknown as Vector;
    const { colorNode } = this as unknown as { colorNode: Vector };
    return arriving(colorNode, toLight, this.cutoffDistanceNode, this.light!.distance > 0);
  }
}

class GltfSpotLightNode extends three.SpotLightNode {
  override setupDirect(builder: three.NodeBuilder) {
    const toLight = this.getLightVector(builder) as unknown as Vector;
    const { lightDirection, lightColor } = arriving(
      this.colorNode,
      toLight,
      this.cutoffDistanceNode,
      this.light!.distance > 0,
    );
    const outer = this.coneCosNode as unknown as Scalar;
    const inner = this.penumbraCosNode as unknown as Scalar;
    const cosine = lightDirection.dot(lightTargetDirection(this.light!) as unknown as Vector);
    const cone = cosine.sub(outer).div(inner.sub(outer).max(0.001)).clamp();
    return { lightDirection, lightColor: lightColor.mul(cone.mul(cone)) };
  }
}

class GltfPointLight extends three.PointLight {}
class GltfSpotLight extends three.SpotLight {}

function textureOf(image: Image | undefined, colorSpace: string): three.Texture | null {
  if (!image) return null;
  const texture = new three.DataTexture(image.data.slice(), image.size, image.size);
  texture.colorSpace = colorSpace;
  texture.wrapS = texture.wrapT = three.RepeatWrapping;
  texture.magFilter = three.LinearFilter;
  texture.minFilter = image.hasMipLevels ? three.LinearMipmapLinearFilter : three.LinearFilter;
  texture.generateMipmaps = image.hasMipLevels;
  texture.needsUpdate = true;
  return texture;
}

function createMesh(mesh: ParityMesh, variant: ThreeVariant): three.Mesh {
  const { shape, material: parameters } = mesh;
  const geometry = new three.BufferGeometry();
  const attribute = (values: readonly number[], size: number) =>
    new three.BufferAttribute(new Float32Array(values), size);
  geometry.setAttribute('position', attribute(shape.positions, 3));
  geometry.setAttribute('normal', attribute(shape.normals, 3));
  geometry.setAttribute('uv', attribute(shape.uvs, 2));
  if (mesh.givesTangents) geometry.setAttribute('tangent', attribute(shape.tangents, 4));
  geometry.setIndex([...shape.indices]);

  const Material = variant === 'gltf' ? GltfMaterial : three.MeshStandardNodeMaterial;
  const material = new Material();
  const [red, green, blue, alpha] = parameters.baseColor;
  material.color.setRGB(red, green, blue, three.LinearSRGBColorSpace);
  material.opacity = alpha;
  material.metalness = parameters.metallic;
  material.roughness = parameters.roughness;
  material.map = textureOf(parameters.baseColorImage, three.SRGBColorSpace);
  material.roughnessMap = textureOf(parameters.metallicRoughnessImage, three.NoColorSpace);
  material.metalnessMap = material.roughnessMap;
  material.normalMap = textureOf(parameters.normalImage, three.NoColorSpace);
  // Without tangents, three derives the tangent frame on screen. In glTF, v points down, so three's own glTF
  // loader flips the sign in this case, too.
  if (!mesh.givesTangents) material.normalScale.y = -1;
  // Three's own glTF loader sets the two alpha modes in this way.
  if (parameters.alphaMode === 'mask') material.alphaTest = parameters.alphaCutoff ?? 0.5;
  if (parameters.alphaMode === 'blend') {
    material.transparent = true;
    material.depthWrite = false;
  }
  const result = new three.Mesh(geometry, material);
  result.position.set(...mesh.position);
  result.quaternion.set(...mesh.rotation);
  result.scale.setScalar(mesh.scale);
  result.castShadow = result.receiveShadow = true;
  return result;
}

/**
 * The distance of a directional light from the scene's centre, in metres. Three renders its shadow map from
 * that position.
 */
const SUN_DISTANCE = 8;

/**
 * Enables shadows with maps of this engine's default size. The bias is common in three's examples for scenes of
 * a few metres.
 */
function castShadow(
  light: three.DirectionalLight | three.PointLight | three.SpotLight,
  { castsShadow }: ParityLight,
): void {
  if (!castsShadow) return;
  light.castShadow = true;
  light.shadow.mapSize.set(1024, 1024);
  light.shadow.bias = -0.001;
  if (light instanceof three.DirectionalLight) {
    const { camera } = light.shadow;
    camera.left = camera.bottom = -6;
    camera.right = camera.top = 6;
    camera.far = 20;
  }
}

function addLight(scene: three.Scene, light: ParityLight, variant: ThreeVariant): void {
  const color = new three.Color().setRGB(...light.color, three.LinearSRGBColorSpace);
  const { intensity, range, innerConeAngle, outerConeAngle } = light;
  const position = new three.Vector3(...light.position);
  const direction = new three.Vector3(...light.direction);
  if (light.kind === 'point') {
    const Light = variant === 'gltf' ? GltfPointLight : three.PointLight;
    const point = new Light(color, intensity, range, 2);
    point.position.copy(position);
    castShadow(point, light);
    scene.add(point);
    return;
  }
  let result: three.DirectionalLight | three.SpotLight;
  if (light.kind === 'spot') {
    const Light = variant === 'gltf' ? GltfSpotLight : three.SpotLight;
    // Three's own glTF loader maps the cone angles in this way.
    const penumbra = 1 - innerConeAngle / outerConeAngle;
    result = new Light(color, intensity, range, outerConeAngle, penumbra, 2);
  } else result = new three.DirectionalLight(color, intensity);
  result.position.copy(position);
  if (light.kind === 'directional') position.addScaledVector(direction, -SUN_DISTANCE);
  result.position.copy(position);
  result.target.position.copy(position).add(direction);
  castShadow(result, light);
  scene.add(result, result.target);
}

/** Draws scenes one after another into one canvas. */
export class ThreeStage {
  readonly #renderer: three.WebGPURenderer;

  private constructor(renderer: three.WebGPURenderer) {
    this.#renderer = renderer;
  }

  static async create(size: number): Promise<ThreeStage> {
    GltfPointLight.registerNode(GltfPointLightNode);
    GltfSpotLight.registerNode(GltfSpotLightNode);
    const renderer = new three.WebGPURenderer({ antialias: true, alpha: false });
    renderer.toneMapping = three.NoToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = three.PCFSoftShadowMap;
    renderer.outputColorSpace = three.SRGBColorSpace;
    renderer.setPixelRatio(1);
    renderer.setSize(size, size);
    await renderer.init();
    if (renderer.samples !== 4) throw new Error(`three draws with ${renderer.samples} samples.`);
    return new ThreeStage(renderer);
  }

  async draw(description: ParityScene, variant: ThreeVariant): Promise<Picture> {
    const { camera: view, size } = description;
    const scene = new three.Scene();
    scene.background = new three.Color(description.background);
    for (const light of description.lights) addLight(scene, light, variant);
    for (const mesh of description.meshes) scene.add(createMesh(mesh, variant));
    const camera = new three.PerspectiveCamera((view.fovY * 180) / Math.PI, 1, view.near, view.far);
    camera.position.set(...view.position);
    camera.lookAt(...view.target);
    const renderer = this.#renderer;
    await renderer.compileAsync(scene, camera);
    renderer.render(scene, camera);
    // The copy happens in the same task, while the canvas still has the picture.
    const copy = new OffscreenCanvas(size, size).getContext('2d', { willReadFrequently: true })!;
    copy.drawImage(renderer.domElement, 0, 0);
    const { data } = copy.getImageData(0, 0, size, size);
    return { width: size, height: size, data: new Uint8ClampedArray(data) };
  }

  get renderer(): three.WebGPURenderer {
    return this.#renderer;
  }

  dispose(): void {
    this.#renderer.dispose();
  }
}
