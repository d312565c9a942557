/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const gameMutants = [
  {
    id: 'changes-of-one-world',
    row: 'G1',
    file: 'src/engine/worlds.ts',
    code: '    this.#select(world, scene);\n    world.sendUpdates();',
    mutated: '    this.#select(world, scene);',
    spec: 'e2e/worlds.spec.ts',
    test: 'G1: each world looks',
  },
  {
    id: 'touched-places-stay',
    row: 'G2',
    file: 'src/game/components/instances-component.ts',
    code: 'if (!updates || count === 0) return;',
    mutated: 'if (!updates || count === 0 || this.isNodeSent) return;',
    spec: 'e2e/instances.spec.ts',
    test: 'G2: touched',
  },
  {
    id: 'invalid-places-shown',
    row: 'G2',
    file: 'src/render/scene/node-hierarchy.ts',
    code: '        refused = index - from;\n        continue;',
    mutated: '        refused = index - from;',
    spec: 'e2e/instances.spec.ts',
    test: 'G2: a place with invalid numbers',
  },
  {
    id: 'dead-components-registered',
    row: 'G3',
    file: 'src/game/updates/scene-updates.ts',
    code: '      if (component.updates !== this) continue;\n      try {',
    mutated: '      try {',
    spec: 'e2e/instances.spec.ts',
  },
  {
    id: 'setters-of-32-bits',
    row: 'G3',
    file: 'src/game/transforms/transform-view.ts',
    code: '    doubles[at] = x;',
    mutated: '    doubles[at] = Math.fround(x);',
    spec: 'e2e/far-positions.spec.ts',
  },
  {
    id: 'bulk-adds-one-by-one',
    row: 'G3',
    file: 'src/game/world/world.ts',
    code: `      if (globalThis.FENCEPOST_DEVELOPMENT) checkSpawned(this, component);
    });
    return components.map((component) => this.spawn(component));`,
    mutated: `      this.spawn(component);
    });
    return components.map(({ actor }) => actor as Actor<MeshComponent>);`,
    spec: 'e2e/instances.spec.ts',
    test: 'G3: addMeshes',
  },
  {
    id: 'touched-places-unflagged',
    row: 'G4',
    file: 'src/game/components/instances-component.ts',
    code: `this.positions, this.rotations, this.scales);
    this.#flag(updates);`,
    mutated: 'this.positions, this.rotations, this.scales);',
    spec: 'e2e/instance-colors.spec.ts',
  },
  {
    id: 'flags-stay-set',
    row: 'G4',
    file: 'src/game/updates/scene-updates.ts',
    code: 'const flags = component.dirtyFlags;\n      component.dirtyFlags = 0;',
    mutated: 'const flags = component.dirtyFlags;',
    spec: 'e2e/frames.spec.ts',
  },
  {
    id: 'parameters-beside-the-proxy',
    row: 'G4',
    file: 'src/game/updates/scene-updates.ts',
    code: 'else if (flags & DirtyFlag.dynamicData)',
    mutated: 'if (flags & DirtyFlag.dynamicData)',
    spec: 'e2e/frames.spec.ts',
  },
  {
    id: 'next-frame-executed-early',
    row: 'G6',
    file: 'src/threads/render-side/render-thread.ts',
    code: "atFrameStep('recording', frame);\n",
    mutated: "atFrameStep('recording', frame);\n    this.#executeCommands();\n",
    spec: 'e2e/frames.spec.ts',
  },
];
