/**
 * Usage scopes: inside one render pass, or one dispatch, a buffer or part of a texture is either read, or an
 * attachment, or written as storage; not two of these (WebGPU §3.4.5). A scope has a number; what a resource
 * carries of an earlier scope is void, so nothing is ever cleared.
 *
 *   pass 7   attachment "color" mip 0 ── setBindGroup samples "color" mip 1: fine, mip 0: conflict
 */
import type { BindGroupModel, BufferModel, TextureView } from './models.js';
import { nameOf } from './models.js';
import type { ValidationState } from './state.js';

/** `read` goes with `read`; each of the others only with itself. */
export const ScopeUse = { read: 1, storage: 2, attachment: 4 } as const;

const USE_NAMES: Readonly<Record<number, string>> = {
  [ScopeUse.read]: 'something read',
  [ScopeUse.storage]: 'storage written to',
  [ScopeUse.attachment]: 'an attachment',
};

export class UsageScope {
  readonly #state: ValidationState;
  #scope = 0;

  constructor(state: ValidationState) {
    this.#state = state;
  }

  get number(): number {
    return this.#scope;
  }

  /** Per pass, per dispatch. */
  begin(): void {
    this.#scope++;
  }

  /** Per draw. */
  noteBuffer(buffer: BufferModel, use: number): boolean {
    buffer.usedInList = this.#state.list;
    if (buffer.scope !== this.#scope) {
      buffer.scope = this.#scope;
      buffer.scopeUse = use;
      return true;
    }
    if (buffer.scopeUse === use) return true;
    return this.#conflict(nameOf(buffer), use, buffer.scopeUse);
  }

  noteTexture(view: TextureView, use: number): boolean {
    const { texture } = view;
    texture.usedInList = this.#state.list;
    if (texture.scope !== this.#scope) {
      texture.scope = this.#scope;
      texture.scopeParts.length = 0;
    }
    for (const part of texture.scopeParts) {
      if (part.use !== use && viewsOverlap(part.view, view)) {
        return this.#conflict(nameOf(texture), use, part.use);
      }
    }
    texture.scopeParts.push({ view, use });
    return true;
  }

  /** Once per group and scope. */
  noteGroup(group: BindGroupModel): boolean {
    group.scope = this.#scope;
    let isFine = true;
    for (const { buffer, scopeUse } of group.buffers) {
      if (!this.noteBuffer(buffer, scopeUse)) isFine = false;
    }
    for (const { view, scopeUse } of group.textures) if (!this.noteTexture(view, scopeUse)) isFine = false;
    if (!isFine) group.scope = -1;
    return isFine;
  }

  #conflict(resource: string, use: number, other: number): false {
    const { command, passName } = this.#state;
    return this.#state.report('usage-conflict', {
      command,
      resource,
      use: USE_NAMES[use],
      pass: passName,
      other: USE_NAMES[other],
    });
  }
}

/** Both name a same mip level of a same layer, in a same aspect. */
export function viewsOverlap(a: TextureView, b: TextureView): boolean {
  return (
    a.firstMip < b.firstMip + b.mips &&
    b.firstMip < a.firstMip + a.mips &&
    a.firstLayer < b.firstLayer + b.layers &&
    b.firstLayer < a.firstLayer + a.layers &&
    (a.aspect === 'all' || b.aspect === 'all' || a.aspect === b.aspect)
  );
}
