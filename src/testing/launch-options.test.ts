import { describe, expect, it } from 'vitest';
import { chromiumLaunchOptions } from './launch-options.js';

describe('launch options', () => {
  it('ask for the software adapter unless the hardware is wanted', () => {
    expect(chromiumLaunchOptions().args).toContain('--use-webgpu-adapter=swiftshader');
    expect(chromiumLaunchOptions({ gpu: 'hardware' }).args.join()).not.toContain('swiftshader');
  });

  it('pass on the executable and more flags, and leave no undefined behind', () => {
    const options = chromiumLaunchOptions({ executablePath: '/c', args: ['--mute-audio'] });
    expect(options.executablePath).toBe('/c');
    expect(options.args.at(-1)).toBe('--mute-audio');
    expect('executablePath' in chromiumLaunchOptions({ executablePath: undefined })).toBe(false);
  });
});
