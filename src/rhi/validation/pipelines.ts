/** Creating pipelines: formats, depth and stencil, vertex layouts, sample counts, and what a draw will need. */
import type { ComputePipelineDescriptor, GraphicsPipelineDescriptor } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import { formatInfo, vertexFormatBytes } from './formats.js';
import {
  type GraphicsPipelineModel,
  type LayoutModel,
  type Model,
  nameOf,
  type VertexSlot,
} from './models.js';
import { checkTargets } from './pipeline-targets.js';
import { countsAreWithinLimits, createModel, hasFeature, withinLimit } from './resources.js';
import type { Check, ValidationState } from './state.js';

export function createGraphicsPipeline(check: Check): boolean {
  const { state, words, at } = check;
  const descriptor = jsonAt<GraphicsPipelineDescriptor>(words, at, 1);
  const model = createModel(check, state.models.graphicsPipelines, descriptor.label);
  if (model === null) return false;
  const layouts = findLayouts(state, model, descriptor.bindGroupLayouts);
  if (layouts === null) return false;
  model.layouts = layouts;
  model.layoutIds = layoutIds(layouts);
  const { vertex, fragment } = descriptor;
  if (state.find(state.models.shaders, vertex.module) === null) return false;
  if (fragment !== undefined && state.find(state.models.shaders, fragment.module) === null) return false;
  const isFine =
    checkVertexBuffers(state, model, descriptor) &&
    checkTargets(state, model, descriptor) &&
    checkDepthStencil(state, model, descriptor) &&
    checkPrimitive(state, model, descriptor);
  model.isFailed = !isFine;
  return isFine;
}

export function createComputePipeline(check: Check): boolean {
  const { state, words, at } = check;
  const descriptor = jsonAt<ComputePipelineDescriptor>(words, at, 1);
  const model = createModel(check, state.models.computePipelines, descriptor.label);
  if (model === null) return false;
  const layouts = findLayouts(state, model, descriptor.bindGroupLayouts);
  if (layouts === null || state.find(state.models.shaders, descriptor.compute.module) === null) return false;
  model.layouts = layouts;
  model.layoutIds = layoutIds(layouts);
  model.isFailed = false;
  return true;
}

function findLayouts(state: ValidationState, model: Model, handles: readonly number[]): LayoutModel[] | null {
  if (!withinLimit(state, model, 'bind group layouts:', handles.length, 'maxBindGroups')) return null;
  const layouts: LayoutModel[] = [];
  for (const handle of handles) {
    const layout = state.find(state.models.layouts, handle);
    if (layout === null) return null;
    layouts.push(layout);
  }
  const entries = layouts.flatMap((layout) => layout.entries);
  return countsAreWithinLimits(state, model, entries) ? layouts : null;
}

/** 0 where nothing must be set. */
const layoutIds = (layouts: readonly LayoutModel[]): Int32Array =>
  Int32Array.from(layouts, ({ id, isEmpty }) => (isEmpty ? 0 : id));

function checkVertexBuffers(
  state: ValidationState,
  model: GraphicsPipelineModel,
  { vertex }: GraphicsPipelineDescriptor,
): boolean {
  const buffers = vertex.buffers ?? [];
  const resource = nameOf(model);
  if (!withinLimit(state, model, 'vertex buffers:', buffers.length, 'maxVertexBuffers')) return false;
  const attributeLimit = state.limit('maxVertexAttributes');
  const slots: VertexSlot[] = [];
  const locations = new Set<number>();
  const fault = (reason: string): false => state.report('pipeline-vertex-layout', { resource, reason });
  for (const [slot, buffer] of buffers.entries()) {
    if (buffer === null) continue;
    const { arrayStride: stride, attributes, stepMode } = buffer;
    const what = `in slot ${slot} a stride of`;
    if (!withinLimit(state, model, what, stride, 'maxVertexBufferArrayStride')) return false;
    if (stride % 4 !== 0)
      return fault(`slot ${slot} has a stride of ${stride} bytes, which is no multiple of 4`);
    let lastBytes = 0;
    for (const { format, offset, shaderLocation } of attributes) {
      const bytes = vertexFormatBytes(format);
      if (shaderLocation >= attributeLimit) {
        return fault(`this device has locations 0 to ${attributeLimit - 1}, and not ${shaderLocation}`);
      }
      if (locations.has(shaderLocation)) return fault(`location ${shaderLocation} is given twice`);
      locations.add(shaderLocation);
      if (offset % Math.min(4, bytes) !== 0) {
        return fault(`location ${shaderLocation} has the offset ${offset}, which does not suit ${format}`);
      }
      if (stride !== 0 && offset + bytes > stride) {
        return fault(`location ${shaderLocation} ends at byte ${offset + bytes} of a stride of ${stride}`);
      }
      lastBytes = Math.max(lastBytes, offset + bytes);
    }
    slots.push({ slot, stride, lastBytes, isPerInstance: stepMode === 'instance' });
  }
  model.vertexSlots = slots;
  return withinLimit(state, model, 'vertex attributes:', locations.size, 'maxVertexAttributes');
}

function checkDepthStencil(
  state: ValidationState,
  model: GraphicsPipelineModel,
  { depthStencil, primitive }: GraphicsPipelineDescriptor,
): boolean {
  if (depthStencil === undefined) return true;
  const { format, depthWriteEnabled = false, depthCompare, stencilFront, stencilBack } = depthStencil;
  const { depthBias = 0, depthBiasSlopeScale = 0, stencilWriteMask = 0xffffffff } = depthStencil;
  const info = formatInfo(format);
  const usesDepth = depthWriteEnabled || (depthCompare !== undefined && depthCompare !== 'always');
  const usesStencil = [stencilFront, stencilBack].some(
    (face) =>
      face !== undefined && Object.values(face).some((value) => value !== 'always' && value !== 'keep'),
  );
  const fault = (reason: string): false =>
    state.report('pipeline-depth-stencil', { resource: nameOf(model), reason });
  if (info !== undefined) {
    if (!info.hasDepth && !info.hasStencil) return fault(`${format} has neither depth nor stencil`);
    if (usesDepth && !info.hasDepth) return fault(`it tests or writes depth, and ${format} has none`);
    if (usesStencil && !info.hasStencil) return fault(`it tests or writes stencil, and ${format} has none`);
    if (info.hasDepth && (depthStencil.depthWriteEnabled === undefined || depthCompare === undefined)) {
      return fault(`${format} has depth, so depthWriteEnabled and depthCompare are both needed`);
    }
  }
  const isTriangles = (primitive?.topology ?? 'triangle-list').startsWith('triangle');
  if ((depthBias !== 0 || depthBiasSlopeScale !== 0) && !isTriangles) {
    return fault('depth bias goes only with triangles');
  }
  model.depthFormat = format;
  model.writesDepth = depthWriteEnabled;
  model.writesStencil = stencilWriteMask !== 0 && [stencilFront, stencilBack].some(writesStencil);
  return true;
}

function writesStencil(face: GPUStencilFaceState | undefined): boolean {
  const { failOp = 'keep', depthFailOp = 'keep', passOp = 'keep' } = face ?? {};
  return failOp !== 'keep' || depthFailOp !== 'keep' || passOp !== 'keep';
}

function checkPrimitive(
  state: ValidationState,
  model: GraphicsPipelineModel,
  { primitive, multisample }: GraphicsPipelineDescriptor,
): boolean {
  const { topology = 'triangle-list', stripIndexFormat, unclippedDepth = false } = primitive ?? {};
  if (unclippedDepth && !hasFeature(state, model, 'unclippedDepth', 'depth-clip-control')) return false;
  const resource = nameOf(model);
  model.isStrip = topology.endsWith('strip');
  if (stripIndexFormat !== undefined) {
    if (!model.isStrip) {
      return state.report('pipeline-strip-format', { resource, format: stripIndexFormat, topology });
    }
    model.stripFormat = stripIndexFormat === 'uint32' ? 1 : 0;
  }
  model.samples = multisample?.count ?? 1;
  if (model.samples === 1 || model.samples === 4) return true;
  return state.report('pipeline-samples', { resource, count: model.samples });
}
