// Chromium's flags for WebGPU without a graphics card and without a window. With other flags that are often
// recommended, Chromium finds an adapter but loses the device after a few presented frames. `probeWebGPU` detects
// such a browser.

export interface ChromiumLaunchOptions {
  /** Path of Chromium. Default: Playwright's own. */
  readonly executablePath?: string | undefined;
  /** Renderer: SwiftShader, which draws the same pixels everywhere, or the machine's GPU. Default `software`. */
  readonly gpu?: 'software' | 'hardware';
  /** Additional command-line flags. */
  readonly args?: readonly string[];
}

/** Options for Playwright's `chromium.launch`. */
export interface LaunchOptions {
  headless: true;
  executablePath?: string;
  chromiumSandbox: boolean;
  args: string[];
}

/**
 * Flags for the software renderer on Linux. On other systems, SwiftShader has no Vulkan driver that presents
 * frames.
 */
const linuxSoftwareFlags = [
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
  '--use-webgpu-adapter=swiftshader',
];

/** Flags that switch off QUIC, the browser's own network traffic and first-run pages. */
const quietFlags = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Returns options for Playwright's `chromium.launch`, or for `use.launchOptions` in its configuration.
 *
 * @example
 * export default defineConfig({ use: { launchOptions: chromiumLaunchOptions() } });
 */
export function chromiumLaunchOptions(options: ChromiumLaunchOptions = {}): LaunchOptions {
  const isRoot = process.getuid?.() === 0;
  const softwareFlags =
    process.platform === 'linux' ? linuxSoftwareFlags : ['--use-webgpu-adapter=swiftshader'];
  return {
    headless: true,
    ...(options.executablePath === undefined ? {} : { executablePath: options.executablePath }),
    // Makes Playwright start Chromium without its sandbox, for every user.
    chromiumSandbox: false,
    args: [
      '--headless=new',
      '--enable-unsafe-webgpu',
      ...(options.gpu === 'hardware' ? [] : softwareFlags),
      // For other launchers: the sandbox does not run as root, which is the user of most containers.
      ...(isRoot ? ['--no-sandbox'] : []),
      ...quietFlags,
      ...(options.args ?? []),
    ],
  };
}
