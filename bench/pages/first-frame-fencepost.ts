/**
 * The hello cube of this engine, which draws in a worker. The page polls its statistics until the cube has been
 * presented.
 */
import { engine } from '../hello/fencepost.js';

const poll = () => {
  const stats = engine.stats();
  if (stats.presentedFrames > 0 && stats.drawCalls > 0 && stats.skippedDraws === 0)
    window.reportFirstFrame(performance.now());
  else setTimeout(poll, 1);
};
poll();
