/**
 * Reads values out of untrusted JSON. A value that breaks glTF's rules causes an error with its place. So later code
 * can rely on indices, lengths and finite numbers.
 */
import { invalidGltf } from '../asset-error.js';

/** A JSON object of unknown shape from a file. */
export type JsonObject = Record<string, unknown>;

/** The checks of one file. A `jsonPath` is the place of a value in the file, such as `nodes[3].mesh`. */
export class GltfChecks {
  constructor(readonly file: string) {}

  object(value: unknown, jsonPath: string): JsonObject {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw invalidGltf(this.file, jsonPath, 'It should be an object.');
  }

  /** Checks that a value is a string. @returns true */
  isText(value: unknown, jsonPath: string): true {
    if (typeof value === 'string') return true;
    throw invalidGltf(this.file, jsonPath, 'It should be a string.');
  }

  array(value: unknown, jsonPath: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw invalidGltf(this.file, jsonPath, 'It should be an array.');
  }

  /** Returns the objects of an optional array; empty if it is missing. */
  objects(parent: JsonObject, key: string, jsonPath = ''): JsonObject[] {
    const path = jsonPath ? `${jsonPath}.${key}` : key;
    if (parent[key] === undefined) return [];
    return this.array(parent[key], path).map((item, index) => this.object(item, `${path}[${index}]`));
  }

  /**
   * Returns an integer of at least `minimum`, or `fallback` if it is missing. Without a fallback, a missing integer
   * throws.
   */
  integer(parent: JsonObject, key: string, jsonPath: string, fallback?: number, minimum = 0): number {
    const value = parent[key] === undefined ? fallback : parent[key];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return value;
    throw invalidGltf(this.file, `${jsonPath}.${key}`, `It should be a whole number of at least ${minimum}.`);
  }

  /** Returns an optional index into an array of `count` items. */
  index(value: unknown, count: number, jsonPath: string, target: string): number | undefined {
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count) return value;
    throw invalidGltf(
      this.file,
      jsonPath,
      `It refers to ${target}[${shown(value)}], and there are ${count} ${target}.`,
    );
  }

  /** Returns an optional array of indices; empty if it is missing. */
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

  /** Returns an optional array of exactly `length` finite numbers. */
  numbers(value: unknown, length: number, jsonPath: string): number[] | undefined {
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.length === length) {
      return value.map((item, i) => this.finite(item ?? null, 0, `${jsonPath}[${i}]`));
    }
    throw invalidGltf(this.file, jsonPath, `It should be an array of ${length} numbers.`);
  }
}

/**
 * Returns a string unchanged, and any other value as JSON of at most 40 characters. `String` throws for some objects.
 */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : shown(value);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 40);
}

/** Returns the JSON of an object's extension; undefined if it has none. */
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
