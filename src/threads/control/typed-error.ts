import { errorFromData, errorToData, FencepostError } from '../../core/errors.js';

/** Anything thrown, as an error of ours: what has no code gets `internal`. */
export function typedError(thrown: unknown): FencepostError {
  return thrown instanceof FencepostError ? thrown : errorFromData(errorToData(thrown));
}
