/**
 * The scene that must look the same in every threading mode, as a .glb. It has two textured boxes in a hierarchy (one
 * mirrored), a blended box, and a directional, a point and a spot light.
 */
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRLightsPunctual, Light } from '@gltf-transform/extensions';
import { PNG } from 'pngjs';

/** Returns a cube. Corners of each face are counter-clockwise, seen from outside. */
function cube(): { positions: number[]; normals: number[]; uvs: number[]; indices: number[] } {
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const base = positions.length / 3;
      for (const [u, v] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        const corner = [0, 0, 0];
        corner[axis] = side * 0.5;
        corner[(axis + 1) % 3] = u * 0.5 * side;
        corner[(axis + 2) % 3] = v * 0.5;
        positions.push(...corner);
        const normal = [0, 0, 0];
        normal[axis] = side;
        normals.push(...normal);
        uvs.push((u + 1) / 2, (1 - v) / 2);
      }
      indices.push(base, base + 1, base + 2, base, base + 2, base + 3);
    }
  }
  return { positions, normals, uvs, indices };
}

/** Returns a 16 × 16 checkerboard of two colours as a PNG. */
function checkerboard(first: readonly number[], second: readonly number[]): Uint8Array<ArrayBuffer> {
  const image = new PNG({ width: 16, height: 16 });
  for (let y = 0; y < 16; y++) {
    for (let x = 0; x < 16; x++) {
      image.data.set(((x >> 2) + (y >> 2)) % 2 ? first : second, (y * 16 + x) * 4);
    }
  }
  return new Uint8Array(PNG.sync.write(image));
}

/** Returns the file's bytes as base64, for `page.evaluate`. */
export async function referenceGlb(): Promise<string> {
  const document = new Document();
  const buffer = document.createBuffer();
  const { positions, normals, uvs, indices } = cube();
  const accessor = (type: 'VEC3' | 'VEC2' | 'SCALAR', array: Float32Array | Uint16Array) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array as Float32Array<ArrayBuffer>)
      .setBuffer(buffer);
  const texture = (name: string, image: Uint8Array<ArrayBuffer>) =>
    document.createTexture(name).setImage(image).setMimeType('image/png');
  const primitive = (material: ReturnType<Document['createMaterial']>) =>
    document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', Float32Array.from(positions)))
      .setAttribute('NORMAL', accessor('VEC3', Float32Array.from(normals)))
      .setAttribute('TEXCOORD_0', accessor('VEC2', Float32Array.from(uvs)))
      .setIndices(accessor('SCALAR', Uint16Array.from(indices)))
      .setMaterial(material);

  const painted = document
    .createMaterial('painted')
    .setBaseColorTexture(texture('paint', checkerboard([255, 120, 30, 255], [30, 90, 220, 255])))
    .setNormalTexture(texture('bumps', checkerboard([160, 128, 245, 255], [96, 128, 245, 255])))
    .setMetallicRoughnessTexture(texture('metal', checkerboard([0, 60, 255, 255], [0, 180, 0, 255])));
  const glass = document
    .createMaterial('glass')
    .setBaseColorFactor([0.2, 0.9, 0.4, 0.5])
    .setMetallicFactor(0)
    .setRoughnessFactor(0.3)
    .setAlphaMode('BLEND');

  const scene = document.createScene();
  const parent = document
    .createNode('parent')
    .setMesh(document.createMesh().addPrimitive(primitive(painted)))
    .setRotation([0, Math.sin(0.3), 0, Math.cos(0.3)]);
  const mirrored = document
    .createNode('mirrored')
    .setMesh(document.createMesh().addPrimitive(primitive(painted)))
    .setTranslation([1.2, 0.4, 0])
    .setScale([-0.6, 0.6, 0.6]);
  const pane = document
    .createNode('pane')
    .setMesh(document.createMesh().addPrimitive(primitive(glass)))
    .setTranslation([-0.5, -0.2, 0.9])
    .setScale([0.8, 0.8, 0.05]);
  parent.addChild(mirrored);
  scene.addChild(parent).addChild(pane);

  const lights = document.createExtension(KHRLightsPunctual);
  const addLight = (
    type: (typeof Light.Type)[keyof typeof Light.Type],
    color: [number, number, number],
    intensity: number,
    translation: [number, number, number],
    rotation: [number, number, number, number],
  ) => {
    const light = lights.createLight(type).setType(type).setColor(color).setIntensity(intensity);
    if (type === Light.Type.SPOT) light.setInnerConeAngle(0.2).setOuterConeAngle(0.5);
    scene.addChild(
      document
        .createNode(type)
        .setTranslation(translation)
        .setRotation(rotation)
        .setExtension('KHR_lights_punctual', light),
    );
  };
  addLight(Light.Type.DIRECTIONAL, [1, 1, 1], 2, [0, 0, 0], [-0.383, 0, 0, 0.924]);
  addLight(Light.Type.POINT, [1, 0.4, 0.3], 8, [-1.5, 1, 1.5], [0, 0, 0, 1]);
  addLight(Light.Type.SPOT, [0.3, 0.5, 1], 30, [1, 0.5, 3], [0, 0, 0, 1]);

  return Buffer.from(
    await new NodeIO().registerExtensions([KHRLightsPunctual]).writeBinary(document),
  ).toString('base64');
}
