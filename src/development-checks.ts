import { development } from './core/development.js';
import { OptionError } from './core/errors.js';
import { checkGameThread } from './engine/creation/affinity.js';
import { Engine } from './engine/engine.js';
import type { AttachElementOptions } from './engine/surfaces/attached-elements.js';
import { checkBoolean } from './game/checks/options.js';
import { checkCalls, checkSceneUse, checkWrites } from './game/development/strict-use.js';
import { refuseUnknownProperties } from './game/development/unknown-properties.js';
import { Material } from './game/materials/material.js';

/** What pages that are built for development have on top: see `core/development.ts`. Called once, by the entry. */
export function checkInDevelopment(): void {
  development.isOn = true;
  development.checkThread = checkGameThread;
  refuseUnknownProperties(Material, 'A material', ['name']);
  checkSceneUse();
  checkWrites(Engine, 'oneFrameThreadLag', (_engine, value) =>
    checkBoolean('the engine', 'oneFrameThreadLag', value),
  );
  checkCalls(Engine, 'attachElement', (_engine, _element, _target, options) => {
    const { occlude } = Object(options) as AttachElementOptions;
    if (occlude !== undefined) checkBoolean('attachElement', 'occlude', occlude);
  });
  checkWrites(Engine, 'threading', () => {
    throw new OptionError('option-invalid', "threading is changed by await engine.setThreading('single').");
  });
  refuseUnknownProperties(Engine, 'The engine');
}
