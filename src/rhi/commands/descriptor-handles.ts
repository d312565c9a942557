/**
 * The handles in a descriptor, by the names of the fields that hold them. The same names stand for objects of WebGPU in
 * other places (`buffer` of a layout's entry): a handle is a number.
 *
 *   { layout: 5, entries: [{ binding: 0, buffer: 1 }] }  ─►  5, a bind group layout; 1, a buffer
 */
import { ResourceKind } from './handles.js';

const KINDS: Readonly<Record<string, ResourceKind | undefined>> = {
  buffer: ResourceKind.buffer,
  texture: ResourceKind.texture,
  sampler: ResourceKind.sampler,
  layout: ResourceKind.bindGroupLayout,
  bindGroupLayouts: ResourceKind.bindGroupLayout,
  module: ResourceKind.shaderModule,
  querySet: ResourceKind.querySet,
  occlusionQuerySet: ResourceKind.querySet,
};

/** A member of a descriptor that holds a handle, or a list of them. */
export const isHandleField = (name: string): boolean => KINDS[name] !== undefined;

/** Calls `visit` with each handle, in the order in which they are written. */
export function visitHandles(
  descriptor: unknown,
  visit: (handle: number, kind: ResourceKind) => void,
  kind?: ResourceKind,
): void {
  if (typeof descriptor === 'number' && kind !== undefined) visit(descriptor, kind);
  if (typeof descriptor !== 'object' || descriptor === null) return;
  if (Array.isArray(descriptor)) {
    for (const item of descriptor) visitHandles(item, visit, kind);
    return;
  }
  for (const [name, value] of Object.entries(descriptor)) visitHandles(value, visit, KINDS[name]);
}
