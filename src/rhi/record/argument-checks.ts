/**
 * What the calls of contexts are given, checked at the call, as the table says what each argument is: a value of the
 * wrong kind would be words that mean something else, and a misspelt name would do nothing. `createRhi` has its contexts
 * check; the engine's contexts carry none of this. Calls recorded per draw are left to the validation layer.
 *
 *   writeTexture(texture, { width: 1, height: 1, mip: 2 }, …)
 *     └► bad-argument: writeTexture of the texture "sky" (texture 3.0) was given mip = 2. Give only width, height, …
 *
 * Whether values fit the resource is validation's matter, and WebGPU's.
 */
import { RhiError } from '../../core/errors.js';
import { checkOptionNames } from '../../core/option-names.js';
import type { CommandRow } from '../commands/command-rows.js';
import { QueueHint } from '../commands/commands.js';
import type { DescribedKind } from '../commands/descriptor-shapes.js';
import type { BindGroupLayoutDescriptor, RhiCapabilities } from '../commands/descriptors.js';
import type { Field } from '../commands/fields.js';
import { describeHandle, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import { checkLimits, type LimitedDescriptors } from '../commands/limits.js';
import {
  type UnsupportedCommand,
  unsupported,
  unsupportedCommands,
} from '../commands/unsupported-commands.js';
import {
  checkArrayBuffer,
  checkAttached,
  checkBytes,
  checkFenceValue,
  checkFinite,
  checkFunction,
  checkHandle,
  checkImage,
  checkText,
  checkWord,
  isData,
  isHandle,
  isWord,
  refuse,
} from './call-checks.js';
import type { Creator, LabelledDescriptor, Recorder } from './command-methods.js';
import { checkArgumentShape, checkDescriptor, checkPass } from './descriptor-checks.js';

/** Looks at calls before they record. Each throws RhiError `bad-argument` unless it says something else. */
export interface ArgumentChecks {
  checkCall(recorder: Recorder, name: string, row: CommandRow, args: readonly unknown[]): void;
  /** @throws RhiError `bad-descriptor` */
  checkPass(name: string, descriptor: object): void;
  /** @throws RhiError `bad-descriptor`, `limit-exceeded` */
  checkCreation(creator: Creator, kind: number, descriptor: LabelledDescriptor): void;
  checkBufferData(recorder: Recorder, buffer: number, data: unknown): void;
  checkAttachedPart(
    recorder: Recorder,
    buffer: number,
    data: ArrayBuffer,
    byteOffset: number,
    byteLength: number,
  ): void;
  checkIndexFormat(format: string): void;
  /** @throws RhiError `bad-fence-value` */
  checkFenceValue(call: string, value: number): void;
  /** @throws RhiError `bad-descriptor` */
  checkBundle(descriptor: LabelledDescriptor, record: unknown): void;
  /** @throws OptionError `option-unknown`, `option-invalid` */
  checkSubList(label: string, options: object): void;
  /** Gives the recorder the calls that WebGPU has nothing for: each throws `capability-missing`. */
  refuseUnsupported(recorder: Recorder): void;
}

/** What a recorder may know of a resource. */
interface Knowing extends Recorder {
  readonly handles?: { label(handle: number): string };
  descriptorOf?(handle: number): unknown;
}

/** Kinds whose creation the device's limits bound, as `checkLimits` calls them. */
const LIMITED: Readonly<Record<number, keyof LimitedDescriptors>> = {
  [ResourceKind.buffer]: 'buffer',
  [ResourceKind.texture]: 'texture',
  [ResourceKind.bindGroupLayout]: 'bindGroupLayout',
  [ResourceKind.bindGroup]: 'bindGroup',
  [ResourceKind.graphicsPipeline]: 'graphicsPipeline',
  [ResourceKind.computePipeline]: 'computePipeline',
  [ResourceKind.querySet]: 'querySet',
};

/** @param capabilities with them, creations beyond the device's limits are refused */
export function argumentChecks(capabilities?: Pick<RhiCapabilities, 'limits'>): ArgumentChecks {
  return {
    checkCall(recorder, name, row, args) {
      const fields = Object.entries(row.fields);
      const parameters = row.parameters ?? fields.map(([field]) => field);
      const described = args.find((_, index) => row.fields[parameters[index] ?? '']?.kinds !== undefined);
      const call = callOf(recorder, name, described);
      for (const [index, parameter] of parameters.entries()) {
        const field = row.fields[parameter];
        const value = args[index] === undefined ? field?.default : args[index];
        if (field !== undefined) checkArgument(call, parameter, field, value);
      }
    },
    checkPass(name, descriptor) {
      checkPass(name === 'beginRenderPass' ? 'render pass' : 'compute pass', descriptor);
    },
    checkCreation(creator, kind, descriptor) {
      checkDescriptor(KIND_NAMES[kind] as DescribedKind, descriptor);
      const limited = LIMITED[kind];
      if (capabilities === undefined || limited === undefined) return;
      const find = (layout: number) =>
        (creator as Knowing).descriptorOf?.(layout) as BindGroupLayoutDescriptor | undefined;
      checkLimits(limited, descriptor as never, capabilities, find);
    },
    checkBufferData(recorder, buffer, data) {
      checkHandle('writeBuffer', 'buffer', buffer);
      // What is no data has no length, for which the write itself is refused.
      if (isData(data) && data.byteLength === 0) checkAttached(callOf(recorder, 'writeBuffer', buffer), data);
    },
    checkAttachedPart(recorder, buffer, data, byteOffset, byteLength) {
      const call = callOf(recorder, 'writeBufferFromAttachment', buffer);
      checkHandle(call, 'buffer', buffer);
      checkArrayBuffer(call, 'data', data);
      checkWord(call, 'dataByteOffset', byteOffset);
      if (!(isWord(byteLength) && byteOffset + byteLength <= data.byteLength))
        refuse(call, 'byteLength', byteLength, `at most what is left of the data’s ${data.byteLength} bytes`);
    },
    checkIndexFormat(format) {
      if (format !== 'uint16' && format !== 'uint32')
        refuse('setIndexBuffer', 'format', format, '"uint16" or "uint32"');
    },
    checkFenceValue,
    checkBundle(descriptor, record) {
      checkDescriptor('draw bundle', descriptor);
      checkFunction(`createDrawBundle of "${descriptor.label}"`, 'its recording', record);
    },
    checkSubList(label, options) {
      checkText('openSubList', 'label', label);
      checkOptionNames('openSubList', options, 'queue');
      const { queue = 0 } = options as { readonly queue?: number };
      checkBoundedWord('openSubList', 'queue', queue, 1, QueueHint.copy);
    },
    refuseUnsupported(recorder) {
      for (const name of Object.keys(unsupportedCommands)) {
        Object.defineProperty(recorder, name, { value: () => unsupported(name as UnsupportedCommand) });
      }
    },
  };
}

/** For messages: the call, and what it is about, with its label where that is known. */
function callOf(recorder: Knowing, name: string, handle: unknown): string {
  if (!isHandle(handle)) return name;
  return `${name} of the ${describeHandle(handle, recorder.handles?.label(handle) ?? '')}`;
}

function checkArgument(call: string, name: string, field: Field, value: unknown): void {
  const { wire, rule } = field;
  if (field.kinds !== undefined) checkHandle(call, name, value);
  else if (field.isFenceValue === true) checkFenceValue(call, value);
  else if (field.brings === 'ImageBitmap') checkImage(call, name, value);
  else if (field.brings === 'ArrayBuffer') checkArrayBuffer(call, name, value);
  else if (field.shape !== undefined) checkArgumentShape(call, field.shape, value);
  else if (wire === 'string') checkText(call, name, value);
  else if (wire === 'bytes') checkBytes(call, name, value);
  else if (wire === 'f32' || wire === 'f64') checkFinite(call, name, value);
  else if (wire === 'u32') checkBoundedWord(call, name, value, rule?.multipleOf ?? 1, rule?.most);
}

function checkBoundedWord(
  call: string,
  name: string,
  value: unknown,
  multipleOf: number,
  most: number | undefined,
): void {
  checkWord(call, name, value);
  if ((value as number) % multipleOf !== 0) refuse(call, name, value, `a multiple of ${multipleOf}`);
  if (most !== undefined && (value as number) > most)
    throw new RhiError('bad-argument', `${call} was given ${name} = ${value}. Give 0 to ${most}.`);
}
