import { IdAllocator } from '../../core/id-allocator.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import type { CameraComponent } from '../components/camera-component.js';
import { LOOK_WORDS } from '../effects/view-look.js';
import type { View } from '../world/view.js';
import type { ResourceRegistry } from './resource-registry.js';
import type { SceneUpdates } from './scene-updates.js';
import { writeWords } from './write-record.js';

/** Offset of the lens in `setAddedView`, in words. */
const LENS_OFFSET = 9 + LOOK_WORDS;

/** Sends the views other than the active camera's. Created with the first such view, for all worlds of an engine. */
export class ViewUpdates {
  readonly #resources: ResourceRegistry;
  readonly #ids = new IdAllocator();
  /** Views in the order in which they were added. */
  readonly views = new Set<View>();
  readonly #dirty = new Set<View>();
  readonly #removed: View[] = [];
  /** Views whose effects have actors. */
  #withActors: View[] = [];
  #added = 0;

  constructor(resources: ResourceRegistry) {
    this.#resources = resources;
  }

  add(view: View): void {
    view.texture = view.target && this.#resources.holdTexture(view.target);
    view.id = this.#ids.allocate();
    view.order = ++this.#added;
    this.views.add(view);
    this.mark(view);
  }

  remove(view: View): void {
    if (!this.views.delete(view)) return;
    this.#dirty.delete(view);
    this.#withActors = this.#withActors.filter((each) => each !== view);
    this.#removed.push(view);
    this.#resources.noteChange();
  }

  /** Marks a changed view to be sent. */
  mark(view: View): void {
    if (!this.views.has(view)) return;
    this.#dirty.add(view);
    this.#resources.noteChange();
  }

  markCamera(camera: CameraComponent): void {
    for (const view of this.views) if (view.cameraComponent === camera) this.mark(view);
  }

  /** Removes a camera that leaves the world. Its views show nothing until they get another camera. */
  forget(camera: CameraComponent): void {
    for (const view of this.views) if (view.cameraComponent === camera) view.camera = null;
  }

  /** Drawn views on the engine's canvas, the topmost first. */
  get shown(): readonly View[] {
    const views = [...this.views].reverse();
    return views.filter((view) => !view.target && !view.surface && view.enabled && view.cameraComponent);
  }

  /**
   * Marks all views to be sent to another stream. Pending removals are dropped, because that stream never received
   * the removed views.
   */
  resend(): void {
    this.#release();
    for (const view of this.views) {
      view.effectSettings.resend();
      this.mark(view);
    }
  }

  /** Per frame, after textures: sends changed and removed views. @param updates updates of the views' world */
  send(writer: StreamWriter, updates: SceneUpdates): void {
    for (const view of this.#dirty) {
      // Views of other worlds are sent with the updates of those worlds.
      if ((view.cameraComponent?.updates ?? updates) !== updates) continue;
      this.#dirty.delete(view);
      this.#sendView(writer, view);
    }
    for (let index = 0; index < this.#withActors.length; index++) {
      const { effectSettings, id } = this.#withActors[index] as View;
      effectSettings.sendActors(writer, id);
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
    const { cameraComponent, rect } = view;
    const at = writer.reserve(RenderOpcode.setAddedView, LENS_OFFSET + 8);
    const { words, floats } = writer;
    words[at] = view.id;
    words[at + 1] = view.order;
    words[at + 2] = view.layers;
    words[at + 3] = view.textureId;
    words[at + 4] = view.canvasId;
    floats[at + 5] = rect.x;
    floats[at + 6] = rect.y;
    floats[at + 7] = rect.width;
    floats[at + 8] = rect.height;
    view.look.write(writer, at + 9);
    words.fill(0, at + LENS_OFFSET, at + LENS_OFFSET + 8);
    if (cameraComponent && view.enabled) cameraComponent.writeLens(writer, at + LENS_OFFSET);
    else words[at + LENS_OFFSET] = NO_ID;
    view.effectSettings.write(writer, view.id);
    this.#withActors = this.#withActors.filter((each) => each !== view);
    if (view.effectSettings.hasActors) this.#withActors.push(view);
  }
}
