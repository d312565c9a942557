/**
 * The type of a list file: a function that records frames and reads with the recorder's API, and the bytes that
 * the reads must return. It uses no device directly, so the same file runs on every backend, in a page and in
 * Node.
 *
 *   record(stage) ─► words ─► null · Dawn in Node · WebGPU in Chromium ─► reads: equal, and as `expected` says
 */
import type { BufferHandle, Rhi, TextureClear, TextureHandle, TextureRegion } from 'fencepost/rhi';

export type Color = readonly [number, number, number, number];

export interface CommandList {
  /** The commands under test. The test's name is "C" and these commands. */
  readonly commands: readonly string[];
  /** Distinguishes lists about the same commands. */
  readonly title?: string;
  /** A platform's class or a device's feature that the list needs. */
  readonly needs?: 'ImageBitmap' | GPUFeatureName;
  record(stage: Stage): void | Promise<void>;
  /** Expected bytes by the name of the read. */
  readonly expected: Readonly<Record<string, readonly number[]>>;
  /** Codes of the errors that the list must raise, in order. */
  readonly errors?: readonly string[];
}

/** The context and helpers with which a list records. */
export interface Stage {
  readonly rhi: Rhi;
  readonly context: Rhi['context'];
  /** Functions that `localCommand` calls, by name. */
  readonly localCommands: Map<string, (data: Uint8Array, device: GPUDevice | null) => void>;
  /** Records one frame that waits for its pipelines. */
  frame(record: () => void): void;
  /** Creates a texture with every usage that its format allows. Default: 4 × 4, `rgba8unorm`. */
  texture(options?: Partial<TextureOptions>): TextureHandle;
  /** Creates a buffer with every usage except mapping, from its contents or a number of zero bytes. */
  buffer(contents: ArrayBufferView | number): BufferHandle;
  /** Reads bytes of a buffer under a name, inside a frame. */
  readBuffer(name: string, buffer: BufferHandle, byteLength: number, byteOffset?: number): void;
  /** Reads texels, row after row without gaps. Default region: 4 × 4 of the first mip level. */
  readTexture(
    name: string,
    texture: TextureHandle,
    bytesPerTexel?: number,
    region?: Partial<TextureRegion>,
  ): void;
}

export interface TextureOptions {
  readonly format: GPUTextureFormat;
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  readonly dimension: GPUTextureDimension;
  readonly usage: number;
  /** Initial clear of the texture. Default: none. */
  readonly clear: TextureClear;
}

export const RED: Color = [255, 0, 0, 255];
export const GREEN: Color = [0, 255, 0, 255];
export const BLUE: Color = [0, 0, 255, 255];
export const BLACK: Color = [0, 0, 0, 255];
export const CLEAR: Color = [0, 0, 0, 0];

/** Returns a 4 × 4 picture of four 2 × 2 squares. */
export function quarters(topLeft: Color, topRight: Color, bottomLeft: Color, bottomRight: Color): number[] {
  const rows = (left: Color, right: Color): number[] => {
    const row = [...left, ...left, ...right, ...right];
    return [...row, ...row];
  };
  return [...rows(topLeft, topRight), ...rows(bottomLeft, bottomRight)];
}

export const filled = (color: Color): number[] => quarters(color, color, color, color);

/** Returns `values` repeated `count` times. */
export const repeated = (count: number, values: readonly number[]): number[] =>
  Array.from({ length: count * values.length }, (_, i) => values[i % values.length] ?? 0);

export const bytesOf = (data: ArrayBufferView): number[] => [
  ...new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
];
