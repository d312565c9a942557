import type { BufferHandle, CommandContext } from 'fencepost/rhi';

/** The number of draws of the test picture, one quad each. Any context can record any part of them. */
export const QUADS = 64;

export interface RecordRequest {
  readonly from: number;
  readonly to: number;
}

export function recordQuads(context: CommandContext, { from, to }: RecordRequest): void {
  for (let quad = from; quad < to; quad++) context.draw(6, 1, 0, quad);
}

/** Requests to the worker that records lists. */
export type WorkerRequest =
  | { readonly record: unknown; readonly range: RecordRequest; readonly lastUseOf: BufferHandle | null }
  | { readonly recycle: unknown };
