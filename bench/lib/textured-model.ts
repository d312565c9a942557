/**
 * FIRST_PICTURE's model: a ring of 2,304 triangles above a floor, both with the same image. It is generated
 * from numbers, in metres.
 */
import { addBox, GltfFile, png } from '../../scripts/test-assets/gltf-file.mjs';
import { xorshift } from '../../src/rhi/memory/suballocator.test-support.js';

/** Vertices around the ring, and around its tube. */
const AROUND = 48;
const ACROSS = 24;
const RING_RADIUS = 1;
const TUBE_RADIUS = 0.4;
/** Width and height of the image in pixels. */
const PICTURE_SIZE = 256;

export function texturedModel(): Uint8Array {
  const file = new GltfFile();
  const random = xorshift(0x31);
  const picture = png(PICTURE_SIZE, (x: number, y: number) => {
    const isLight = ((x >> 5) + (y >> 5)) % 2 === 0;
    const shade = (isLight ? 200 : 120) + Math.floor(random() * 20);
    return [shade, shade * 0.7, shade * 0.4, 255];
  });
  const baseColorTexture = { index: file.texture(file.image(picture)) };
  const material = file.add('materials', {
    pbrMetallicRoughness: { baseColorTexture, metallicFactor: 0.2, roughnessFactor: 0.5 },
  });
  file.show(addRing(file, material), { name: 'ring', translation: [0, 0.2, 0] });
  file.show(addBox(file, material), { name: 'floor', translation: [0, -1.4, 0], scale: [6, 0.1, 6] });
  return file.glb();
}

function addRing(file: GltfFile, material: number): object {
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= AROUND; row++) {
    for (let column = 0; column <= ACROSS; column++) {
      const [turn, roll] = [(row / AROUND) * 2 * Math.PI, (column / ACROSS) * 2 * Math.PI];
      const radius = RING_RADIUS + TUBE_RADIUS * Math.cos(roll);
      positions.push(radius * Math.cos(turn), radius * Math.sin(turn), TUBE_RADIUS * Math.sin(roll));
      normals.push(Math.cos(roll) * Math.cos(turn), Math.cos(roll) * Math.sin(turn), Math.sin(roll));
      uvs.push((4 * row) / AROUND, (2 * column) / ACROSS);
      if (row === AROUND || column === ACROSS) continue;
      const [vertex, next] = [row * (ACROSS + 1) + column, (row + 1) * (ACROSS + 1) + column];
      indices.push(vertex, next, vertex + 1, vertex + 1, next, next + 1);
    }
  }
  return {
    attributes: {
      POSITION: file.accessor(Float32Array.from(positions), 'VEC3'),
      NORMAL: file.accessor(Float32Array.from(normals), 'VEC3'),
      TEXCOORD_0: file.accessor(Float32Array.from(uvs), 'VEC2'),
    },
    indices: file.accessor(Uint16Array.from(indices), 'SCALAR'),
    material,
  };
}
