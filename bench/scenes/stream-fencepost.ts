/** STREAM with this engine. The time of a picture is the end of its submission in the engine's own trace. */
import {
  type Actor,
  boxGeometry,
  createEngine,
  type Engine,
  standardMaterial,
  texture,
} from '../../src/index.js';
import {
  BOXES,
  boxPicture,
  boxPosition,
  CAMERA_POSITION,
  FOV_Y,
  LIGHT_DIRECTION,
  type StreamingScene,
} from '../lib/streaming.js';

declare const FENCEPOST_VERSION: string;

/** Returns the scene with this engine. @param uploadBytesPerFrame undefined for the default */
export function fencepost(uploadBytesPerFrame?: number): StreamingScene {
  let engine: Engine;
  return {
    name: 'fencepost',
    version: FENCEPOST_VERSION,
    async start(canvas) {
      engine = await createEngine(canvas, { pixelRatio: 1, antialias: false });
      const { world } = engine;
      world.addCamera({ position: [...CAMERA_POSITION], lookAt: [0, 0, 0], fovY: FOV_Y });
      world.addDirectionalLight({ direction: [...LIGHT_DIRECTION], intensity: 3 });
      const baseColorTexture = texture(await boxPicture());
      const [geometry, material] = [boxGeometry(), standardMaterial({ baseColorTexture, roughness: 1 })];
      const boxes: Actor[] = Array.from({ length: BOXES }, () => world.addMesh({ geometry, material }));
      let seconds = 0;
      world.onTick((deltaSeconds) => {
        seconds += deltaSeconds;
        for (const [index, box] of boxes.entries()) box.position.set(...boxPosition(index, seconds));
      });
      engine.start();
      await engine.whenReady();
    },
    async load(url) {
      const options = uploadBytesPerFrame === undefined ? {} : { uploadBytesPerFrame };
      const level = await engine.world.load(url, options);
      await engine.whenReady();
      await engine.flush();
      if (level.warnings.length > 0) throw new Error(level.warnings.join(' '));
    },
    async notePictures() {
      await engine.startTrace();
      return async () => {
        const { traceEvents } = await engine.stopTrace();
        return traceEvents
          .filter(({ ph, name }) => ph === 'X' && name.split(' ')[0] === 'submit')
          .map(({ ts = 0, dur = 0 }) => (ts + dur) / 1000)
          .sort((a, b) => a - b);
      };
    },
  };
}
