/**
 * Whether a descriptor has the fields that its resource needs, found by the recorder in the call that creates it, so
 * that a slip of the pen is an error with the field's name and not one of JavaScript's own, frames later; and whether it
 * has no others, which would do nothing. Who writes TypeScript is told by the compiler already. What the values may be is
 * checked elsewhere. Pure.
 *
 *   createBindGroup({ label: 'sky', entries: [{ binding: 0, resource: … }] })
 *     └► bad-descriptor: The bind group "sky" has entries[0].resource, … Give buffer, sampler or view.
 */
import { RhiError } from '../core/errors.js';
import { hasName, shownValue } from '../core/option-names.js';

export type DescribedKind =
  | 'buffer'
  | 'texture'
  | 'sampler'
  | 'shader module'
  | 'bind group layout'
  | 'bind group'
  | 'graphics pipeline'
  | 'compute pipeline'
  | 'query set'
  | 'render pass'
  | 'compute pass'
  | 'draw bundle';

type Fields = Readonly<Record<string, unknown>>;

/** What each has; the compiler's lists are in the tests. */
const FIELDS: Readonly<Record<DescribedKind, string>> = {
  buffer: 'label, byteLength, usage',
  texture:
    'label, width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage, viewFormats',
  sampler:
    'label, addressModeU, addressModeV, addressModeW, magFilter, minFilter, mipmapFilter, lodMinClamp, lodMaxClamp, compare, maxAnisotropy',
  'shader module': 'label, code',
  'bind group layout': 'label, entries',
  'bind group': 'label, layout, entries',
  'graphics pipeline': 'label, bindGroupLayouts, vertex, fragment, primitive, depthStencil, multisample',
  'compute pipeline': 'label, bindGroupLayouts, compute',
  'query set': 'label, type, count',
  'render pass': 'label, colorAttachments, depthStencilAttachment, occlusionQuerySet, timestampWrites',
  'compute pass': 'label, timestampWrites',
  'draw bundle': 'label',
};
const VIEW_FIELDS =
  'texture, format, dimension, aspect, baseMipLevel, mipLevelCount, baseArrayLayer, arrayLayerCount';
const COLOR_FIELDS = 'view, resolveTarget, loadOp, storeOp, clearValue';
const DEPTH_FIELDS =
  'view, depthLoadOp, depthStoreOp, depthClearValue, depthReadOnly, stencilLoadOp, stencilStoreOp, stencilClearValue, stencilReadOnly';

/** Throws when a field is not what it should be. */
class Checker {
  readonly #what: string;

  constructor(what: string) {
    this.#what = what;
  }

  fail(field: string, value: unknown, remedy: string): never {
    throw new RhiError(
      'bad-descriptor',
      `The ${this.#what} has ${field} = ${shownValue(value)}. Give ${remedy}.`,
    );
  }

  /** @param names all that there are, with commas: see `core/option-names.ts` */
  only(fields: Fields, names: string, path = ''): void {
    for (const name in fields) {
      if (!hasName(names, name)) this.fail(path + name, fields[name], `only ${names}`);
    }
  }

  number(fields: Fields, field: string, remedy: string, path = ''): void {
    if (!Number.isFinite(fields[field])) this.fail(path + field, fields[field], remedy);
  }

  text(fields: Fields, field: string, remedy: string, path = ''): void {
    if (typeof fields[field] !== 'string') this.fail(path + field, fields[field], remedy);
  }

  /** @returns the items of the list, each with its path */
  list(fields: Fields, field: string, remedy: string, path = ''): readonly [Fields, string][] {
    const items = fields[field];
    if (!Array.isArray(items)) return this.fail(path + field, items, remedy);
    return items.map((item, i) => [item, `${path}${field}[${i}]`]);
  }

  object(value: unknown, path: string, remedy: string): Fields {
    if (typeof value !== 'object' || value === null) return this.fail(path, value, remedy);
    return value as Fields;
  }

  /** @param path of the view */
  view(value: unknown, path: string): void {
    const view = this.object(value, path, '{ texture }, with the texture’s handle');
    this.number(view, 'texture', 'a texture’s handle', `${path}.`);
    this.only(view, VIEW_FIELDS, `${path}.`);
  }

  layouts(pipeline: Fields): void {
    const remedy = 'the handles of bind group layouts, [] for none; there is no automatic layout';
    for (const [layout, path] of this.list(pipeline, 'bindGroupLayouts', remedy)) {
      if (typeof layout !== 'number') this.fail(path, layout, remedy);
    }
  }

  /** @param others what it has beside a compute stage's, each behind a comma */
  stage(pipeline: Fields, field: string, others = ''): Fields {
    const stage = this.object(pipeline[field], field, '{ module, entryPoint }');
    this.number(stage, 'module', 'a shader module’s handle', `${field}.`);
    this.text(stage, 'entryPoint', 'the name of a function of the module', `${field}.`);
    this.only(stage, `module, entryPoint, constants${others}`, `${field}.`);
    return stage;
  }
}

const CHECKS: Readonly<Record<DescribedKind, (descriptor: Fields, check: Checker) => void>> = {
  buffer: (buffer, check) => {
    check.number(buffer, 'byteLength', 'its size in bytes');
    check.number(buffer, 'usage', 'bits of BufferUsage');
  },
  texture: (texture, check) => {
    check.number(texture, 'width', 'its width in texels; size is given as width, height, depthOrArrayLayers');
    check.number(texture, 'height', 'its height in texels, 1 where it has one dimension');
    check.text(texture, 'format', 'one of WebGPU’s texture formats');
    check.number(texture, 'usage', 'bits of TextureUsage');
  },
  sampler: () => {},
  'shader module': (module, check) => check.text(module, 'code', 'WGSL'),
  'bind group layout': (layout, check) => {
    for (const [entry, path] of check.list(layout, 'entries', 'a list of entries, [] for none')) {
      check.object(entry, path, '{ binding, visibility, … }');
      check.number(entry, 'binding', 'the number of a binding', `${path}.`);
      check.number(entry, 'visibility', 'bits of ShaderStage', `${path}.`);
    }
  },
  'bind group': (group, check) => {
    check.number(group, 'layout', 'the handle of a bind group layout');
    for (const [entry, path] of check.list(group, 'entries', 'a list of entries, [] for none')) {
      checkBinding(entry, path, check);
    }
  },
  'graphics pipeline': (pipeline, check) => {
    check.layouts(pipeline);
    check.stage(pipeline, 'vertex', ', buffers');
    if (pipeline.fragment === undefined) return;
    const fragment = check.stage(pipeline, 'fragment', ', targets');
    check.list(fragment, 'targets', 'a list with { format } of each attachment', 'fragment.');
  },
  'compute pipeline': (pipeline, check) => {
    check.layouts(pipeline);
    check.stage(pipeline, 'compute');
  },
  'query set': (set, check) => {
    check.text(set, 'type', '"occlusion" or "timestamp"');
    check.number(set, 'count', 'how many queries it has');
  },
  'render pass': (pass, check) => {
    for (const [attachment, path] of check.list(pass, 'colorAttachments', 'a list, [] for none')) {
      if (attachment === null) continue;
      check.object(attachment, path, '{ view, loadOp, storeOp } or null');
      check.view(attachment.view, `${path}.view`);
      check.only(attachment, COLOR_FIELDS, `${path}.`);
      if (attachment.resolveTarget !== undefined)
        check.view(attachment.resolveTarget, `${path}.resolveTarget`);
    }
    if (pass.depthStencilAttachment === undefined) return;
    const depth = check.object(pass.depthStencilAttachment, 'depthStencilAttachment', '{ view, … }');
    check.view(depth.view, 'depthStencilAttachment.view');
    check.only(depth, DEPTH_FIELDS, 'depthStencilAttachment.');
  },
  'compute pass': () => {},
  'draw bundle': () => {},
};

function checkBinding(entry: Fields, path: string, check: Checker): void {
  check.object(entry, path, '{ binding, … }');
  check.number(entry, 'binding', 'the number of a binding', `${path}.`);
  if ('view' in entry) {
    check.view(entry.view, `${path}.view`);
    check.only(entry, 'binding, view', `${path}.`);
  } else if ('buffer' in entry) {
    check.number(entry, 'buffer', 'a buffer’s handle', `${path}.`);
    check.only(entry, 'binding, buffer, byteOffset, byteLength', `${path}.`);
  } else if ('sampler' in entry) {
    check.number(entry, 'sampler', 'a sampler’s handle', `${path}.`);
    check.only(entry, 'binding, sampler', `${path}.`);
  } else {
    const [other] = Object.keys(entry).filter((key) => key !== 'binding');
    const field = other === undefined ? path : `${path}.${other}`;
    check.fail(field, other === undefined ? entry : entry[other], `${path}.buffer, .sampler or .view`);
  }
}

/** @throws RhiError `bad-descriptor`, naming the object, the field and what it should be */
export function checkDescriptor(kind: DescribedKind, descriptor: object): void {
  const fields = new Checker(`creation of a ${kind}`).object(descriptor, 'its descriptor', 'an object');
  new Checker(kind).text(fields, 'label', 'a string, which errors name it by');
  const check = new Checker(`${kind} "${fields.label}"`);
  CHECKS[kind](fields, check);
  check.only(fields, FIELDS[kind]);
}
