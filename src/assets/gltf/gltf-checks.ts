/**
 * Reads values out of untrusted JSON. Whatever is not what glTF says is an error that names the place, so
 * that the code behind these checks can rely on indices, lengths and finite numbers.
 */
import { invalidGltf } from '../asset-error.js';

/** JSON of unknown shape, as it comes out of a file. */
export type JsonObject = Record<string, unknown>;

/** Of one file. A place is a path within it, such as `nodes[3].mesh`. */
export class GltfChecks {
  constructor(readonly file: string) {}

  object(value: unknown, jsonPath: string): JsonObject {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw invalidGltf(this.file, jsonPath, 'It should be an object.');
  }

  /** @returns true */
  isText(value: unknown, jsonPath: string): true {
    if (typeof value === 'string') return true;
    throw invalidGltf(this.file, jsonPath, 'It should be a string.');
  }

  array(value: unknown, jsonPath: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw invalidGltf(this.file, jsonPath, 'It should be an array.');
  }

  /** The objects of an optional array. */
  objects(parent: JsonObject, key: string, jsonPath = ''): JsonObject[] {
    const path = jsonPath ? `${jsonPath}.${key}` : key;
    if (parent[key] === undefined) return [];
    return this.array(parent[key], path).map((item, index) => this.object(item, `${path}[${index}]`));
  }

  /** An integer of at least `minimum`; `fallback` when absent (required when there is none). */
  integer(parent: JsonObject, key: string, jsonPath: string, fallback?: number, minimum = 0): number {
    const value = parent[key] === undefined ? fallback : parent[key];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return value;
    throw invalidGltf(this.file, `${jsonPath}.${key}`, `It should be a whole number of at least ${minimum}.`);
  }

  /** An optional index into an array of `count` items. */
  index(value: unknown, count: number, jsonPath: string, target: string): number | undefined {
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count) return value;
    throw invalidGltf(
      this.file,
      jsonPath,
      `It refers to ${target}[${shown(value)}], and there are ${count} ${target}.`,
    );
  }

  /** An optional array of indices. */
  indices(value: unknown, count: number, jsonPath: string, target: string): number[] {
    if (value === undefined) return [];
    return this.array(value, jsonPath).map(
      (item, i) => this.index(item ?? null, count, `${jsonPath}[${i}]`, target) ?? 0,
    );
  }

  finite(value: unknown, fallback: number, jsonPath: string): number {
    const number = value === undefined ? fallback : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    throw invalidGltf(this.file, jsonPath, 'It should be a finite number.');
  }

  /** An optional array of exactly `length` finite numbers. */
  numbers(value: unknown, length: number, jsonPath: string): number[] | undefined {
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.length === length) {
      return value.map((item, i) => this.finite(item ?? null, 0, `${jsonPath}[${i}]`));
    }
    throw invalidGltf(this.file, jsonPath, `It should be an array of ${length} numbers.`);
  }
}

/** A value that should be a text, as text: `String` fails for some objects. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : shown(value);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 40);
}

/** The JSON of an extension of that object, where it has one. */
export function extensionOf(
  holder: JsonObject | undefined,
  name: string,
  place: string,
  checks: GltfChecks,
): JsonObject | undefined {
  if (holder?.extensions === undefined) return undefined;
  const value = checks.object(holder.extensions, place)[name];
  return value === undefined ? undefined : checks.object(value, place);
}
