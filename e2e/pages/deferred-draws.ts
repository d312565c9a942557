import type { BufferHandle, CommandContext } from 'fencepost/rhi';

/** The draws of the test picture, one quad each: any part of them can be recorded in any context. */
export const QUADS = 64;

export interface RecordRequest {
  readonly from: number;
  readonly to: number;
}

export function recordQuads(context: CommandContext, { from, to }: RecordRequest): void {
  for (let quad = from; quad < to; quad++) context.draw(6, 1, 0, quad);
}

/** What the thread that records is asked. */
export type WorkerRequest =
  | { readonly record: unknown; readonly range: RecordRequest; readonly lastUseOf: BufferHandle | null }
  | { readonly recycle: unknown };
