/**
 * What a list file is: a function over the recorder's API that records frames and asks for bytes, and the bytes
 * that a GPU must answer. It knows no device, so the same file runs on every backend, in a page and in Node.
 *
 *   record(stage) ─► words ─► null · Dawn in Node · WebGPU in Chromium ─► reads: equal, and as `expected` says
 */
import type { BufferHandle, Rhi, TextureClear, TextureHandle, TextureRegion } from 'fencepost/rhi';

export type Color = readonly [number, number, number, number];

export interface CommandList {
  /** The commands it is about; the test is named "C" and these. */
  readonly commands: readonly string[];
  /** Tells lists about the same commands apart. */
  readonly title?: string;
  /** What not every platform or device has. */
  readonly needs?: 'ImageBitmap' | GPUFeatureName;
  record(stage: Stage): void | Promise<void>;
  /** By the name of the read. */
  readonly expected: Readonly<Record<string, readonly number[]>>;
  /** Codes of the errors it must raise, in order. */
  readonly errors?: readonly string[];
}

/** Where a list is recorded. */
export interface Stage {
  readonly rhi: Rhi;
  readonly context: Rhi['context'];
  /** Registered for `localCommand`. */
  readonly localCommands: Map<string, (data: Uint8Array, device: GPUDevice | null) => void>;
  /** Records one frame, which waits for its pipelines. */
  frame(record: () => void): void;
  /** A texture with every usage that its format allows; 4 × 4 `rgba8unorm` unless said otherwise. */
  texture(options?: Partial<TextureOptions>): TextureHandle;
  /** A buffer with every usage but mapping; its contents, or how many bytes of zeros. */
  buffer(contents: ArrayBufferView | number): BufferHandle;
  /** Asks for bytes of a buffer, inside a frame, under a name. */
  readBuffer(name: string, buffer: BufferHandle, byteLength: number, byteOffset?: number): void;
  /** Asks for texels, row after row without gaps. The region defaults to 4 × 4 of the first mip level. */
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
  /** What it is cleared to at once; not where left out. */
  readonly clear: TextureClear;
}

export const RED: Color = [255, 0, 0, 255];
export const GREEN: Color = [0, 255, 0, 255];
export const BLUE: Color = [0, 0, 255, 255];
export const BLACK: Color = [0, 0, 0, 255];
export const CLEAR: Color = [0, 0, 0, 0];

/** A 4 × 4 picture of four 2 × 2 squares. */
export function quarters(topLeft: Color, topRight: Color, bottomLeft: Color, bottomRight: Color): number[] {
  const rows = (left: Color, right: Color): number[] => {
    const row = [...left, ...left, ...right, ...right];
    return [...row, ...row];
  };
  return [...rows(topLeft, topRight), ...rows(bottomLeft, bottomRight)];
}

export const filled = (color: Color): number[] => quarters(color, color, color, color);

/** `values` over and over. */
export const repeated = (count: number, values: readonly number[]): number[] =>
  Array.from({ length: count * values.length }, (_, i) => values[i % values.length] ?? 0);

export const bytesOf = (data: ArrayBufferView): number[] => [
  ...new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
];
