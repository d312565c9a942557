// The walker: a figure 1 m tall in a coat and a pointed hat, with 19 joints. It has the clips "walk", "idle" and
// "wave", and "path", along which it crosses the island. It faces +Z. Like the island, it is made of numbers alone.
//
//   rings of tubes and balls, each with the joints that move it ─► one primitive ─┐
//   joints in rest: positions alone, no rotations ────────────────────────────────┼─► walker.glb
//   poses by phase ─► keys of rotations ──────────────────────────────────────────┘
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { groundHeight, pathCentre } from './island-ground.mjs';
import { append, createShape, eulerRotation, sphere, tube } from './shapes.mjs';

/**
 * Parent and world position of each joint. The right side mirrors the left: `x` is 1 on the left and −1 on
 * the right.
 */
const JOINTS = {
  hips: [null, [0, 0.52, 0]],
  spine: ['hips', [0, 0.6, 0]],
  chest: ['spine', [0, 0.7, 0]],
  neck: ['chest', [0, 0.82, 0]],
  head: ['neck', [0, 0.87, 0]],
  ...Object.fromEntries(
    ['left', 'right'].flatMap((side) => {
      const x = side === 'left' ? 1 : -1;
      return [
        [`${side} shoulder`, ['chest', [x * 0.05, 0.78, 0]]],
        [`${side} arm`, [`${side} shoulder`, [x * 0.1, 0.775, 0]]],
        [`${side} elbow`, [`${side} arm`, [x * 0.135, 0.62, 0]]],
        [`${side} hand`, [`${side} elbow`, [x * 0.145, 0.47, 0]]],
        [`${side} leg`, ['hips', [x * 0.055, 0.5, 0]]],
        [`${side} knee`, [`${side} leg`, [x * 0.058, 0.28, 0]]],
        [`${side} foot`, [`${side} knee`, [x * 0.06, 0.06, 0]]],
      ];
    }),
  ),
};
const NAMES = Object.keys(JOINTS);

const COLORS = {
  coat: [0.62, 0.12, 0.06],
  trousers: [0.07, 0.09, 0.16],
  boots: [0.09, 0.045, 0.02],
  skin: [0.8, 0.42, 0.25],
  hat: [0.06, 0.13, 0.24],
  band: [0.85, 0.5, 0.1],
};

/** A shape with up to four joints and their weights per vertex. */
class Body {
  shape = createShape();
  joints = [];
  weights = [];

  /**
   * @param weightsOf returns the weights of a vertex of the part, by its number: `{ joint: share }`, which add up to 1
   */
  add(part, weightsOf) {
    append(this.shape, part);
    for (let vertex = 0; vertex < part.positions.length / 3; vertex++) {
      const entries = Object.entries(weightsOf(vertex));
      for (let at = 0; at < 4; at++) {
        const [name, share] = entries[at] ?? ['hips', 0];
        this.joints.push(NAMES.indexOf(name));
        this.weights.push(Math.round(share * 255));
      }
    }
  }

  /** @param rings `[x, y, z, radius, weights]` */
  tube(rings, sides, color, flatten = 1) {
    const part = tube(
      rings.map(([x, y, z]) => [x, y, z]),
      rings.map(([, , , radius]) => radius),
      sides,
      color,
    );
    for (let at = 2; at < part.positions.length; at += 3) part.positions[at] *= flatten;
    this.add(part, (vertex) => rings[Math.floor(vertex / (sides + 1))][4]);
  }

  /** @param radii along x, y, z */
  ball([x, y, z], radii, columns, rows, color, joint) {
    const part = sphere(1, columns, rows, color);
    for (let at = 0; at < part.positions.length; at++) {
      part.positions[at] = part.positions[at] * radii[at % 3] + [x, y, z][at % 3];
      part.normals[at] /= radii[at % 3];
    }
    for (let at = 0; at < part.normals.length; at += 3) {
      const length = Math.hypot(part.normals[at], part.normals[at + 1], part.normals[at + 2]) || 1;
      for (let axis = 0; axis < 3; axis++) part.normals[at + axis] /= length;
    }
    this.add(part, () => ({ [joint]: 1 }));
  }
}

function makeBody() {
  const body = new Body();
  for (const side of ['left', 'right']) {
    const s = side === 'left' ? 1 : -1;
    const [leg, knee, foot] = [`${side} leg`, `${side} knee`, `${side} foot`];
    const [shoulder, arm, elbow, hand] = ['shoulder', 'arm', 'elbow', 'hand'].map(
      (name) => `${side} ${name}`,
    );
    const legRing = (y, radius, weights) => [s * 0.057, y, 0, radius, weights];
    body.tube(
      [
        legRing(0.53, 0.05, { hips: 0.5, [leg]: 0.5 }),
        legRing(0.46, 0.052, { [leg]: 1 }),
        legRing(0.36, 0.046, { [leg]: 1 }),
        legRing(0.31, 0.042, { [leg]: 0.75, [knee]: 0.25 }),
        legRing(0.28, 0.041, { [leg]: 0.5, [knee]: 0.5 }),
        legRing(0.25, 0.041, { [leg]: 0.25, [knee]: 0.75 }),
        legRing(0.17, 0.038, { [knee]: 1 }),
      ],
      8,
      COLORS.trousers,
    );
    body.tube(
      [
        legRing(0.2, 0.046, { [knee]: 1 }),
        legRing(0.12, 0.042, { [knee]: 1 }),
        legRing(0.07, 0.041, { [knee]: 0.5, [foot]: 0.5 }),
        legRing(0.03, 0.036, { [foot]: 1 }),
      ],
      8,
      COLORS.boots,
    );
    body.ball([s * 0.06, 0.028, 0.035], [0.04, 0.028, 0.078], 8, 6, COLORS.boots, foot);
    body.tube(
      [
        [s * 0.07, 0.79, 0, 0.03, { [shoulder]: 0.6, chest: 0.4 }],
        [s * 0.1, 0.775, 0, 0.038, { [shoulder]: 0.5, [arm]: 0.5 }],
        [s * 0.12, 0.7, 0, 0.036, { [arm]: 1 }],
        [s * 0.132, 0.65, 0, 0.032, { [arm]: 0.75, [elbow]: 0.25 }],
        [s * 0.135, 0.62, 0, 0.031, { [arm]: 0.5, [elbow]: 0.5 }],
        [s * 0.138, 0.59, 0, 0.031, { [arm]: 0.25, [elbow]: 0.75 }],
        [s * 0.143, 0.51, 0, 0.034, { [elbow]: 1 }],
        [s * 0.144, 0.485, 0, 0.036, { [elbow]: 0.8, [hand]: 0.2 }],
      ],
      8,
      COLORS.coat,
    );
    body.ball([s * 0.147, 0.455, 0.006], [0.022, 0.034, 0.026], 7, 5, COLORS.skin, hand);
  }
  const skirt = (share) => ({ hips: 1 - share, 'left leg': share / 2, 'right leg': share / 2 });
  body.tube(
    [
      [0, 0.37, 0, 0.125, skirt(0.5)],
      [0, 0.43, 0, 0.115, skirt(0.35)],
      [0, 0.5, 0, 0.1, skirt(0.15)],
      [0, 0.56, 0, 0.09, { hips: 0.6, spine: 0.4 }],
      [0, 0.62, 0, 0.088, { spine: 1 }],
      [0, 0.69, 0, 0.096, { spine: 0.3, chest: 0.7 }],
      [0, 0.755, 0, 0.1, { chest: 1 }],
      [0, 0.8, 0, 0.075, { chest: 1 }],
      [0, 0.825, 0, 0.034, { chest: 0.5, neck: 0.5 }],
    ],
    12,
    COLORS.coat,
    0.72,
  );
  body.tube(
    [
      [0, 0.555, 0, 0.094, { hips: 0.6, spine: 0.4 }],
      [0, 0.575, 0, 0.094, { hips: 0.5, spine: 0.5 }],
    ],
    12,
    COLORS.band,
    0.74,
  );
  body.tube(
    [
      [0, 0.81, 0, 0.032, { neck: 1 }],
      [0, 0.87, 0, 0.03, { neck: 0.5, head: 0.5 }],
    ],
    8,
    COLORS.skin,
  );
  body.ball([0, 0.915, 0.005], [0.062, 0.068, 0.066], 12, 8, COLORS.skin, 'head');
  body.ball([0, 0.905, 0.07], [0.012, 0.014, 0.016], 5, 4, COLORS.skin, 'head');
  const hat = (y, radius) => [0, y, -0.004, radius, { head: 1 }];
  body.tube([hat(0.943, 0.06), hat(0.935, 0.112), hat(0.947, 0.114), hat(0.957, 0.066)], 12, COLORS.hat);
  body.tube([hat(0.955, 0.067), hat(0.975, 0.063)], 12, COLORS.band);
  body.tube([hat(0.972, 0.062), hat(1.01, 0.04), hat(1.05, 0.02), hat(1.085, 0.001)], 10, COLORS.hat);
  return body;
}

const TURN = 2 * Math.PI;

/** Poses by clip: Euler angles in radians by joint; `lift` raises the hips. `p`: phase, 0 to 2π. */
const POSES = {
  walk(p) {
    const leg = (phase) => ({
      thigh: -0.06 - 0.46 * Math.sin(phase),
      knee: 0.1 + 0.75 * Math.max(0, 0.5 + 0.5 * Math.cos(phase)) ** 1.6,
      foot: -0.02 - 0.26 * Math.sin(phase + 0.6),
    });
    const [left, right] = [leg(p), leg(p + Math.PI)];
    return {
      lift: 0.012 * Math.cos(2 * p) - 0.008,
      hips: [0.03, 0.1 * Math.sin(p), 0.03 * Math.cos(p)],
      spine: [0.04, -0.09 * Math.sin(p), -0.03 * Math.cos(p)],
      chest: [0.02, -0.09 * Math.sin(p), 0],
      head: [-0.06, 0.07 * Math.sin(p), 0],
      'left leg': [left.thigh, 0, 0],
      'left knee': [left.knee, 0, 0],
      'left foot': [left.foot, 0, 0],
      'right leg': [right.thigh, 0, 0],
      'right knee': [right.knee, 0, 0],
      'right foot': [right.foot, 0, 0],
      'left arm': [0.42 * Math.sin(p), 0, 0.05],
      'right arm': [-0.42 * Math.sin(p), 0, -0.05],
      'left elbow': [-0.35 + 0.18 * Math.sin(p), 0, 0],
      'right elbow': [-0.35 - 0.18 * Math.sin(p), 0, 0],
    };
  },
  idle(p) {
    return {
      lift: 0.004 * Math.sin(p),
      hips: [0, 0.05, 0.015 * Math.sin(p)],
      spine: [0.02 * Math.sin(p), 0, -0.015 * Math.sin(p)],
      chest: [0.03 * Math.sin(p + 0.4), -0.05, 0],
      neck: [0.02, 0.22 * Math.sin(p), 0],
      head: [-0.02, 0.16 * Math.sin(p), 0],
      'left arm': [0.05 * Math.sin(p), 0, 0.07],
      'right arm': [-0.05 * Math.sin(p), 0, -0.07],
      'left elbow': [-0.22, 0, 0],
      'right elbow': [-0.22, 0, 0],
    };
  },
  wave(p) {
    return {
      ...POSES.idle(p),
      chest: [0.02, -0.12, 0.06],
      'right shoulder': [0, 0, -0.25],
      'right arm': [-0.5, 0, -2.35],
      'right elbow': [0, 0, -0.45 - 0.35 * Math.sin(2 * p)],
      'right hand': [0, 0, -0.25 * Math.sin(2 * p - 0.5)],
      head: [-0.1, -0.1, 0.08 * Math.sin(p)],
    };
  },
};
const CLIPS = { walk: [1, 12], idle: [4, 12], wave: [2.4, 16] };

/** Height of the figure on the island in metres. */
const HEIGHT = 0.4;
/** Metres per second at that height, at which its feet do not slide. */
const SPEED = 0.3;
const ENDS = [1.42, -1.3];
const PATH_STEPS = 14;
const TURN_SECONDS = 1;

/** Returns the keys of the way there and back on the island's path: times, places and headings. */
function pathKeys() {
  const keys = { times: [], positions: [], rotations: [] };
  let time = 0;
  let before = null;
  const add = (z, heading, seconds) => {
    const x = pathCentre(z);
    const position = [x, groundHeight(x, z), z];
    time +=
      seconds ?? (before ? Math.hypot(...position.map((value, axis) => value - before[axis])) / SPEED : 0);
    before = position;
    keys.times.push(time);
    keys.positions.push(...position);
    keys.rotations.push(...eulerRotation(0, heading, 0));
  };
  const heading = (z, towards) => {
    const slope = (pathCentre(z + 0.01) - pathCentre(z - 0.01)) / 0.02;
    return Math.atan2(slope * towards, towards);
  };
  for (const [from, to] of [ENDS, [...ENDS].reverse()]) {
    const towards = Math.sign(to - from);
    for (let step = 0; step <= PATH_STEPS; step++) {
      const z = from + ((to - from) * step) / PATH_STEPS;
      add(z, heading(z, towards), step === 0 && before ? TURN_SECONDS : undefined);
    }
  }
  add(ENDS[0], heading(ENDS[0], -1), TURN_SECONDS);
  return keys;
}

/** Returns the bytes of public/walker.glb. */
export async function makeWalker() {
  const document = new Document();
  document.getRoot().getAsset().generator = 'fencepost scripts/make-demo-assets.mjs';
  document.createExtension(KHRMeshQuantization).setRequired(true);
  const buffer = document.createBuffer();
  const accessor = (type, array, isNormalized = false) =>
    document.createAccessor().setType(type).setArray(array).setNormalized(isNormalized).setBuffer(buffer);
  const { shape, joints, weights } = makeBody();
  const bytes = (values, scale) => Int8Array.from(values, (value) => Math.round(value * scale));
  const primitive = document
    .createPrimitive()
    .setIndices(accessor('SCALAR', Uint16Array.from(shape.indices)))
    .setAttribute('POSITION', accessor('VEC3', Float32Array.from(shape.positions)))
    .setAttribute('NORMAL', accessor('VEC3', bytes(shape.normals, 127), true))
    .setAttribute(
      'COLOR_0',
      accessor(
        'VEC3',
        Uint8Array.from(shape.colors, (value) => Math.round(value * 255)),
        true,
      ),
    )
    .setAttribute('JOINTS_0', accessor('VEC4', Uint8Array.from(joints)))
    .setAttribute('WEIGHTS_0', accessor('VEC4', Uint8Array.from(weights), true))
    .setMaterial(document.createMaterial('Cloth').setMetallicFactor(0).setRoughnessFactor(0.85));
  const skin = document.createSkin('Walker').setInverseBindMatrices(
    accessor(
      'MAT4',
      Float32Array.from(
        NAMES.flatMap((name) => {
          const [x, y, z] = JOINTS[name][1];
          return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1];
        }),
      ),
    ),
  );
  const root = document.createNode('Walker');
  const local = (name) => {
    const [parent, place] = JOINTS[name];
    const origin = parent ? JOINTS[parent][1] : [0, 0, 0];
    return place.map((value, axis) => Math.round((value - origin[axis]) * 1e4) / 1e4);
  };
  const nodes = {};
  for (const name of NAMES) {
    nodes[name] = document.createNode(name).setTranslation(local(name));
    (nodes[JOINTS[name][0]] ?? root).addChild(nodes[name]);
    skin.addJoint(nodes[name]);
  }
  root.addChild(
    document.createNode('Body').setMesh(document.createMesh('Body').addPrimitive(primitive)).setSkin(skin),
  );
  document.createScene('Walker').addChild(root);

  const addChannel = (animation, node, path, times, type, values) => {
    const isRotation = path === 'rotation';
    const numbers = isRotation
      ? Int16Array.from(values, (value) => Math.round(value * 32767))
      : Float32Array.from(values);
    const sampler = document
      .createAnimationSampler()
      .setInput(times)
      .setOutput(accessor(type, numbers, isRotation));
    const channel = document
      .createAnimationChannel()
      .setTargetNode(node)
      .setTargetPath(path)
      .setSampler(sampler);
    animation.addSampler(sampler).addChannel(channel);
  };
  for (const [name, [seconds, count]] of Object.entries(CLIPS)) {
    const animation = document.createAnimation(name);
    const phases = Array.from({ length: count + 1 }, (_, key) => key / count);
    const times = accessor(
      'SCALAR',
      Float32Array.from(phases, (phase) => phase * seconds),
    );
    const poses = phases.map((phase) => POSES[name](phase * TURN));
    for (const joint of NAMES) {
      // Joints that a clip does not name stay at rest.
      if (poses.every((pose) => !pose[joint])) continue;
      const rotations = poses.flatMap((pose) => eulerRotation(...(pose[joint] ?? [0, 0, 0])));
      addChannel(animation, nodes[joint], 'rotation', times, 'VEC4', rotations);
    }
    const [x, y, z] = local('hips');
    const lifts = poses.flatMap(({ lift }) => [x, y + lift, z]);
    addChannel(animation, nodes.hips, 'translation', times, 'VEC3', lifts);
  }
  const path = pathKeys();
  const animation = document.createAnimation('path');
  const times = accessor('SCALAR', Float32Array.from(path.times));
  addChannel(animation, root, 'translation', times, 'VEC3', path.positions);
  addChannel(animation, root, 'rotation', times, 'VEC4', path.rotations);
  const one = accessor('SCALAR', Float32Array.of(0));
  addChannel(animation, root, 'scale', one, 'VEC3', [HEIGHT, HEIGHT, HEIGHT]);
  return new NodeIO().registerExtensions([KHRMeshQuantization]).writeBinary(document);
}
