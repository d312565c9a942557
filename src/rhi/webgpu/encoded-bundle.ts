/**
 * A render bundle encoded from a run of records, and whether it still means what they mean. It holds while every
 * resource that the run names is what it was when it was encoded, for attachments of the same formats, and is encoded
 * only where nothing would be skipped.
 */
import type { RenderPassDescriptor, TextureViewDescriptor } from '../commands/descriptors.js';
import { handleKind } from '../commands/handles.js';
import { encodeRun } from './bundle-encoding.js';
import type { ExecutorParts } from './extension.js';
import type { PassRun } from './pass-run.js';
import type { GpuResource, Resources } from './resources.js';

/** Passes with attachments of the same formats. */
export interface PassFormats {
  /** The pass that was last found to be one; another object may say the same. */
  source: RenderPassDescriptor;
  readonly formats: string;
}

export interface EncodedBundle extends PassFormats {
  readonly gpu: GPURenderBundle;
  readonly drawCalls: number;
  readonly instances: number;
  /** With the WebGPU object that each had. */
  readonly used: ReadonlyMap<GpuResource<unknown>, unknown>;
  epoch: number;
}

/** Null where something is missing, so that the draws would be skipped, counted and reported. */
export function encodeBundle(
  run: PassRun,
  source: RenderPassDescriptor,
  { device, resources }: Pick<ExecutorParts, 'device' | 'resources'>,
  label = source.label,
): EncodedBundle | null {
  const layout = layoutOf(source, resources);
  let gpu: GPURenderBundle;
  try {
    const encoder = device.createRenderBundleEncoder({ ...layout, label });
    if (!encodeRun(run, encoder, resources)) return null;
    gpu = encoder.finish();
  } catch {
    // Executed directly, it throws again, and is reported.
    return null;
  }
  return {
    gpu,
    source,
    formats: JSON.stringify(layout),
    ...run.countDraws(),
    used: run.usedResources(resources),
    epoch: resources.epoch,
  };
}

export function formatsOf(source: RenderPassDescriptor, resources: Resources): PassFormats {
  return { source, formats: JSON.stringify(layoutOf(source, resources)) };
}

/** The pass's attachments are of these formats. */
export function fitsPass(known: PassFormats, source: RenderPassDescriptor, resources: Resources): boolean {
  if (known.source === source) return true;
  if (known.formats !== JSON.stringify(layoutOf(source, resources))) return false;
  known.source = source;
  return true;
}

/** Every resource it names is what it was. */
export function isCurrent(bundle: EncodedBundle, { epoch, tables }: Resources): boolean {
  if (bundle.epoch === epoch) return true;
  for (const [resource, gpu] of bundle.used) {
    const table = tables[handleKind(resource.handle)];
    if (resource.gpu !== gpu || table?.find(resource.handle) !== resource) return false;
  }
  bundle.epoch = epoch;
  return true;
}

/** What a bundle must agree with its pass in. */
function layoutOf(source: RenderPassDescriptor, { textures }: Resources): GPURenderBundleEncoderDescriptor {
  let sampleCount = 1;
  const formatOf = ({ texture, format }: TextureViewDescriptor): GPUTextureFormat | undefined => {
    const gpu = textures.find(texture)?.gpu;
    sampleCount = gpu?.sampleCount ?? 1;
    return (format as GPUTextureFormat | undefined) ?? gpu?.format;
  };
  const { depthStencilAttachment: depth } = source;
  return {
    colorFormats: source.colorAttachments.map((color) => color && (formatOf(color.view) ?? null)),
    depthStencilFormat: depth && formatOf(depth.view),
    sampleCount,
    depthReadOnly: depth?.depthReadOnly,
    stencilReadOnly: depth?.stencilReadOnly,
  };
}
