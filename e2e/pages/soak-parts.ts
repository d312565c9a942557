/**
 * Parts of a soak's scenes: a few shapes, and images in each form that a texture accepts. They are small, because
 * a soak tests what happens to them and not their size.
 */
import * as fencepost from 'fencepost';
import { PICTURE_COUNT } from './soak-state.js';

const shapes: readonly (() => fencepost.Geometry)[] = [
  () => fencepost.boxGeometry({ size: 0.6 }),
  () => fencepost.planeGeometry({ size: 0.8 }),
  () => fencepost.sphereGeometry({ radius: 0.35, segments: 6 }),
  () => fencepost.torusGeometry({ radius: 0.3, tube: 0.1, segments: 6, tubeSegments: 4 }),
  () => fencepost.coneGeometry({ radius: 0.3, height: 0.6, segments: 5 }),
];
export const SHAPE_COUNT = shapes.length;
/** Geometries that meshes with an even id share, so that their draws merge. */
const sharedGeometries = shapes.map((shape) => shape());

export const geometryOf = (id: number, shape: number): fencepost.Geometry =>
  id % 2 === 0 ? sharedGeometries[shape]! : shapes[shape]!();

/** Returns two levels of detail. The coarser one is a cone. */
export const lodsOf = (id: number, shape: number): fencepost.MeshLod[] => [
  { geometry: geometryOf(id, shape), screenSize: 0.2 },
  { geometry: geometryOf(0, 4), screenSize: 0.02 },
];

export const PICTURE_SIZE = 8;

export function pixelsOf(picture: number): Uint8ClampedArray<ArrayBuffer> {
  const data = new Uint8ClampedArray(PICTURE_SIZE * PICTURE_SIZE * 4);
  for (let index = 0; index < data.length; index++) {
    data[index] = index % 4 === 3 ? 255 : (index * (picture * 37 + 11)) % 256;
  }
  return data;
}

const imageOf = (picture: number): ImageData => new ImageData(pixelsOf(picture), PICTURE_SIZE, PICTURE_SIZE);

/**
 * Sources of textures that are created before a soak starts, because files and bitmaps are created
 * asynchronously.
 */
export interface Pictures {
  readonly bitmaps: readonly ImageBitmap[];
  readonly blobs: readonly Blob[];
}

export async function makePictures(): Promise<Pictures> {
  const bitmaps: ImageBitmap[] = [];
  const blobs: Blob[] = [];
  for (let picture = 0; picture < PICTURE_COUNT; picture++) {
    bitmaps.push(await createImageBitmap(imageOf(picture)));
    const canvas = new OffscreenCanvas(PICTURE_SIZE, PICTURE_SIZE);
    canvas.getContext('2d')!.putImageData(imageOf(picture), 0, 0);
    blobs.push(await canvas.convertToBlob());
  }
  return { bitmaps, blobs };
}
