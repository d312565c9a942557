import { OptionError } from '../core/errors.js';
import { Settings } from '../core/options/settings.js';
import { isObject } from '../core/options/shown-value.js';
import { defaultEngineWorkers } from '../threads/tasks/create-task-system.js';
import { ENGINE_OPTIONS, type ResolvedOptions } from './options/engine-options.js';

type Properties = Record<string, unknown>;

/**
 * Returns the settings of an engine (SYSTEMS R18), which derive from the table of its options. A changeable setting is
 * the engine's property of the same name. All other settings are read from the current options. Only
 * `setThreading` changes one of them.
 *
 * @param engine the engine, whose properties are read and assigned by name
 * @param options returns the current options
 */
export function engineSettings(
  engine: object,
  options: () => ResolvedOptions,
  reportError: (error: unknown) => void,
): Settings {
  return new Settings(ENGINE_OPTIONS, {
    what: 'engine.settings',
    read: (name, row) => {
      const [owner, key] = placeOf(engine, name);
      // An effect that is off has no options, so return the default, which applies once the effect is on.
      if (row.isChangeable) return owner ? owner[key] : row.default;
      if (name === 'taskWorkers') return options().taskWorkers ?? defaultEngineWorkers();
      return (options() as unknown as Properties)[key];
    },
    write: (name, value) => {
      const [owner, key] = placeOf(engine, name);
      if (owner) {
        owner[key] = value;
        return;
      }
      const effect = name.slice(0, -key.length - 1);
      throw new OptionError(
        'option-invalid',
        `${effect} of engine.settings is not on, so its ${key} can't be set: set ${effect} to true or to its options.`,
      );
    },
    remedyOf: (name) =>
      name === 'threading'
        ? "Change it with await engine.setThreading('single')."
        : 'It is fixed when the engine is created: pass it to createEngine.',
    reportError,
  });
}

/** Returns the object that has a setting, and the setting's name in it. The object is null if its effect is off. */
function placeOf(engine: object, name: string): readonly [owner: Properties | null, key: string] {
  const path = name.split('.');
  const key = path.pop() as string;
  let owner: unknown = engine;
  for (const step of path) owner = isObject(owner) ? owner[step] : null;
  return [isObject(owner) ? (owner as Properties) : null, key];
}
