import { expect, it } from 'vitest';
import { firefoxLaunchOptions } from './firefox-launch-options.js';

it('the launch options enable WebGPU, and pass on driver, executable and preferences', () => {
  const options = firefoxLaunchOptions({ executablePath: '/f', driver: '/icd.json', preferences: { a: 1 } });
  expect(options).toMatchObject({
    browser: 'firefox',
    executablePath: '/f',
    env: { VK_ICD_FILENAMES: '/icd.json' },
  });
  expect(options.extraPrefsFirefox).toEqual({
    'dom.webgpu.enabled': true,
    'gfx.webgpu.ignore-blocklist': true,
    a: 1,
  });
  expect('executablePath' in firefoxLaunchOptions()).toBe(false);
});
