import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import { requireCapabilities } from '../../rhi/commands/capabilities.js';
import type { Connect } from './connection.js';

/**
 * Connects as `connect` does, and ends what can't do what the page requires (SYSTEMS H10): also a device that takes the
 * place of a lost one.
 */
export const connectRequiring =
  (connect: Connect, { features, limits }: NonNullable<ResolvedOptions['required']>): Connect =>
  async (...given) => {
    const connection = await connect(...given);
    const started = connection.started.then((capabilities) => {
      try {
        requireCapabilities(capabilities, features, limits);
      } catch (error) {
        connection.end();
        throw error;
      }
      return capabilities;
    });
    started.catch(() => {}); // told to whoever awaits it
    return Object.create(connection, { started: { value: started } });
  };
