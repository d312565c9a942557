import { GraphError } from '../core/errors.js';
import { MOST_RESOURCES } from './graph-handles.js';
import type { GraphBufferDescriptor, GraphTextureDescriptor } from './graph-pass.js';
import type { GraphResources } from './graph-resources.js';

const TEXTURE_FIELDS = ['name', 'width', 'height', 'format', 'sampleCount', 'mipLevelCount', 'layers'];
const BUFFER_FIELDS = ['name', 'byteLength'];
const PLACE_FIELDS = ['mipLevel', 'layer'];
const OPTIONS = {
  color: ['slot', 'clear', 'viewFormat', 'resolveTo', ...PLACE_FIELDS],
  depth: ['clear', 'readOnly', ...PLACE_FIELDS],
};

/** Checks a texture's descriptor. @param more further permitted fields @throws GraphError `graph-descriptor-invalid` */
export function checkTexture(descriptor: GraphTextureDescriptor, ...more: readonly string[]): void {
  checkFields('texture', descriptor, TEXTURE_FIELDS, more);
  const { name, width, height, format, sampleCount = 1, mipLevelCount = 1, layers = 1 } = descriptor;
  const isMultisampled = sampleCount === 4 && mipLevelCount === 1 && layers === 1;
  const mostLevels = 1 + Math.floor(Math.log2(Math.max(width, height)));
  const isValid =
    isCount(width) &&
    isCount(height) &&
    isCount(layers) &&
    isCount(mipLevelCount) &&
    mipLevelCount <= mostLevels &&
    (sampleCount === 1 || isMultisampled) &&
    typeof format === 'string';
  if (isValid) return;
  throw new GraphError(
    'graph-descriptor-invalid',
    `The texture "${name}" of the frame graph can't have ${width} × ${height} texels, ${layers} layers, ${mipLevelCount} mip levels, ${sampleCount} samples of ${format}. Sizes are whole numbers from 1; mip levels are at most ${mostLevels}; there are 1 or 4 samples, 4 only with one level and one layer.`,
  );
}

/** Checks a buffer's descriptor. @param more further permitted fields @throws GraphError `graph-descriptor-invalid` */
export function checkBuffer(descriptor: GraphBufferDescriptor, ...more: readonly string[]): void {
  checkFields('buffer', descriptor, BUFFER_FIELDS, more);
  const { name, byteLength } = descriptor;
  if (isCount(byteLength) && byteLength % 4 === 0) return;
  throw new GraphError(
    'graph-descriptor-invalid',
    `The buffer "${name}" of the frame graph can't have ${byteLength} bytes: a positive multiple of 4 is needed.`,
  );
}

/** Checks that the descriptor is an object with known fields only, and that its flags are booleans. */
function checkFields(
  kind: string,
  descriptor: object,
  fields: readonly string[],
  more: readonly string[],
): void {
  if (typeof descriptor !== 'object' || descriptor === null) {
    throw new GraphError(
      'graph-descriptor-invalid',
      `A ${kind} of the frame graph is described by an object, not by ${String(descriptor)}.`,
    );
  }
  const { name } = descriptor as GraphBufferDescriptor;
  const wrong = wrongField(descriptor, fields, more);
  if (wrong === undefined) return;
  throw fieldError(`The ${kind} "${name}" of the frame graph`, descriptor, wrong, [...fields, ...more]);
}

/**
 * Checks that an attachment's options are known and its flags are booleans. Otherwise a mistyped `clearValue` would
 * silently keep the old contents.
 * @throws GraphError `graph-descriptor-invalid`
 */
export function checkAttachment(pass: string, call: keyof typeof OPTIONS, options: object): void {
  const known = OPTIONS[call];
  const wrong = wrongField(options, known);
  if (wrong !== undefined) throw fieldError(`${call}() of the pass "${pass}"`, options, wrong, known);
}

const NONE: readonly string[] = [];
/** Boolean fields. */
const FLAGS = ['readOnly', 'isStorage'];

/**
 * Finds a field that is unknown, or that has to be boolean and is not. Called per pass and frame, so it allocates
 * nothing.
 * @returns the field's name; undefined if all fields are valid
 */
function wrongField(
  given: object,
  known: readonly string[],
  more: readonly string[] = NONE,
): string | undefined {
  for (const field in given) {
    if (!known.includes(field) && !more.includes(field)) return field;
    const value = (given as Record<string, unknown>)[field];
    if (FLAGS.includes(field) && value !== undefined && typeof value !== 'boolean') return field;
  }
  return undefined;
}

function fieldError(subject: string, given: object, field: string, known: readonly string[]): GraphError {
  const value = (given as Record<string, unknown>)[field];
  return new GraphError(
    'graph-descriptor-invalid',
    known.includes(field)
      ? `${subject} has the ${field} ${typeof value === 'string' ? `"${value}"` : String(value)}; it has to be true or false.`
      : `${subject} has no "${field}". It takes ${known.join(', ')}.`,
  );
}

/** Checks that a new resource can have this name. @throws GraphError `graph-name-taken`, `graph-too-large` */
export function checkName(name: string, resources: GraphResources): void {
  if (typeof name !== 'string' || name === '' || resources.indexOf(name) >= 0) {
    throw new GraphError(
      'graph-name-taken',
      `A resource of the frame graph can't be named ${JSON.stringify(name)}: names are non-empty and unique in a frame. Get the existing resource by findTexture() or findBuffer(), or choose another name.`,
    );
  }
  if (resources.count < MOST_RESOURCES) return;
  throw new GraphError(
    'graph-too-large',
    `The frame graph has no room for "${name}": it already has ${MOST_RESOURCES} resources, the maximum.`,
  );
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
