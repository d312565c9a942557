import { IdAllocator } from '../../core/id-allocator.js';
import { writeDouble } from '../../core/records/wide-words.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { CROWD_TRACKS } from '../../proxy/motion/clip-tracks.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import type { Material } from '../materials/material.js';
import { motionsOf } from '../motion/motion-updates.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import { writeWords } from '../updates/write-record.js';
import { ClipPoses, type ClipTarget } from './clip-poses.js';
import { ClipVisibility } from './clip-visibility.js';
import type { Playback } from './playback.js';

interface SentClip {
  readonly id: number;
  isSent: boolean;
}

interface SentPlayback {
  readonly id: number;
  readonly clip: SentClip;
  /** The target of each track; `null` for a track that is not played. */
  readonly targets: readonly ClipTarget[];
  /** The materials among the targets that `resources` counts as used. */
  materials: readonly Material[];
}

/**
 * The clips and playbacks that a world has sent, and the clock of its playbacks. Created with the first
 * playback.
 *
 *   play ─► next update: createClip, once per clip ─► setPlayback
 *   changed ─► setPlayback again       ended ─► removePlayback
 */
export class ClipUpdates {
  readonly #updates: SceneUpdates;
  readonly #clipIds = new IdAllocator();
  readonly #playbackIds = new IdAllocator();
  readonly #clips = new Map<ClipDescription, SentClip>();
  readonly #playbacks = new Map<Playback, SentPlayback>();
  readonly #dirty = new Set<Playback>();
  /** Playbacks that need `settle` in the next frame. */
  readonly #awake = new Set<Playback>();
  readonly #removed: SentPlayback[] = [];
  readonly #poses = new ClipPoses(this);
  readonly #visibility = new ClipVisibility();
  readonly #forgottenClips: SentClip[] = [];
  /** Number of tracks of all playbacks. */
  #tracks = 0;
  /** Scene time of the last frame that was sent. */
  settledSeconds = 0;
  /** Rises with every change that affects evaluated poses. */
  version = 0;

  constructor(updates: SceneUpdates) {
    this.#updates = updates;
    // Creates the world's `MotionUpdates`, which stops the render thread's scene time while the page is hidden.
    // Clips must stop then as well.
    motionsOf(updates);
  }

  /** Scene time as the game sees it now. */
  get timeSeconds(): number {
    return motionsOf(this.#updates).timeSeconds;
  }

  /** Scene time of the update that is being sent. */
  get frameSeconds(): number {
    return motionsOf(this.#updates).frameSeconds;
  }

  get reportError(): (error: unknown) => void {
    return this.#updates.reportError;
  }

  /** @param targets the target of each track; `null` for a track that is not played */
  add(playback: Playback, clip: ClipDescription, targets: readonly ClipTarget[]): void {
    this.version++;
    let sent = this.#clips.get(clip);
    if (!sent) {
      sent = { id: this.#clipIds.allocate(), isSent: false };
      this.#clips.set(clip, sent);
    }
    this.#tracks += targets.length;
    if (this.#tracks >= CROWD_TRACKS) {
      this.#updates.onManyPrimitives?.();
      this.#updates.onManyPrimitives = null;
    }
    this.#playbacks.set(playback, { id: this.#playbackIds.allocate(), clip: sent, targets, materials: [] });
    this.#dirty.add(playback);
    this.#awake.add(playback);
    this.#poses.add(playback, targets);
    this.#visibility.add(playback, targets);
    this.#updates.onChange();
  }

  /** Returns whether a playback changes something, or has to be settled, after this scene time. */
  isMovingAfter(seconds: number): boolean {
    for (const playback of this.#playbacks.keys()) if (playback.endSeconds > seconds) return true;
    return false;
  }

  mark(playback: Playback): void {
    this.version++;
    if (!this.#playbacks.has(playback)) return;
    this.#dirty.add(playback);
    this.#updates.onChange();
  }

  /** Calls the playback's `settle` in the next frames, until it returns false. */
  wake(playback: Playback): void {
    this.#awake.add(playback);
  }

  remove(playback: Playback): void {
    this.version++;
    this.#awake.delete(playback);
    const sent = this.#playbacks.get(playback);
    if (!sent) return;
    this.#playbacks.delete(playback);
    this.#tracks -= sent.targets.length;
    this.#dirty.delete(playback);
    this.#removed.push(sent);
    this.#poses.remove(playback, sent.targets);
    this.#visibility.remove(playback);
    this.#updates.onChange();
  }

  /** Removes clips of an unloaded level. */
  forget(clips: readonly ClipDescription[]): void {
    for (const clip of clips) {
      const sent = this.#clips.get(clip);
      if (!sent) continue;
      this.#clips.delete(clip);
      this.#forgottenClips.push(sent);
    }
  }

  /**
   * Marks everything to be sent to another stream. Pending removals are dropped, because that stream never
   * received the removed objects.
   */
  resend(): void {
    this.#release();
    for (const clip of this.#clips.values()) clip.isSent = false;
    for (const playback of this.#playbacks.keys()) this.#dirty.add(playback);
  }

  /**
   * Sends removals before transforms. Otherwise the render thread could mistake a transform that the game wrote
   * after a playback's end for that playback's result.
   */
  sendRemoved(): void {
    const { writer } = this.#updates;
    for (const { id } of this.#removed) writeWords(writer, RenderOpcode.removePlayback, 1, id);
    this.#releaseRemoved();
  }

  /** Per frame, after nodes are sent: settles awake playbacks, and sends removals and changes. */
  send(): void {
    const { writer } = this.#updates;
    const { frameSeconds } = this;
    // Few playbacks are awake: only with a change, a listener, a fade-out or a pending end. Others need no `settle`.
    for (const playback of this.#awake) if (!playback.settle(frameSeconds)) this.#awake.delete(playback);
    this.settledSeconds = frameSeconds;
    // Sends the removal of playbacks whose fade-out has ended in `settle`.
    this.sendRemoved();
    for (const { id, isSent } of this.#forgottenClips)
      if (isSent) writeWords(writer, RenderOpcode.destroyClip, 1, id);
    this.#release();
    if (this.#dirty.size > 0) {
      // New playbacks have started in `settle`, which changes poses.
      this.version++;
      for (const playback of this.#dirty) this.#sendPlayback(playback);
      this.#dirty.clear();
    }
    if (this.#visibility.apply()) this.#sendVisibility();
  }

  /** Sends the visibility that clips have changed, in the same frame. All other changes were sent before. */
  #sendVisibility(): void {
    const { dirty } = this.#updates;
    for (const component of dirty) {
      component.dirtyFlags = 0;
      if (component.updates === this.#updates) component.sendDynamicData(this.#updates);
    }
    dirty.length = 0;
  }

  #release(): void {
    this.#releaseRemoved();
    for (const { id } of this.#forgottenClips) this.#clipIds.free(id);
    this.#forgottenClips.length = 0;
  }

  #releaseRemoved(): void {
    for (const { id, materials } of this.#removed) {
      this.#playbackIds.free(id);
      for (const material of materials) this.#updates.resources.release(material);
    }
    this.#removed.length = 0;
  }

  #sendPlayback(playback: Playback): void {
    const sent = this.#playbacks.get(playback) as SentPlayback;
    const { id, clip, targets } = sent;
    if (!clip.isSent) this.#sendClip(clip, playback.description);
    const { writer, resources } = this.#updates;
    // A material counts as used while a playback drives it.
    const before = sent.materials;
    sent.materials = targets.filter(isMaterial);
    const materialIds = new Map(
      sent.materials.map((material) => [material, resources.useMaterial(material)]),
    );
    for (const material of before) resources.release(material);
    const { state } = playback;
    const at = writer.reserve(RenderOpcode.setPlayback, 19 + targets.length);
    const { words } = writer;
    words[at] = id;
    words[at + 1] = clip.id;
    writeDouble(words, at + 2, state.startSeconds);
    writeDouble(words, at + 4, state.offsetSeconds);
    writeDouble(words, at + 6, state.speed);
    words[at + 8] = state.mode;
    writeDouble(words, at + 9, state.fadeStart);
    writeDouble(words, at + 11, state.fadeSeconds);
    writeDouble(words, at + 13, state.weightFrom);
    writeDouble(words, at + 15, state.weightTo);
    words[at + 17] = playback.isAdditive ? 1 : 0;
    words[at + 18] = targets.length;
    targets.forEach((target, track) => {
      words[at + 19 + track] = isMaterial(target)
        ? (materialIds.get(target) as number)
        : target?.isNodeSent && target.updates === this.#updates
          ? target.node
          : NO_ID;
    });
  }

  #sendClip(clip: SentClip, { duration, tracks, floats: numbers }: ClipDescription): void {
    clip.isSent = true;
    const at = this.#updates.writer.reserve(RenderOpcode.createClip, 4 + tracks.length + numbers.length);
    const { words, floats } = this.#updates.writer;
    words[at] = clip.id;
    floats[at + 1] = duration;
    words[at + 2] = tracks.length;
    words.set(tracks, at + 3);
    words[at + 3 + tracks.length] = numbers.length;
    floats.set(numbers, at + 4 + tracks.length);
  }
}

const isMaterial = (target: ClipTarget): target is Material => target !== null && 'parameters' in target;

/** Returns a world's clips, creating them on first use. */
export function clipsOf(updates: SceneUpdates): ClipUpdates {
  updates.clips ??= new ClipUpdates(updates);
  return updates.clips;
}
