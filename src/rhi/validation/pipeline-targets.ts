/** What a graphics pipeline draws into: formats, blending, channels, coverage. */
import type { GraphicsPipelineDescriptor } from '../commands/descriptors.js';
import { attachmentBytes, formatInfo, hasAlpha } from './formats.js';
import { type GraphicsPipelineModel, nameOf } from './models.js';
import { hasFeature, withinLimit } from './resources.js';
import type { ValidationState } from './state.js';

/** Red, green, blue and alpha of `GPUColorWrite`. */
const ALL_CHANNELS = 15;

export function checkTargets(
  state: ValidationState,
  model: GraphicsPipelineModel,
  { fragment, depthStencil, multisample }: GraphicsPipelineDescriptor,
): boolean {
  const targets = fragment?.targets ?? [];
  const resource = nameOf(model);
  if (!withinLimit(state, model, 'colour targets:', targets.length, 'maxColorAttachments')) return false;
  const formats: string[] = [];
  for (const [index, target] of targets.entries()) {
    formats.push(target?.format ?? '');
    const info = target && formatInfo(target.format);
    if (!target || !info) continue;
    const { format } = info;
    if (!info.isRenderable || info.hasDepth || info.hasStencil) {
      return state.report('pipeline-target-format', { resource, format, reason: 'which is not drawn into' });
    }
    const { renderFeature } = info;
    if (renderFeature !== null && !state.hasFeature(renderFeature)) {
      const reason = `which needs the feature "${renderFeature}"`;
      return state.report('pipeline-target-format', { resource, format, reason });
    }
    const canBlend =
      info.isBlendable || (info.sampleType === 'unfilterable-float' && state.hasFeature('float32-blendable'));
    if (target.blend !== undefined && !canBlend) {
      return state.report('pipeline-target-format', { resource, format, reason: "which can't be blended" });
    }
    const { blend, writeMask: mask = ALL_CHANNELS } = target;
    const reason = blend === undefined ? '' : blendFault(blend.color) || blendFault(blend.alpha);
    if (reason !== '') return state.report('pipeline-blend', { resource, index, reason });
    const isDual = blend !== undefined && (hasSecondSource(blend.color) || hasSecondSource(blend.alpha));
    if (isDual && !hasFeature(state, model, 'a second source colour', 'dual-source-blending')) return false;
    if ((mask & ~ALL_CHANNELS) !== 0) {
      return state.report('pipeline-write-mask', { resource, mask, index });
    }
  }
  if (multisample?.alphaToCoverageEnabled) {
    const reason = coverageFault(targets[0], multisample);
    if (reason !== '') return state.report('pipeline-alpha-to-coverage', { resource, reason });
  }
  while (formats[formats.length - 1] === '') formats.pop();
  model.colorFormats = formats;
  const bytes = attachmentBytes(formats);
  if (!withinLimit(state, model, 'bytes of colour per sample:', bytes, 'maxColorAttachmentBytesPerSample'))
    return false;
  if (formats.length > 0 || depthStencil !== undefined) return true;
  return state.report('pipeline-without-output', { resource });
}

function blendFault({ operation, srcFactor = 'one', dstFactor = 'zero' }: GPUBlendComponent): string {
  if (operation !== 'min' && operation !== 'max') return '';
  if (srcFactor === 'one' && dstFactor === 'one') return '';
  return `the operation ${operation} takes two factors of one, not ${srcFactor} and ${dstFactor}`;
}

const hasSecondSource = ({ srcFactor = 'one', dstFactor = 'zero' }: GPUBlendComponent): boolean =>
  srcFactor.includes('src1') || dstFactor.includes('src1');

function coverageFault(
  target: GPUColorTargetState | null | undefined,
  { count = 1 }: GPUMultisampleState,
): string {
  if (count === 1) return 'it has one sample per pixel';
  if (!target) return 'it has no colour target 0';
  const info = formatInfo(target.format);
  return info === undefined || hasAlpha(info) ? '' : `${target.format} has no alpha that can be blended`;
}
