// Draws a parity scene on the CPU, in doubles. Each triangle is tested at the four samples of each pixel and
// shaded once per pixel at its centre, as GPUs do with 4× MSAA. The samples' light is averaged and then encoded as
// sRGB.
//
//   samples of a pixel (the standard pattern):   · · · ·      ┌ "interior": one triangle has all four samples, so
//                                                · 0 · ·      │ the pixel is one shaded point and no average
//                                                · · · 1      └
import { cross, difference, dot, scaled, shade, sum, unit } from './gltf-reference.js';
import type { Image, ParityMesh, ParityScene, Picture, Triple } from './scene.js';

const SAMPLES = [
  [0.375, 0.125],
  [0.875, 0.375],
  [0.125, 0.625],
  [0.625, 0.875],
] as const;

/**
 * The grid to which vertices are rounded, in pixels. Each GPU chooses its grid, and SwiftShader's is coarse. Rounding
 * like SwiftShader makes edges and texture coordinates agree almost to the last bit.
 */
const VERTEX_GRID = 1 / 16;

/**
 * Distance from an edge, in pixels, below which rounding decides coverage. Such pixels do not count as
 * interior.
 */
const MARGIN = 1 / 8;

export interface ReferencePicture extends Picture {
  /** 1 for pixels that one triangle covers completely. */
  readonly interior: Uint8Array;
  /** 1 for pixels in which at least one sample shows a mesh. */
  readonly covered: Uint8Array;
}

export function encodeSrgb(linear: number): number {
  const value = Math.min(1, Math.max(0, linear));
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

export function decodeSrgb(encoded: number): number {
  return encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4;
}

/** Samples an image: bilinear, from mip level 0, repeating. */
function sample(image: Image, u: number, v: number, isSrgb: boolean): [number, number, number, number] {
  const x = u * image.size - 0.5;
  const y = v * image.size - 0.5;
  const left = Math.floor(x);
  const top = Math.floor(y);
  const result: [number, number, number, number] = [0, 0, 0, 0];
  for (let corner = 0; corner < 4; corner++) {
    const column = left + (corner & 1);
    const row = top + (corner >> 1);
    const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
    const wrap = (value: number): number => ((value % image.size) + image.size) % image.size;
    const at = (wrap(row) * image.size + wrap(column)) * 4;
    for (let channel = 0; channel < 4; channel++) {
      const value = image.data[at + channel]! / 255;
      result[channel]! += weight * (isSrgb && channel < 3 ? decodeSrgb(value) : value);
    }
  }
  return result;
}

function rotate([x, y, z, w]: ParityMesh['rotation'], vector: Triple): Triple {
  const axis: Triple = [x, y, z];
  const twice = scaled(cross(axis, vector), 2);
  return sum(vector, sum(scaled(twice, w), cross(axis, twice)));
}

const rounded = (pixels: number): number => Math.round(pixels / VERTEX_GRID) * VERTEX_GRID;

interface Corner {
  /** Position in pixels. Y points down. */
  readonly x: number;
  readonly y: number;
  readonly inverseW: number;
  readonly position: Triple;
  readonly normal: Triple;
  readonly tangent: Triple;
  readonly uv: readonly [number, number];
}

/** Returns the light that leaves the mesh at a point, with its alpha, or `null` if the mask discards it. */
function shadeMesh(
  mesh: ParityMesh,
  scene: ParityScene,
  position: Triple,
  interpolatedNormal: Triple,
  interpolatedTangent: Triple,
  u: number,
  v: number,
): { light: Triple; alpha: number } | null {
  const { material } = mesh;
  let [red, green, blue, alpha] = material.baseColor;
  let { metallic, roughness } = material;
  if (material.baseColorImage) {
    const texel = sample(material.baseColorImage, u, v, true);
    red *= texel[0];
    green *= texel[1];
    blue *= texel[2];
    alpha *= texel[3];
  }
  if (material.alphaMode === 'mask' && alpha < (material.alphaCutoff ?? 0.5)) return null;
  if (material.metallicRoughnessImage) {
    const texel = sample(material.metallicRoughnessImage, u, v, false);
    roughness *= texel[1];
    metallic *= texel[2];
  }
  let normal = unit(interpolatedNormal);
  if (material.normalImage) {
    const texel = sample(material.normalImage, u, v, false);
    const bitangent = cross(normal, interpolatedTangent);
    normal = unit(
      sum(
        sum(scaled(interpolatedTangent, texel[0] * 2 - 1), scaled(bitangent, texel[1] * 2 - 1)),
        scaled(normal, texel[2] * 2 - 1),
      ),
    );
  }
  const toViewer = unit(difference(scene.camera.position, position));
  const baseColor: Triple = [red, green, blue];
  const light = shade({ position, normal, toViewer, baseColor, metallic, roughness }, scene.lights);
  return { light, alpha: material.alphaMode === 'blend' ? alpha : 1 };
}

export function drawReference(scene: ParityScene): ReferencePicture {
  const { size, camera } = scene;
  const back = unit(difference(camera.position, camera.target));
  const right = unit(cross([0, 1, 0], back));
  const up = cross(back, right);
  const focal = 1 / Math.tan(camera.fovY / 2);
  const background = [1, 3, 5].map((at) =>
    decodeSrgb(Number.parseInt(scene.background.slice(at, at + 2), 16) / 255),
  );

  // Data per sample: the linear colour, 1/w of the nearest opaque surface, and the triangles that it shows.
  const sampleCount = size * size * 4;
  const color = new Float64Array(sampleCount * 3);
  for (let index = 0; index < color.length; index++) color[index] = background[index % 3]!;
  const nearest = new Float64Array(sampleCount);
  const shown = new Float64Array(sampleCount);
  const uncertain = new Uint8Array(size * size);
  let triangle = 0;

  for (const mesh of scene.meshes) {
    const { shape } = mesh;
    const corner = (index: number): Corner => {
      const triple = (values: readonly number[], at: number): Triple => [
        values[at]!,
        values[at + 1]!,
        values[at + 2]!,
      ];
      const turned = rotate(mesh.rotation, triple(shape.positions, index * 3));
      const position = sum(scaled(turned, mesh.scale), mesh.position);
      const fromCamera = difference(position, camera.position);
      const w = -dot(fromCamera, back);
      if (w < camera.near)
        throw new Error('The reference does not clip: keep meshes in front of the camera.');
      return {
        x: rounded((0.5 + (0.5 * focal * dot(fromCamera, right)) / w) * size),
        y: rounded((0.5 - (0.5 * focal * dot(fromCamera, up)) / w) * size),
        inverseW: 1 / w,
        position,
        normal: rotate(mesh.rotation, triple(shape.normals, index * 3)),
        tangent: rotate(mesh.rotation, triple(shape.tangents, index * 4)),
        uv: [shape.uvs[index * 2]!, shape.uvs[index * 2 + 1]!],
      };
    };
    for (let index = 0; index < shape.indices.length; index += 3) {
      triangle++;
      const a = corner(shape.indices[index]!);
      const b = corner(shape.indices[index + 1]!);
      const c = corner(shape.indices[index + 2]!);
      const edge = (from: Corner, to: Corner, x: number, y: number): number =>
        (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
      const area = edge(a, b, c.x, c.y);
      if (area >= 0) continue; // y runs down: counter-clockwise triangles have a negative area
      const weights = (x: number, y: number): Triple => [
        edge(b, c, x, y) / area,
        edge(c, a, x, y) / area,
        edge(a, b, x, y) / area,
      ];
      // A weight times this length is the point's distance inside that edge, in pixels.
      const lengths = [
        Math.abs(area) / Math.hypot(b.x - c.x, b.y - c.y),
        Math.abs(area) / Math.hypot(c.x - a.x, c.y - a.y),
        Math.abs(area) / Math.hypot(a.x - b.x, a.y - b.y),
      ];
      const first = (values: number[]): number => Math.max(0, Math.floor(Math.min(...values)));
      const last = (values: number[]): number => Math.min(size - 1, Math.floor(Math.max(...values)));
      const xs = [a.x, b.x, c.x];
      const ys = [a.y, b.y, c.y];
      for (let y = first(ys); y <= last(ys); y++) {
        for (let x = first(xs); x <= last(xs); x++) {
          let result: ReturnType<typeof shadeMesh> | undefined;
          SAMPLES.forEach(([offsetX, offsetY], number) => {
            const [wa, wb, wc] = weights(x + offsetX, y + offsetY);
            if (wa < 0 || wb < 0 || wc < 0) return;
            const inverseW = wa * a.inverseW + wb * b.inverseW + wc * c.inverseW;
            const at = (y * size + x) * 4 + number;
            if (inverseW <= nearest[at]!) return;
            if (result === undefined) {
              // Weights at the pixel's centre, corrected for perspective. The centre may lie outside the
              // triangle.
              const [ca, cb, cc] = weights(x + 0.5, y + 0.5);
              const centre: Triple = [ca * a.inverseW, cb * b.inverseW, cc * c.inverseW];
              const [pa, pb, pc] = scaled(centre, 1 / (centre[0] + centre[1] + centre[2]));
              const interpolate = (of: (corner: Corner) => Triple): Triple =>
                sum(sum(scaled(of(a), pa), scaled(of(b), pb)), scaled(of(c), pc));
              result = shadeMesh(
                mesh,
                scene,
                interpolate(({ position }) => position),
                interpolate(({ normal }) => normal),
                interpolate(({ tangent }) => tangent),
                a.uv[0] * pa + b.uv[0] * pb + c.uv[0] * pc,
                a.uv[1] * pa + b.uv[1] * pb + c.uv[1] * pc,
              );
            }
            if (result === null) return;
            const { light, alpha } = result;
            for (let channel = 0; channel < 3; channel++) {
              color[at * 3 + channel] = light[channel]! * alpha + color[at * 3 + channel]! * (1 - alpha);
            }
            if (Math.min(wa * lengths[0]!, wb * lengths[1]!, wc * lengths[2]!) < MARGIN)
              uncertain[at >> 2] = 1;
            if (mesh.material.alphaMode === 'blend') shown[at] = shown[at]! * 100_003 + triangle;
            else {
              shown[at] = triangle;
              nearest[at] = inverseW;
            }
          });
        }
      }
    }
  }

  const data = new Uint8ClampedArray(size * size * 4).fill(255);
  const interior = new Uint8Array(size * size);
  const covered = new Uint8Array(size * size);
  for (let pixel = 0; pixel < size * size; pixel++) {
    const [s0, s1, s2, s3] = shown.subarray(pixel * 4, pixel * 4 + 4);
    covered[pixel] = s0! + s1! + s2! + s3! > 0 ? 1 : 0;
    interior[pixel] = covered[pixel] && !uncertain[pixel] && s0 === s1 && s0 === s2 && s0 === s3 ? 1 : 0;
    for (let channel = 0; channel < 3; channel++) {
      let total = 0;
      for (let number = 0; number < 4; number++) total += color[(pixel * 4 + number) * 3 + channel]!;
      data[pixel * 4 + channel] = Math.round(encodeSrgb(total / 4) * 255);
    }
  }
  return { width: size, height: size, data, interior, covered };
}
