// Draws a parity scene with this engine as a page would, through the public API. All options except the
// background and the pixel ratio have their defaults.

import * as fencepost from 'fencepost';
import { createPatientEngine } from '../pages/patient-engine.js';
import type { Image, ParityLight, ParityMesh, ParityScene, Picture } from './scene.js';

function textureOf(image: Image | undefined): fencepost.Texture | null {
  if (!image) return null;
  return fencepost.texture(
    { width: image.size, height: image.size, data: image.data },
    { sampler: { mipmap: image.hasMipLevels ? 'linear' : 'none' } },
  );
}

function addMesh(world: fencepost.World, mesh: ParityMesh): void {
  const { shape, material, position, rotation, scale } = mesh;
  const { positions, normals, uvs, indices, tangents } = shape;
  world.addMesh({
    geometry: fencepost.geometry({
      positions,
      normals,
      uvs,
      indices,
      ...(mesh.givesTangents ? { tangents } : {}),
    }),
    material: fencepost.standardMaterial({
      baseColor: material.baseColor,
      metallic: material.metallic,
      roughness: material.roughness,
      baseColorTexture: textureOf(material.baseColorImage),
      metallicRoughnessTexture: textureOf(material.metallicRoughnessImage),
      normalTexture: textureOf(material.normalImage),
      alphaMode: material.alphaMode ?? 'opaque',
      ...(material.alphaCutoff === undefined ? {} : { alphaCutoff: material.alphaCutoff }),
    }),
    position,
    rotation,
    scale,
  });
}

function addLight(world: fencepost.World, light: ParityLight): void {
  const { kind, color, intensity, direction, position, range, innerConeAngle, outerConeAngle } = light;
  const castShadow = light.castsShadow;
  if (kind === 'directional') world.addDirectionalLight({ direction, color, intensity, castShadow });
  else if (kind === 'point') world.addPointLight({ position, color, intensity, range, castShadow });
  else {
    const cone = { innerConeAngle, outerConeAngle };
    world.addSpotLight({ position, direction, color, intensity, range, ...cone, castShadow });
  }
}

/** Draws the scene. @param element an element of `scene.size` CSS pixels in width and height */
export async function drawWithFencepost(element: HTMLElement, scene: ParityScene): Promise<Picture> {
  // All other options stay at their defaults on purpose: the render worker, 4× MSAA and no tone mapping.
  const engine = await createPatientEngine(element, { background: scene.background, pixelRatio: 1 });
  const { world } = engine;
  const { position, target, fovY, near, far } = scene.camera;
  world.addCamera({ position, lookAt: target, fovY, near, far });
  for (const light of scene.lights) addLight(world, light);
  for (const mesh of scene.meshes) addMesh(world, mesh);
  await engine.step(0);
  await engine.whenReady();
  await engine.step(0);
  const picture = await engine.captureFrame();
  const { skippedDraws, primitives } = engine.stats();
  await engine.dispose();
  if (skippedDraws !== 0) throw new Error(`${skippedDraws} draws were skipped.`);
  if (primitives !== scene.meshes.length) throw new Error(`${primitives} primitives are in the scene.`);
  return picture;
}
