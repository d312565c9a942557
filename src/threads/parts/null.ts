/** The part for the backend without a GPU, loaded where the option `backend` asks for it. */
import type { ExecutorOptions } from '../../rhi/host/executor.js';
import { NullExecutor, nullCapabilities } from '../../rhi/null/executor.js';

export { nullCapabilities };

export const createNullExecutor = (options: ExecutorOptions): NullExecutor => new NullExecutor(options);
