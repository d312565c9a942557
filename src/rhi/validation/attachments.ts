/** The attachments of a render pass: formats, sizes, samples, operations, resolve targets. Per pass. */
import type {
  DepthStencilAttachment,
  RenderPassDescriptor,
  TextureViewDescriptor,
} from '../commands/descriptors.js';
import { TextureUsage } from '../commands/descriptors.js';
import { attachmentBytes } from './formats.js';
import { nameOf, type TextureView } from './models.js';
import type { LimitName, OpenPass, ValidationState } from './state.js';
import { ScopeUse, type UsageScope, viewsOverlap } from './usage-scope.js';
import { mipSize, resolveView } from './views.js';

interface WrittenView {
  readonly view: TextureView;
  /** Of a 3D texture; -1 for others. */
  readonly slice: number;
}

/** Checks all attachments and writes what they have into the open pass. */
export function checkAttachments(
  state: ValidationState,
  scope: UsageScope,
  descriptor: RenderPassDescriptor,
): boolean {
  const { pass } = state;
  const { colorAttachments, depthStencilAttachment } = descriptor;
  if (!passIsWithin(state, 'colour attachments:', colorAttachments.length, 'maxColorAttachments'))
    return false;
  const colorFormats: string[] = [];
  const written: WrittenView[] = [];
  pass.width = pass.height = 0;
  pass.depthFormat = '';
  pass.attachments.length = 0;
  for (const attachment of colorAttachments) {
    if (attachment === null) {
      colorFormats.push('');
      continue;
    }
    const role = `colour attachment ${colorFormats.length}`;
    const view = resolveAttachment(state, attachment.view, role, written, attachment.depthSlice);
    if (view === null) return false;
    if (view.info?.isRenderable === false || view.info?.hasDepth || view.info?.hasStencil) {
      return formatFault(state, view, role, 'is none that colour can be drawn into');
    }
    const feature = view.info?.renderFeature ?? null;
    if (feature !== null && !state.hasFeature(feature)) {
      return formatFault(state, view, role, `needs the feature "${feature}"`);
    }
    if (!attachment.loadOp || !attachment.storeOp) {
      return operations(state, view, role, 'loadOp and storeOp are both needed');
    }
    if (attachment.loadOp === 'clear' && !isColor(attachment.clearValue)) {
      return operations(state, view, role, 'clearValue is not four numbers');
    }
    if (!scope.noteTexture(view, ScopeUse.attachment)) return false;
    colorFormats.push(view.format);
    const { resolveTarget } = attachment;
    if (resolveTarget !== undefined && !checkResolve(state, scope, view, resolveTarget)) return false;
  }
  while (colorFormats[colorFormats.length - 1] === '') colorFormats.pop();
  pass.colorFormats = colorFormats;
  const bytes = attachmentBytes(colorFormats);
  if (!passIsWithin(state, 'bytes of colour per sample:', bytes, 'maxColorAttachmentBytesPerSample'))
    return false;
  if (depthStencilAttachment !== undefined) {
    if (!checkDepthStencil(state, scope, depthStencilAttachment, written)) return false;
  }
  if (written.length === 0) return state.report('pass-without-attachments', { pass: state.passName });
  const readOnly = `${pass.isDepthReadOnly}|${pass.isStencilReadOnly}`;
  pass.signature = state.idOf(`${colorFormats.join()}|${pass.depthFormat}|${pass.samples}|${readOnly}`);
  return true;
}

function passIsWithin(state: ValidationState, what: string, value: number, name: LimitName): boolean {
  const limit = state.limit(name);
  return (
    value <= limit || state.report('limit-exceeded', { resource: state.passName, what, value, limit, name })
  );
}

/** What holds for every attachment. @param written those before it */
function resolveAttachment(
  state: ValidationState,
  descriptor: TextureViewDescriptor,
  role: string,
  written: WrittenView[],
  depthSlice?: number,
): TextureView | null {
  const { pass, passName } = state;
  const view = resolveView(state, descriptor);
  if (view === null) return null;
  const { texture, mips, layers } = view;
  const name = nameOf(texture);
  if (!state.checkUsage(texture, TextureUsage.renderAttachment, role)) return null;
  if (mips !== 1 || layers !== 1) {
    state.report('attachment-view', { pass: passName, view: name, role, mips, layers });
    return null;
  }
  const sliceFault = faultOfSlice(view, depthSlice);
  if (sliceFault !== '') {
    state.report('attachment-slice', { pass: passName, view: name, role, reason: sliceFault });
    return null;
  }
  const slice = depthSlice ?? -1;
  const width = mipSize(texture.width, view.firstMip);
  const height = mipSize(texture.height, view.firstMip);
  if (written.length === 0) {
    pass.width = width;
    pass.height = height;
    pass.samples = texture.samples;
  }
  if (width !== pass.width || height !== pass.height) {
    const other = { otherWidth: pass.width, otherHeight: pass.height };
    state.report('attachment-size', { pass: passName, view: name, width, height, role, ...other });
    return null;
  }
  if (texture.samples !== pass.samples) {
    const samples = { given: texture.samples, needed: pass.samples };
    state.report('attachment-samples', { pass: passName, view: name, role, ...samples });
    return null;
  }
  const isSame = (other: WrittenView) => other.view.texture === texture && other.slice === slice;
  if (written.some((other) => isSame(other) && viewsOverlap(other.view, view))) {
    state.report('attachment-repeated', { pass: passName, view: name });
    return null;
  }
  if (texture.isViewport) state.isViewportAcquired = true;
  written.push({ view, slice });
  pass.attachments.push(texture);
  return view;
}

function faultOfSlice({ texture, dimension, firstMip }: TextureView, slice: number | undefined): string {
  if (dimension !== '3d') return slice === undefined ? '' : `it is ${dimension} and has a depthSlice`;
  const depth = mipSize(texture.layers, firstMip);
  if (slice === undefined) return 'it is 3d and has no depthSlice';
  return Number.isInteger(slice) && slice >= 0 && slice < depth
    ? ''
    : `its depthSlice is ${slice}, and the mip level has slices 0 to ${depth - 1}`;
}

/** NaN is no number in the JSON that a list carries. */
const isColor = (value: readonly unknown[] | undefined): boolean =>
  value === undefined || (value.length === 4 && value.every(Number.isFinite));

function checkResolve(
  state: ValidationState,
  scope: UsageScope,
  source: TextureView,
  descriptor: TextureViewDescriptor,
): boolean {
  const target = resolveView(state, descriptor);
  if (target === null) return false;
  const { texture } = target;
  if (!state.checkUsage(texture, TextureUsage.renderAttachment, 'resolve target')) return false;
  const reason = resolveFault(state.pass, source, target);
  if (reason !== '') {
    const names = { source: nameOf(source.texture), target: nameOf(texture) };
    return state.report('resolve-target', { pass: state.passName, ...names, reason });
  }
  if (texture.isViewport) state.isViewportAcquired = true;
  state.pass.attachments.push(texture);
  return scope.noteTexture(target, ScopeUse.attachment);
}

function resolveFault(pass: OpenPass, source: TextureView, target: TextureView): string {
  const { texture } = target;
  if (source.texture.samples === 1) return 'the source has one sample per pixel';
  if (texture.samples !== 1) return `the target has ${texture.samples} samples per pixel`;
  if (target.mips !== 1 || target.layers !== 1) return 'the target is more than one mip level and layer';
  const width = mipSize(texture.width, target.firstMip);
  const height = mipSize(texture.height, target.firstMip);
  if (width !== pass.width || height !== pass.height) {
    return `the target is ${width} × ${height}, the source ${pass.width} × ${pass.height}`;
  }
  if (target.format !== '?' && source.format !== target.format) {
    return `the formats are ${source.format} and ${target.format}`;
  }
  return source.info?.isResolvable === false ? `${source.format} can't be resolved` : '';
}

function checkDepthStencil(
  state: ValidationState,
  scope: UsageScope,
  attachment: DepthStencilAttachment,
  written: WrittenView[],
): boolean {
  const role = 'depth-stencil attachment';
  const view = resolveAttachment(state, attachment.view, role, written);
  if (view === null) return false;
  const { info } = view;
  if (info !== undefined && !info.hasDepth && !info.hasStencil) {
    return formatFault(state, view, role, 'has neither depth nor stencil');
  }
  const depth = faultOf(
    'depth',
    info?.hasDepth,
    attachment.depthReadOnly,
    attachment.depthLoadOp,
    attachment.depthStoreOp,
  );
  const stencil = faultOf(
    'stencil',
    info?.hasStencil,
    attachment.stencilReadOnly,
    attachment.stencilLoadOp,
    attachment.stencilStoreOp,
  );
  if (depth || stencil) return operations(state, view, role, depth || stencil);
  if (attachment.depthLoadOp === 'clear') {
    const value = attachment.depthClearValue ?? Number.NaN;
    if (!(value >= 0 && value <= 1)) {
      return operations(state, view, role, 'depthClearValue is missing or not from 0 to 1');
    }
  }
  state.pass.depthFormat = view.format;
  // An aspect that the format lacks is as good as read-only.
  state.pass.isDepthReadOnly = attachment.depthReadOnly === true;
  state.pass.isStencilReadOnly = attachment.stencilReadOnly === true;
  const isWritten =
    (info?.hasDepth && !attachment.depthReadOnly) || (info?.hasStencil && !attachment.stencilReadOnly);
  return scope.noteTexture(view, isWritten ? ScopeUse.attachment : ScopeUse.read);
}

function faultOf(
  aspect: string,
  has: boolean | undefined,
  isReadOnly: boolean | undefined,
  loadOp: string | undefined,
  storeOp: string | undefined,
): string {
  if (has === undefined) return '';
  const given = loadOp !== undefined || storeOp !== undefined;
  if (!has) return given ? `it has no ${aspect}, but a ${aspect}LoadOp or ${aspect}StoreOp` : '';
  if (isReadOnly) return given ? `its ${aspect} is read-only and takes no operations` : '';
  const isWhole = loadOp !== undefined && storeOp !== undefined;
  return isWhole ? '' : `${aspect}LoadOp and ${aspect}StoreOp are both needed`;
}

function formatFault(state: ValidationState, view: TextureView, role: string, reason: string): false {
  return state.report('attachment-format', {
    pass: state.passName,
    view: nameOf(view.texture),
    role,
    format: view.format,
    reason,
  });
}

function operations(state: ValidationState, view: TextureView, role: string, reason: string): false {
  return state.report('attachment-operations', {
    pass: state.passName,
    view: nameOf(view.texture),
    role,
    reason,
  });
}
