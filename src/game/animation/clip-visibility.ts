/**
 * Visibility that clips animate (KHR_node_visibility, driven by KHR_animation_pointer). The game thread computes
 * it each frame, because raycasts, picks and labels read it on that thread. A hidden node also hides everything
 * attached to it, lights included.
 *
 *   per frame: weighted sum of the playbacks' values and the rest's share ─► at least a half ─► `visible`
 *
 * Writing `visible` meanwhile changes the *rest*, the value without clips. Its weight is 1 minus the sum of the
 * playbacks' weights. Once no clip drives the node, `visible` is the rest.
 */
import { ClipPath, pathOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { ClipTarget, PosingPlayback } from './clip-poses.js';

interface AnimatedVisibility {
  readonly component: SceneComponent;
  rest: boolean;
  /** The value of `visible` that `apply` wrote last. If `visible` differs, the game has changed it. */
  written: boolean;
  tracks: readonly { readonly playback: PosingPlayback; readonly track: number }[];
}

const value = /* @__PURE__ */ new Float32Array(1);

export class ClipVisibility {
  readonly #animated = new Map<SceneComponent, AnimatedVisibility>();

  add(playback: PosingPlayback, targets: readonly ClipTarget[]): void {
    const { tracks } = playback.description;
    targets.forEach((target, track) => {
      if (!target || !('node' in target)) return;
      if (pathOf(tracks[track * TRACK_WORDS] as number) !== ClipPath.visibility) return;
      const { visible } = target;
      const shown = this.#animated.get(target) ?? {
        ...{ component: target, rest: visible, written: visible, tracks: [] },
      };
      shown.tracks = [...shown.tracks, { playback, track }];
      this.#animated.set(target, shown);
    });
  }

  remove(playback: PosingPlayback): void {
    for (const shown of this.#animated.values()) {
      shown.tracks = shown.tracks.filter((each) => each.playback !== playback);
      if (shown.tracks.length > 0) continue;
      this.#animated.delete(shown.component);
      if (shown.component.visible === shown.written) shown.component.visible = shown.rest;
    }
  }

  /** Per frame: sets `visible` of all animated components. @returns whether any of them has changed */
  apply(): boolean {
    let hasChanged = false;
    for (const shown of this.#animated.values()) {
      const { component, tracks } = shown;
      if (component.visible !== shown.written) shown.rest = component.visible;
      let [sum, weights] = [0, 0];
      for (const { playback, track } of tracks) {
        // An additive playback has no meaning for a boolean.
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
