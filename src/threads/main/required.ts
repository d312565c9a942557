import { requireCapabilities } from '../../rhi/commands/capabilities.js';
import type { Connect } from './connection.js';
import type { ResolvedOptions } from './engine-options.js';

/**
 * Connects as `connect` does, and ends what can't do what the page requires (SYSTEMS H10): also a device that takes the
 * place of a lost one. Loaded where the options require something.
 */
export const connectRequiring =
  (connect: Connect, { features, limits }: NonNullable<ResolvedOptions['required']>): Connect =>
  async (...given) => {
    const connection = await connect(...given);
    try {
      requireCapabilities(connection.capabilities, features, limits);
    } catch (error) {
      connection.end();
      throw error;
    }
    return connection;
  };
