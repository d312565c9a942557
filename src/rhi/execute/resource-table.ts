/**
 * An executor's resources of one kind, by handle. A slot holds the resource that was created last in it, until `take`
 * removes it. Other handles of the slot are stale: `find` returns undefined.
 */
import { RhiError } from '../../core/errors.js';
import { describeHandle, handleIndex, handleKind, KIND_NAMES } from '../commands/handles.js';
import type { Leak } from './executor.js';

/** The members of a resource on every backend. Backends add their own members, such as the GPU's object. */
export interface Resource {
  readonly handle: number;
  readonly label: string;
  readonly createdInFrame: number;
}

export class ResourceTable<R extends Resource> {
  readonly #kind: number;
  readonly #slots: (R | undefined)[] = [];
  readonly #lastLabels: string[] = [];
  count = 0;

  constructor(kind: number) {
    this.#kind = kind;
  }

  /** Adds a resource. @returns the resource that it replaces in the slot, if any */
  add(resource: R): R | undefined {
    const index = handleIndex(resource.handle);
    const replaced = this.#slots[index];
    this.#slots[index] = resource;
    this.#lastLabels[index] = resource.label;
    if (replaced === undefined) this.count++;
    return replaced;
  }

  /** Returns the resource of a live handle; undefined for a stale handle. Called per draw. */
  find(handle: number): R | undefined {
    const resource = this.#slots[handleIndex(handle)];
    return resource !== undefined && resource.handle === handle ? resource : undefined;
  }

  /** Returns the resource of a live handle. @throws RhiError `stale-handle`, `wrong-handle-kind` */
  get(handle: number): R {
    const resource = this.find(handle);
    if (resource === undefined) throw this.staleHandle(handle);
    return resource;
  }

  take(handle: number): R | undefined {
    const resource = this.find(handle);
    if (resource !== undefined) {
      this.#slots[handleIndex(handle)] = undefined;
      this.count--;
    }
    return resource;
  }

  staleHandle(handle: number): RhiError {
    if (handleKind(handle) !== this.#kind) {
      return new RhiError(
        'wrong-handle-kind',
        `A command needs a ${KIND_NAMES[this.#kind]}, but was given the handle of ${describeHandle(handle)}. Pass the handle of a ${KIND_NAMES[this.#kind]}.`,
      );
    }
    const label = this.#lastLabels[handleIndex(handle)];
    const was = label ? ` Its slot was last used by "${label}".` : '';
    return new RhiError(
      'stale-handle',
      `A command names ${describeHandle(handle)}, which does not exist.${was} Create it before use; keep no handle after destroying it.`,
    );
  }

  *values(): IterableIterator<R> {
    for (const resource of this.#slots) if (resource !== undefined) yield resource;
  }

  leaks(): Leak[] {
    return [...this.values()].map(({ handle, label, createdInFrame }) => ({
      kind: KIND_NAMES[handleKind(handle)] ?? '',
      label,
      createdInFrame,
    }));
  }
}
