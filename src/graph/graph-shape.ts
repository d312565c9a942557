import { textureByteLength } from '../rhi/commands/texel-levels.js';
import {
  AccessField,
  AccessMode,
  Declaration,
  type Declarations,
  PassField,
  passKinds,
  passQueues,
  ResourceField,
} from './declarations.js';
import type { GraphPassKind, GraphQueue } from './graph-pass.js';
import { resourceUses } from './resource-uses.js';

/** A frame's declarations as objects. They are built only when a plan is compiled. */
export interface GraphShape {
  readonly passes: readonly ShapePass[];
  readonly resources: readonly ShapeResource[];
}

export interface ShapePass {
  readonly index: number;
  readonly name: string;
  readonly kind: GraphPassKind;
  readonly queue: GraphQueue;
  /** Whether the pass has an effect beyond the graph. */
  readonly isKept: boolean;
  readonly accesses: readonly ShapeAccess[];
}

export interface ShapeAccess {
  readonly resource: ShapeResource;
  /** The version that is read or written. */
  readonly version: number;
  readonly use: number;
  /** Mip level, or -1 for all levels. */
  readonly mipLevel: number;
  /** Layer, or -1 for all layers. */
  readonly layer: number;
  /** A value of `AccessMode`. */
  readonly mode: number;
  /** Slot of colour and resolve attachments. */
  readonly slot: number;
  readonly clear: readonly [number, number, number, number] | undefined;
  /** View format of a colour attachment; undefined if it is the texture's own format. */
  readonly viewFormat: GPUTextureFormat | undefined;
}

export interface ShapeResource {
  readonly index: number;
  readonly name: string;
  readonly isImported: boolean;
  readonly hasContents: boolean;
  readonly isResult: boolean;
  readonly byteLength: number;
  /** Properties of a texture; undefined for buffers. */
  readonly texture: ShapeTexture | undefined;
}

interface ShapeTexture {
  readonly width: number;
  readonly height: number;
  readonly layers: number;
  readonly format: GPUTextureFormat;
  readonly sampleCount: number;
  readonly mipLevelCount: number;
}

export function readShape(declarations: Declarations): GraphShape {
  const { numbers, names, length } = declarations;
  const resources: ShapeResource[] = [];
  const passes: (ShapePass & { isKept: boolean; accesses: ShapeAccess[] })[] = [];
  let nameIndex = 0;
  for (let at = 0; at < length; at = declarations.next(at)) {
    const field = (index: number): number => numbers[at + 1 + index] as number;
    const pass = passes.at(-1);
    switch (numbers[at]) {
      case Declaration.resource:
        resources.push(readResource(declarations, resources.length, names[nameIndex++] as string, field));
        break;
      case Declaration.pass:
        passes.push({
          index: passes.length,
          name: names[nameIndex++] as string,
          kind: passKinds[field(PassField.kind)] as GraphPassKind,
          queue: passQueues[field(PassField.queue)] as GraphQueue,
          isKept: false,
          accesses: [],
        });
        break;
      case Declaration.access:
        pass?.accesses.push(readAccess(declarations, resources, field));
        break;
      default:
        if (pass) pass.isKept = true;
    }
  }
  return { passes, resources };
}

function readResource(
  declarations: Declarations,
  index: number,
  name: string,
  field: (index: number) => number,
): ShapeResource {
  const texture = {
    width: field(ResourceField.width),
    height: field(ResourceField.height),
    layers: field(ResourceField.layers),
    format: declarations.formatOf(field(ResourceField.format)),
    sampleCount: field(ResourceField.sampleCount),
    mipLevelCount: field(ResourceField.mipLevelCount),
  };
  const isTexture = field(ResourceField.isTexture) === 1;
  return {
    index,
    name,
    isImported: field(ResourceField.isImported) === 1,
    hasContents: field(ResourceField.hasContents) === 1,
    isResult: field(ResourceField.isResult) === 1,
    byteLength: isTexture
      ? textureByteLength({ ...texture, depthOrArrayLayers: texture.layers })
      : texture.width,
    texture: isTexture ? texture : undefined,
  };
}

function readAccess(
  declarations: Declarations,
  resources: readonly ShapeResource[],
  field: (index: number) => number,
): ShapeAccess {
  const channel = (index: number): number => field(AccessField.clear + index);
  const viewFormat = field(AccessField.viewFormat);
  return {
    resource: resources[field(AccessField.resource)] as ShapeResource,
    version: field(AccessField.version),
    use: field(AccessField.use),
    mipLevel: field(AccessField.mipLevel),
    layer: field(AccessField.layer),
    mode: field(AccessField.mode),
    slot: field(AccessField.slot),
    clear: field(AccessField.isCleared) ? [channel(0), channel(1), channel(2), channel(3)] : undefined,
    viewFormat: viewFormat ? declarations.formatOf(viewFormat - 1) : undefined,
  };
}

export function usageOf(access: ShapeAccess): number {
  return resourceUses[access.use]?.usage ?? 0;
}

export function isWrite(access: ShapeAccess): boolean {
  return access.mode !== AccessMode.read;
}

/**
 * Returns the version whose contents an access needs. Undefined if the access writes all of them, or if they are
 * undefined.
 */
export function versionNeeded(access: ShapeAccess): number | undefined {
  if (access.mode === AccessMode.write) return undefined;
  const version = access.mode === AccessMode.read ? access.version : access.version - 1;
  // Contents that no pass has written are undefined; attachments with such contents are cleared.
  return version === 0 && !access.resource.hasContents ? undefined : version;
}

/**
 * Returns whether two resources can share memory. WebGPU can't place two textures in the same memory, so resources
 * share memory by using the same texture or buffer. Everything except the usage has to be equal.
 */
export function isAlike(first: ShapeResource, second: ShapeResource): boolean {
  const a = first.texture;
  const b = second.texture;
  if (a === undefined || b === undefined) return a === b && first.byteLength === second.byteLength;
  return (
    a.width === b.width &&
    a.height === b.height &&
    a.layers === b.layers &&
    a.format === b.format &&
    a.sampleCount === b.sampleCount &&
    a.mipLevelCount === b.mipLevelCount
  );
}
