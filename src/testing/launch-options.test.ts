import { describe, expect, it } from 'vitest';
import { chromiumLaunchOptions } from './launch-options.js';

describe('launch options', () => {
  it('select the software adapter unless `gpu` is `hardware`', () => {
    expect(chromiumLaunchOptions().args).toContain('--use-webgpu-adapter=swiftshader');
    expect(chromiumLaunchOptions({ gpu: 'hardware' }).args.join()).not.toContain('swiftshader');
  });

  it('pass on the executable and flags, and leave out an undefined executable', () => {
    const options = chromiumLaunchOptions({ executablePath: '/c', args: ['--mute-audio'] });
    expect(options.executablePath).toBe('/c');
    expect(options.args.at(-1)).toBe('--mute-audio');
    expect('executablePath' in chromiumLaunchOptions({ executablePath: undefined })).toBe(false);
  });
});
