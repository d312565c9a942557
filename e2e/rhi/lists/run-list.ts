/**
 * Runs a list on a device, or on the null backend, and collects the results that a test compares: words, bytes,
 * errors, counts.
 */
import {
  BufferUsage,
  createRhi,
  FrameFlag,
  NullExecutor,
  type Rhi,
  type RhiOptions,
  type TextureHandle,
  TextureUsage,
} from 'fencepost/rhi';
import type { CommandList, Stage, TextureOptions } from './list.js';
import { WordWatcher } from './watch-words.js';

export interface ListResult {
  /** Hash of the words of all records. */
  readonly words: string;
  readonly reads: Readonly<Record<string, number[]>>;
  /** The reported errors, each as `code: message`. */
  readonly errors: readonly string[];
  /** Number of executions of each command, on the null backend. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Returns whether the device and the platform have what the list needs. */
export function canRun({ needs }: CommandList, device: GPUDevice | null): boolean {
  if (needs === undefined) return true;
  return needs === 'ImageBitmap' ? 'createImageBitmap' in globalThis : device?.features.has(needs) === true;
}

const BUFFER_USAGE =
  BufferUsage.copySource |
  BufferUsage.copyTarget |
  BufferUsage.index |
  BufferUsage.vertex |
  BufferUsage.uniform |
  BufferUsage.storage |
  BufferUsage.indirect |
  BufferUsage.queryResolve;

const ROW_ALIGNMENT = 256;

/**
 * Runs a list and returns its results. @param wrapReader wraps the executor's reader, for instance with
 * validation
 */
export async function runList(
  list: CommandList,
  device: GPUDevice | null,
  wrapReader: NonNullable<RhiOptions['wrapReader']> = (reader) => reader,
): Promise<ListResult> {
  const errors: string[] = [];
  let watcher: WordWatcher | undefined;
  const localCommands: Stage['localCommands'] = new Map();
  const rhi = createRhi({
    device,
    wrapReader: (reader, tools) => {
      watcher = new WordWatcher(reader);
      return wrapReader(watcher, tools);
    },
    localCommands,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => {
      const { code, message } = error as { code?: string; message: string };
      errors.push(`${code}: ${message}`);
    },
  });
  const reads: Record<string, Promise<number[]>> = {};
  await list.record(createStage(rhi, localCommands, reads));
  await rhi.flush();
  const bytes: Record<string, number[]> = {};
  for (const [name, read] of Object.entries(reads)) bytes[name] = await read;
  const { executor } = rhi;
  const counts = executor instanceof NullExecutor ? Object.fromEntries(executor.commandCounts) : {};
  rhi.dispose();
  return { words: watcher?.hash ?? '', reads: bytes, errors, counts };
}

function createStage(
  rhi: Rhi,
  localCommands: Stage['localCommands'],
  reads: Record<string, Promise<number[]>>,
): Stage {
  const { context } = rhi;
  let frame = 0;
  let count = 0;
  const label = (kind: string): string => `${kind} ${++count}`;
  const stage: Stage = {
    rhi,
    context,
    localCommands,
    frame: (record) => {
      context.beginFrame(++frame, FrameFlag.waitForPipelines);
      record();
      context.endFrame();
    },
    texture: (options = {}) => {
      const { format = 'rgba8unorm', width = 4, height = 4, clear, ...rest } = options;
      const usage = options.usage ?? usageOf(format, options);
      const texture = context.createTexture({
        label: label('texture'),
        width,
        height,
        format,
        ...rest,
        usage,
      });
      if (clear) context.clearTexture(texture, clear);
      return texture;
    },
    buffer: (contents) => {
      const byteLength = typeof contents === 'number' ? contents : contents.byteLength;
      const buffer = context.createBuffer({ label: label('buffer'), byteLength, usage: BUFFER_USAGE });
      if (typeof contents !== 'number') context.writeBuffer(buffer, 0, contents);
      return buffer;
    },
    readBuffer: (name, buffer, byteLength, byteOffset = 0) => {
      reads[name] = rhi.read(buffer, byteOffset, byteLength).then((bytes) => [...new Uint8Array(bytes)]);
      // The read is awaited after the list has run. An earlier rejection must not count as unhandled.
      reads[name].catch(() => {});
    },
    readTexture: (name, texture, bytesPerTexel = 4, region = {}) => {
      const { width = 4, height = 4, depthOrArrayLayers = 1 } = region;
      const rows = height * depthOrArrayLayers;
      const buffer = context.createBuffer({
        label: label('texels'),
        byteLength: rows * ROW_ALIGNMENT,
        usage: BufferUsage.copyTarget | BufferUsage.copySource,
      });
      context.copyTextureToBuffer(texture as TextureHandle, buffer, {
        ...region,
        width,
        height,
        depthOrArrayLayers,
        bytesPerRow: ROW_ALIGNMENT,
        rowsPerImage: height,
      });
      reads[name] = rhi.read(buffer, 0, rows * ROW_ALIGNMENT).then((bytes) => {
        const all = new Uint8Array(bytes);
        const row = (index: number) =>
          all.subarray(index * ROW_ALIGNMENT, index * ROW_ALIGNMENT + width * bytesPerTexel);
        return Array.from({ length: rows }, (_, index) => [...row(index)]).flat();
      });
      reads[name].catch(() => {});
    },
  };
  return stage;
}

function usageOf(format: GPUTextureFormat, { sampleCount = 1, dimension }: Partial<TextureOptions>): number {
  const { copySource, copyTarget, renderAttachment, textureBinding } = TextureUsage;
  if (sampleCount > 1) return renderAttachment | textureBinding;
  const canDraw = dimension !== '1d' && !/snorm|^bc|^etc2|^eac|^astc|^rgb9e5/.test(format);
  return copySource | copyTarget | textureBinding | (canDraw ? renderAttachment : 0);
}
