/** Makes glTF files for the comparison with the Khronos sample renderer. */
import { Document, type Material, NodeIO, type Scene } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { PNG } from 'pngjs';

/**
 * Returns the vertices and indices of a sphere of radius 1. The positions are also the normals. Facets are
 * too fine to show in a reflection.
 */
function sphere(segments: number) {
  const positions: number[] = [];
  const uvs: number[] = [];
  const tangents: number[] = [];
  const indices: number[] = [];
  const rings = segments / 2;
  for (let ring = 0; ring <= rings; ring++) {
    for (let column = 0; column <= segments; column++) {
      const polar = (ring / rings) * Math.PI;
      const around = (column / segments) * Math.PI * 2;
      positions.push(Math.sin(polar) * Math.cos(around), Math.cos(polar), Math.sin(polar) * Math.sin(around));
      uvs.push(column / segments, ring / rings);
      tangents.push(-Math.sin(around), 0, Math.cos(around), 1);
      if (ring === rings || column === segments) continue;
      const at = ring * (segments + 1) + column;
      indices.push(at, at + 1, at + segments + 1, at + 1, at + segments + 2, at + segments + 1);
    }
  }
  return { positions, uvs, tangents, indices };
}

/** Returns a uniform grey PNG for an occlusion map. */
function greyImage(value: number): Buffer {
  const png = new PNG({ width: 4, height: 4 });
  for (let at = 0; at < png.data.length; at += 4) png.data.set([value, value, value, 255], at);
  return PNG.sync.write(png);
}

/** Number of rows and of columns. */
const COUNT = 5;

/**
 * Returns a file of spheres in rows of metalness and columns of roughness, each from 0 to 1.
 *
 * @param baseColor linear
 * @param occlusion uniform value of an occlusion map, 0 to 1. Default: no map.
 */
export function sphereGrid(
  baseColor: readonly [number, number, number],
  occlusion?: number,
): Promise<Buffer> {
  const document = new Document();
  const map =
    occlusion === undefined
      ? null
      : document
          .createTexture()
          .setImage(greyImage(Math.round(occlusion * 255)))
          .setMimeType('image/png');
  return gridOf(document, (metallic, roughness) =>
    document
      .createMaterial()
      .setBaseColorFactor([...baseColor, 1])
      .setMetallicFactor(metallic)
      .setRoughnessFactor(roughness)
      .setOcclusionTexture(map),
  );
}

/**
 * Returns a file of spheres in rows and columns. With `hasTangents`, vertices have tangents.
 *
 * @param materialAt returns the material of a sphere, whose row and column go from 0 to 1
 * @param add adds further nodes to the scene
 */
export async function gridOf(
  document: Document,
  materialAt: (row: number, column: number) => Material,
  add: (scene: Scene) => void = () => {},
  hasTangents = false,
): Promise<Buffer> {
  const buffer = document.createBuffer();
  const { positions, uvs, tangents, indices } = sphere(64);
  const accessor = (type: 'VEC2' | 'VEC3' | 'VEC4', values: number[]) =>
    document.createAccessor().setBuffer(buffer).setType(type).setArray(new Float32Array(values));
  const [position, uv] = [accessor('VEC3', positions), accessor('VEC2', uvs)];
  const tangent = hasTangents ? accessor('VEC4', tangents) : null;
  const index = document.createAccessor().setBuffer(buffer).setArray(new Uint16Array(indices));
  const scene = document.createScene();
  add(scene);
  for (let row = 0; row < COUNT; row++) {
    for (let column = 0; column < COUNT; column++) {
      const primitive = document
        .createPrimitive()
        .setAttribute('POSITION', position)
        .setAttribute('NORMAL', position)
        .setAttribute('TEXCOORD_0', uv)
        .setAttribute('TANGENT', tangent)
        .setIndices(index)
        .setMaterial(materialAt(row / (COUNT - 1), column / (COUNT - 1)));
      const mesh = document.createMesh().addPrimitive(primitive);
      const place: [number, number, number] = [(column - 2) * 2.2, (row - 2) * 2.2, 0];
      scene.addChild(document.createNode().setMesh(mesh).setTranslation(place));
    }
  }
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
  return Buffer.from(await io.writeBinary(document));
}
