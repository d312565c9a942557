/** The worker that executes commands for two-threads.spec.ts. */
import { openDevice, serveRhi } from 'fencepost/rhi';

self.onmessage = ({ data }: MessageEvent<{ port: MessagePort; hasGpu: boolean }>) => {
  const gpu = data.hasGpu ? navigator.gpu : undefined;
  serveRhi(
    data.port,
    openDevice(gpu).then(({ device }) => ({ device })),
  ).catch(() => {});
};
