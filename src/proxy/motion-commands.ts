/** Fields of the commands of motions and clips, as in `command-table.ts`. */
export const motionCommands = {
  /**
   * Starts a motion of a node or material at `startSeconds` of scene time (`motion.ts`). Replaces the target's motion;
   * destroying the target ends it. `target`: `MotionTarget`. `kind`: `MotionKind`.
   */
  declareMotion: { target: 'u32', id: 'u32', kind: 'u32', startSeconds: 'f64', parameters: 'f64[]' },
  clearMotion: { target: 'u32', id: 'u32' },
  /** Declares a motion of kind `follow`: a camera moves towards the goal of its controls. Only late frames use it. */
  followGoal: { target: 'u32', id: 'u32', kind: 'u32', startSeconds: 'f64', parameters: 'f64[]' },
  /** Stops all motion until the next frame of a running engine. Sent when the engine stops or its page is hidden. */
  holdMotion: {},

  /** Creates a clip from the tracks of an animation (`clip.ts`). */
  createClip: { clip: 'u32', duration: 'f32', tracks: 'u32[]', floats: 'f32[]' },
  destroyClip: { clip: 'u32' },
  /**
   * Sets a playback of a clip, replacing its earlier state. At `startSeconds` of scene time the clip is at
   * `offsetSeconds`. `mode`: `PlaybackMode`. The weight changes from `weightFrom` to `weightTo` from `fadeStart` on.
   * `nodes`: the node or material that each track drives; NO_ID for none.
   */
  setPlayback: {
    playback: 'u32',
    clip: 'u32',
    startSeconds: 'f64',
    offsetSeconds: 'f64',
    speed: 'f64',
    mode: 'u32',
    fadeStart: 'f64',
    fadeSeconds: 'f64',
    weightFrom: 'f64',
    weightTo: 'f64',
    isAdditive: 'u32',
    nodes: 'u32[]',
  },
  removePlayback: { playback: 'u32' },
} as const;
