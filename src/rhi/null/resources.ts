/**
 * The resources of the null backend, by handle: labels, lifetimes, and the contents of buffers and textures. The rows
 * of the table of commands specify which resource a command creates, so a new kind of resource needs no code in this
 * file.
 */
import { isVariable } from '../../core/records/record-codec.js';
import { stringAt } from '../../core/records/record-fields.js';
import type { CommandInfo } from '../commands/command-info.js';
import type { BufferDescriptor, TextureDescriptor } from '../commands/descriptors.js';
import { handleKind, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { descriptorAt } from '../commands/resource-fields.js';
import type { FenceResource } from '../execute/fence-table.js';
import { type Resource, ResourceTable } from '../execute/resource-table.js';
import { Contents, TextureContents } from './contents.js';

export interface KnownResource extends Resource {
  /** Length of a buffer; 0 for other kinds. */
  readonly byteLength: number;
  /** Contents of a buffer. `renameBuffer` replaces them. */
  contents?: Contents;
  /** Descriptor of a texture; undefined for the viewport's texture. */
  readonly texture?: TextureDescriptor;
  readonly texels?: TextureContents;
  /** Records of a draw bundle. */
  readonly commands?: Uint32Array<ArrayBuffer>;
}

type Known = Partial<Omit<KnownResource, keyof Resource>>;

export class Resources {
  /** Tables by `ResourceKind`. The first table, for unknown kinds, stays empty. */
  readonly tables: readonly ResourceTable<KnownResource>[];
  frame = 0;

  /** @param fences the table of the fences, which `FenceCommands` owns */
  constructor(fences: ResourceTable<FenceResource>) {
    this.tables = KIND_NAMES.map((_, kind) =>
      kind === ResourceKind.fence
        ? (fences as unknown as ResourceTable<KnownResource>)
        : new ResourceTable<KnownResource>(kind),
    );
  }

  table(kind: number): ResourceTable<KnownResource> {
    return this.tables[kind] ?? (this.tables[0] as ResourceTable<KnownResource>);
  }

  /** Returns the resource of a live handle. @throws RhiError `stale-handle` */
  readonly get = (handle: number): KnownResource => this.table(handleKind(handle)).get(handle);

  readonly labelOf = (handle: number): string => this.get(handle).label;

  /** Adds a resource. @throws RhiError `wrong-handle-kind` */
  add(kind: number, handle: number, label: string, known: Known = {}): void {
    const table = this.table(kind);
    if (handleKind(handle) !== kind) throw table.staleHandle(handle);
    table.add({ byteLength: 0, ...known, handle, label, createdInFrame: this.frame });
  }

  /** Executes a command that creates a resource. @throws RhiError `wrong-handle-kind`, `bad-record` */
  create({ creates: kind, fields }: CommandInfo, { words, fields: at }: CommandRecord): void {
    const handle = words[at];
    const text = fields.find(({ wire }) => isVariable(wire));
    if (text?.wire === 'string') {
      this.add(kind, handle, stringAt(words, at, 1));
      return;
    }
    const descriptor = descriptorAt<BufferDescriptor & TextureDescriptor>(words, at);
    const { label, byteLength } = descriptor;
    if (kind === ResourceKind.buffer) this.add(kind, handle, label, { byteLength, contents: new Contents() });
    else if (kind === ResourceKind.texture) {
      this.add(kind, handle, label, { texture: descriptor, texels: new TextureContents(descriptor) });
    } else this.add(kind, handle, label);
  }

  /** Returns the contents of a live buffer. */
  contents(handle: number): Contents {
    const buffer = this.get(handle);
    buffer.contents ??= new Contents();
    return buffer.contents;
  }
}
