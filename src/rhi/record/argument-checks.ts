/**
 * Checks the arguments of a context's calls, by the rules in the table of commands (`commands.ts`). Without the checks,
 * a value of the wrong kind would become words with another meaning, and a misspelt name would do nothing. The contexts
 * of `fencepost/rhi` make these checks; the engine's contexts do not. Calls recorded per draw check only handles, lists
 * of offsets and the index format. The validation layer checks their other arguments.
 *
 *   writeTexture(texture, { width: 1, height: 1, mip: 2 }, …)
 *     └► bad-argument: writeTexture of the texture "sky" (texture 3.0) was given mip = 2. Give only width, height, …
 *
 * The validation layer and WebGPU check whether the values fit the resource.
 */

import { func, number, oneOf, text } from '../../core/options/members.js';
import type { CommandRow } from '../commands/command-rows.js';
import { commandRows } from '../commands/commands.js';
import type { DescribedKind } from '../commands/descriptor-shapes.js';
import { isHandleField } from '../commands/descriptor-shapes.js';
import type { BindGroupLayoutDescriptor, RhiCapabilities } from '../commands/descriptors.js';
import type { CommandFields, Field } from '../commands/fields.js';
import { describeHandle, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import { checkLimits, isLimited } from '../commands/limits.js';
import {
  checkArrayBuffer,
  checkAttached,
  checkBoundedWord,
  checkBytes,
  checkFenceValue,
  checkHandle,
  checkImage,
  checkIs,
  checkOwn,
  isData,
  isHandle,
  refuse,
  word,
} from './call-checks.js';
import type { LabelledDescriptor, Recorder } from './command-methods.js';
import { checkArgumentShape, checkDescriptor, checkPass } from './descriptor-checks.js';

/** Checks that a call makes before it records. */
export interface ArgumentChecks {
  /**
   * Checks the arguments of a call.
   * @param name name of the call: that of a command, or a key of `CALLS`
   * @throws RhiError `bad-argument`, `bad-descriptor`, `foreign-handle`, `limit-exceeded`, `bad-fence-value`
   */
  checkCall(recorder: Recorder, name: string, args: readonly unknown[]): void;
  /** Checks that a handle belongs to the recorder's RHI. Called per draw. @throws RhiError `foreign-handle` */
  checkOwn(recorder: Recorder, name: string, field: string, handle: number): void;
  /** Returns a copy of the descriptor for the record, with handles that have no mark (`handles.ts`). */
  recorded<Descriptor extends object>(descriptor: Descriptor): Descriptor;
}

/** A recorder, possibly with labels and descriptors of resources. */
interface Knowing extends Recorder {
  readonly handles?: { label(handle: number): string };
  descriptorOf?(handle: number): unknown;
}

const TEXT = text();
const NUMBER = number();
const RESOURCE_KINDS = Object.keys(ResourceKind);

const rows: Readonly<Record<string, CommandRow | undefined>> = commandRows;

/** Arguments of calls whose names are not names of commands, in the form of a command's fields. */
const CALLS: Readonly<Record<string, CommandFields | undefined>> = {
  createViewportTarget: commandRows.beginScene.fields,
  destroy: commandRows.destroyResource.fields,
};

/**
 * Checks of calls whose arguments differ from the fields of their command. `writeBuffer` itself rejects data that
 * holds no bytes.
 */
const SPECIAL: Readonly<
  Record<string, ((call: string, mark: number, ...args: never[]) => void) | undefined>
> = {
  writeBuffer(call: string, mark: number, buffer: number, data: unknown) {
    checkHandle(call, 'buffer', buffer, mark);
    if (isData(data) && data.byteLength === 0) checkAttached(call, data);
  },
  writeBufferFromAttachment(
    call: string,
    mark: number,
    buffer: number,
    data: ArrayBuffer,
    byteOffset: number,
    byteLength: number,
  ) {
    checkHandle(call, 'buffer', buffer, mark);
    checkArrayBuffer(call, 'data', data);
    checkIs(call, 'dataByteOffset', byteOffset, word);
    if (!(word.accepts(byteLength) && byteOffset + byteLength <= data.byteLength))
      refuse(call, 'byteLength', byteLength, `at most the remaining bytes of the data’s ${data.byteLength}`);
  },
  setIndexBuffer(call: string, _: number, format: unknown) {
    checkIs(call, 'format', format, { ...oneOf('uint16|uint32'), remedy: '"uint16" or "uint32"' });
  },
  createDrawBundle(_: string, mark: number, descriptor: LabelledDescriptor, record: unknown) {
    checkDescriptor('draw bundle', descriptor, mark);
    checkIs(`createDrawBundle of "${descriptor.label}"`, 'its recording', record, func());
  },
};

/** Returns the checks. @param capabilities if given, creations that exceed the device's limits are refused */
export function argumentChecks(capabilities?: Pick<RhiCapabilities, 'limits'>): ArgumentChecks {
  const checkCreation = (recorder: Knowing, kind: number, descriptor: object): void => {
    checkDescriptor(KIND_NAMES[kind] as DescribedKind, descriptor, recorder.mark);
    const limited = RESOURCE_KINDS[kind - 1];
    if (capabilities === undefined || !isLimited(limited)) return;
    const find = (layout: number) => recorder.descriptorOf?.(layout) as BindGroupLayoutDescriptor | undefined;
    checkLimits(limited, descriptor as never, capabilities, find);
  };
  return {
    checkCall(recorder, name, args) {
      const special = SPECIAL[name];
      if (special !== undefined) {
        special(callOf(recorder, name, args[0]), recorder.mark, ...(args as never[]));
        return;
      }
      const { fields = CALLS[name] ?? {}, parameters = Object.keys(fields) } = rows[name] ?? {};
      const [first] = Object.values(fields);
      if (first?.isCreated === true && first.kinds !== undefined && parameters[0] === 'handle') {
        checkCreation(recorder, first.kinds[0] ?? 0, args[0] as object);
        return;
      }
      const described = args.find((_, index) => fields[parameters[index] ?? '']?.kinds !== undefined);
      const isOfLabel = parameters[0] === 'label' && typeof args[0] === 'string';
      const call = isOfLabel ? `${name} of "${args[0]}"` : callOf(recorder, name, described);
      for (const [index, parameter] of parameters.entries()) {
        const field = fields[parameter];
        const value = args[index] === undefined ? field?.default : args[index];
        if (field !== undefined) checkArgument(call, parameter, field, value, recorder.mark);
      }
    },
    checkOwn(recorder, name, field, handle) {
      checkOwn(`${name} was given ${field}`, handle, recorder.mark);
    },
    recorded(descriptor) {
      const plain = (value: unknown): unknown => (typeof value === 'number' ? value >>> 0 : value);
      const text = JSON.stringify(descriptor, (name, value) => {
        if (!isHandleField(name)) return value;
        return Array.isArray(value) ? value.map(plain) : plain(value);
      });
      return JSON.parse(text);
    },
  };
}

/** Returns the name of a call for errors, followed by the call's resource and its label if they are known. */
function callOf(recorder: Knowing, name: string, handle: unknown): string {
  if (!isHandle(handle)) return name;
  return `${name} of the ${describeHandle(handle, recorder.handles?.label(handle) ?? '')}`;
}

function checkArgument(call: string, name: string, field: Field, value: unknown, mark: number): void {
  const { wire, rule } = field;
  if (field.kinds !== undefined) checkHandle(call, name, value, mark);
  else if (field.isFenceValue === true) checkFenceValue(call, value);
  else if (field.brings === 'ImageBitmap') checkImage(call, name, value);
  else if (field.brings === 'ArrayBuffer') checkArrayBuffer(call, name, value);
  else if (field.isKept === true) checkPass(field.shape as DescribedKind, value as object, mark);
  else if (field.shape !== undefined) checkArgumentShape(call, field.shape, value);
  else if (wire === 'string') checkIs(call, name, value, TEXT);
  else if (wire === 'bytes') checkBytes(call, name, value);
  else if (wire === 'f32' || wire === 'f64') checkIs(call, name, value, NUMBER);
  else if (wire === 'u32') checkBoundedWord(call, name, value, rule);
}
