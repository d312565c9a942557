/**
 * Whether what clips show and hide is there (KHR_node_visibility, driven by KHR_animation_pointer). The game decides, with the frame
 * that shows it, because rays, picks and labels ask the game; what is attached to a hidden node is hidden with it, lights too.
 *
 *   per frame: sums of the playbacks' values by their weights, the rest's share ─► at least a half ─► `visible`
 *
 * What the page writes to `visible` meanwhile is the *rest*, which shows again when nothing drives it any more.
 */
import { ClipPath, pathOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { ClipTarget, PosingPlayback } from './clip-poses.js';

interface Shown {
  readonly component: SceneComponent;
  rest: boolean;
  /** What was written last, by which a change of the page's is noticed. */
  written: boolean;
  tracks: readonly { readonly playback: PosingPlayback; readonly track: number }[];
}

const value = /* @__PURE__ */ new Float32Array(1);

export class ClipVisibility {
  readonly #shown = new Map<SceneComponent, Shown>();

  add(playback: PosingPlayback, targets: readonly ClipTarget[]): void {
    const { tracks } = playback.description;
    targets.forEach((target, track) => {
      if (!target || !('node' in target)) return;
      if (pathOf(tracks[track * TRACK_WORDS] as number) !== ClipPath.visibility) return;
      const { visible } = target;
      const shown = this.#shown.get(target) ?? {
        ...{ component: target, rest: visible, written: visible, tracks: [] },
      };
      shown.tracks = [...shown.tracks, { playback, track }];
      this.#shown.set(target, shown);
    });
  }

  remove(playback: PosingPlayback): void {
    for (const shown of this.#shown.values()) {
      shown.tracks = shown.tracks.filter((each) => each.playback !== playback);
      if (shown.tracks.length > 0) continue;
      this.#shown.delete(shown.component);
      if (shown.component.visible === shown.written) shown.component.visible = shown.rest;
    }
  }

  /** Per frame. @returns whether anything is other than it was */
  apply(): boolean {
    let hasChanged = false;
    for (const shown of this.#shown.values()) {
      const { component, tracks } = shown;
      if (component.visible !== shown.written) shown.rest = component.visible;
      let [sum, weights] = [0, 0];
      for (const { playback, track } of tracks) {
        // A difference from the beginning is none of a yes or no.
        if (playback.isAdditive) continue;
        const { weight } = playback;
        playback.sample(track, value, playback.time);
        sum += (value[0] as number) * weight;
        weights += weight;
      }
      if (shown.rest) sum += Math.max(1 - weights, 0);
      shown.written = sum / Math.max(weights, 1) >= 0.5;
      if (component.visible === shown.written) continue;
      component.visible = shown.written;
      hasChanged = true;
    }
    return hasChanged;
  }
}
