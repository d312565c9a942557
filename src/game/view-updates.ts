import { IdAllocator } from '../core/id-allocator.js';
import type { StreamWriter } from '../core/stream.js';
import { NO_ID, RenderOpcode } from '../proxy/commands.js';
import type { CameraComponent } from './camera-component.js';
import type { ResourceRegistry } from './resource-registry.js';
import type { TextureEntry } from './texture-registry.js';
import type { View } from './view.js';
import { writeWords } from './write-record.js';

/** What is known of a view beside itself. */
interface SentView {
  readonly id: number;
  /** Views that were added later are drawn over those before. */
  readonly order: number;
  /** What it is drawn into; null: the surface. */
  readonly texture: TextureEntry | null;
}

/** What a world has sent of its views besides the active camera's; made with the first. */
export class ViewUpdates {
  readonly #resources: ResourceRegistry;
  readonly #ids = new IdAllocator();
  readonly #views = new Map<View, SentView>();
  readonly #dirty = new Set<View>();
  readonly #removed: SentView[] = [];
  #added = 0;

  constructor(resources: ResourceRegistry) {
    this.#resources = resources;
  }

  add(view: View): void {
    const texture = view.target && this.#resources.holdTexture(view.target);
    this.#views.set(view, { id: this.#ids.allocate(), order: this.#added++, texture });
    this.mark(view);
  }

  remove(view: View): void {
    const sent = this.#views.get(view);
    if (!sent) return;
    this.#views.delete(view);
    this.#dirty.delete(view);
    this.#removed.push(sent);
  }

  /** Something of it has changed. */
  mark(view: View): void {
    if (this.#views.has(view)) this.#dirty.add(view);
  }

  markCamera(camera: CameraComponent): void {
    for (const view of this.#views.keys()) if (view.cameraComponent === camera) this.mark(view);
  }

  /** The camera leaves the world: views by it show nothing until they are given another. */
  forget(camera: CameraComponent): void {
    for (const view of this.#views.keys()) if (view.cameraComponent === camera) view.camera = null;
  }

  /** Those on the canvas that are drawn, the uppermost first. */
  get shown(): readonly View[] {
    const views = [...this.#views.keys()].reverse();
    return views.filter((view) => !view.target && view.enabled && view.cameraComponent);
  }

  /** The id of the texture that the view is drawn into. */
  textureOf(view: View): number {
    return this.#views.get(view)?.texture?.id ?? NO_ID;
  }

  /** To another stream. What waited to be removed is gone without a record. */
  resend(): void {
    this.#release();
    for (const view of this.#views.keys()) this.mark(view);
  }

  /** Per frame, after textures were sent. */
  send(writer: StreamWriter): void {
    if (this.#dirty.size) {
      for (const view of this.#dirty) this.#sendView(writer, view);
      this.#dirty.clear();
    }
    for (const { id } of this.#removed) writeWords(writer, RenderOpcode.removeAddedView, 1, id);
    this.#release();
  }

  #release(): void {
    for (const { id, texture } of this.#removed) {
      this.#ids.free(id);
      if (texture) this.#resources.textures?.release(texture);
    }
    this.#removed.length = 0;
  }

  #sendView(writer: StreamWriter, view: View): void {
    const { id, order, texture } = this.#views.get(view) as SentView;
    const { cameraComponent, rect, layers } = view;
    const at = writer.reserve(RenderOpcode.setAddedView, 15);
    const { words, floats } = writer;
    words[at] = id;
    words[at + 1] = order;
    words[at + 2] = layers;
    words[at + 3] = texture?.id ?? NO_ID;
    floats[at + 4] = rect.x;
    floats[at + 5] = rect.y;
    floats[at + 6] = rect.width;
    floats[at + 7] = rect.height;
    words.fill(0, at + 8, at + 15);
    if (cameraComponent && view.enabled) cameraComponent.writeLens(writer, at + 8);
    else words[at + 8] = NO_ID;
  }
}
