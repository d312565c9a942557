import { development } from './core/development.js';
import { Material } from './game/material.js';
import { refuseUnknownProperties } from './game/unknown-properties.js';
import { checkGameThread } from './threads/main/affinity.js';
import { Engine } from './threads/main/engine.js';

/** What pages that are built for development have on top: see `core/development.ts`. Called once, by the entry. */
export function checkInDevelopment(): void {
  development.isOn = true;
  development.checkThread = checkGameThread;
  refuseUnknownProperties(Material, 'A material', ['name']);
  refuseUnknownProperties(Engine, 'The engine');
}
