import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface FirefoxLaunchOptions {
  /** The Firefox to start; without it the one that Puppeteer finds. */
  readonly executablePath?: string | undefined;
  /**
   * Vulkan's description of the driver to render with (`vk_swiftshader_icd.json`, which lies beside Chromium on Linux: see
   * `softwareDriverOf`). Without it, the machine's own.
   */
  readonly driver?: string | undefined;
  /** More preferences, by their names in `about:config`. */
  readonly preferences?: Readonly<Record<string, boolean | number | string>>;
}

/** Parameter of `launch` of `puppeteer-core`. */
export interface PuppeteerLaunchOptions {
  browser: 'firefox';
  headless: true;
  executablePath?: string;
  extraPrefsFirefox: Record<string, boolean | number | string>;
  env: Record<string, string | undefined>;
}

/**
 * Options for `launch` of `puppeteer-core`, which drives a stock Firefox by WebDriver BiDi. Playwright drives only its own.
 * With Chromium's software driver Firefox draws the same pixels as Chromium.
 *
 * @example
 * const browser = await puppeteer.launch(firefoxLaunchOptions({ executablePath: '/usr/bin/firefox' }));
 */
export function firefoxLaunchOptions(options: FirefoxLaunchOptions = {}): PuppeteerLaunchOptions {
  const { executablePath, driver, preferences = {} } = options;
  return {
    browser: 'firefox',
    headless: true,
    ...(executablePath === undefined ? {} : { executablePath }),
    extraPrefsFirefox: {
      'dom.webgpu.enabled': true,
      'gfx.webgpu.ignore-blocklist': true,
      ...preferences,
    },
    env: { ...process.env, ...(driver === undefined ? {} : { VK_ICD_FILENAMES: driver }) },
  };
}

/**
 * Returns the software driver that a Chromium brings along; undefined where it brings none, as on macOS and Windows.
 * @param chromium the path of its executable
 */
export function softwareDriverOf(chromium: string): string | undefined {
  const name = 'vk_swiftshader_icd.json';
  // Debian starts Chromium by a script that lies elsewhere.
  return [join(dirname(chromium), name), `/usr/lib/chromium/${name}`].find((path) => existsSync(path));
}
