// Objects on the island: the crooked fence, the lantern on its post, the tree and the stones.
import { groundHeight } from './island-ground.mjs';
import { createRandom, noise } from './random.mjs';
import {
  append,
  beam,
  createShape,
  eulerRotation,
  faceted,
  lathe,
  sphere,
  transformed,
  tube,
} from './shapes.mjs';

/** Feet of the posts, from left to right. The path runs between the third and the fourth post. */
const POSTS = [
  { x: -1.62, z: 0.34, height: 0.62, lean: [0.05, 0.07] },
  { x: -0.92, z: 0.62, height: 0.66, lean: [-0.06, -0.05] },
  { x: -0.16, z: 0.72, height: 1.34, lean: [0.015, -0.02] },
  { x: 0.98, z: 0.72, height: 0.68, lean: [0.03, 0.09] },
  { x: 1.62, z: 0.42, height: 0.58, lean: [-0.08, -0.1] },
];
const LANTERN_POST = POSTS[2];

function placeOnPost({ x, z, lean }, height) {
  return [x - lean[1] * height, groundHeight(x, z) + height, z + lean[0] * height];
}

export function makeFence() {
  const fence = createShape();
  const random = createRandom(5);
  for (const post of POSTS) {
    const { x, z, height, lean } = post;
    const bend = random.between(-0.02, 0.02);
    const shape = beam(0.115, 0.105, height + 0.1, {
      rings: 3,
      point: 0.045,
      uvStart: random.next(),
      wobble: (y) => [bend * Math.sin(y * 3), bend * Math.cos(y * 2.4) * 0.6],
    });
    const rotation = eulerRotation(lean[0], random.between(-0.25, 0.25), lean[1]);
    append(fence, transformed(shape, { position: [x, groundHeight(x, z) - 0.1, z], rotation }));
  }
  const rail = (from, fromHeight, to, toHeight, overhang = 0.1) => {
    const [a, b] = [placeOnPost(from, fromHeight), placeOnPost(to, toHeight)];
    const [dx, dy, dz] = b.map((value, axis) => value - a[axis]);
    const length = Math.hypot(dx, dy, dz) + 2 * overhang;
    const sag = random.between(-0.02, 0.025);
    const shape = beam(0.032, 0.088, length, {
      chamfer: 0.008,
      rings: 4,
      uvStart: random.next(),
      wobble: (y) => [0, sag * Math.sin((y / length) * Math.PI)],
    });
    const yaw = Math.atan2(-dz, dx);
    const direction = [dx, dy, dz].map((value) => value / Math.hypot(dx, dy, dz));
    const start = a.map((value, axis) => value - direction[axis] * overhang);
    // Rotates the beam's Y axis towards the other post, and places the beam in front of the posts.
    append(
      fence,
      transformed(
        transformed(shape, { rotation: eulerRotation(0, 0, -Math.PI / 2 + Math.asin(direction[1])) }),
        {
          rotation: eulerRotation(0, yaw, 0),
          position: [start[0] + Math.sin(yaw) * 0.072, start[1], start[2] + Math.cos(yaw) * 0.072],
        },
      ),
    );
  };
  const [first, second, third, fourth, fifth] = POSTS;
  rail(first, 0.5, second, 0.52);
  rail(first, 0.22, second, 0.27);
  rail(second, 0.53, third, 0.5);
  rail(second, 0.24, third, 0.2);
  rail(fourth, 0.5, fifth, 0.47);
  // The last rail hangs down, because it has come off its nail.
  rail(fourth, 0.26, fifth, 0.06, 0.07);
  return fence;
}

/**
 * Returns the parts of the lantern. `bracket`, the iron arm, is in the island's space. The frame, the glass
 * and the flame are relative to `position`.
 */
export function makeLantern() {
  const top = placeOnPost(LANTERN_POST, 1.2);
  const reach = 0.4;
  const arm = [];
  for (let i = 0; i <= 14; i++) {
    const t = i / 14;
    arm.push([
      top[0] + 0.03 + reach * t,
      top[1] + 0.14 * Math.sin(t * Math.PI * 0.86) - 0.02 * t,
      top[2] + 0.02,
    ]);
  }
  const end = arm[arm.length - 1];
  const bracket = tube(
    arm,
    arm.map((_, i) => 0.017 - 0.006 * (i / 14)),
    8,
  );
  const strut = [0, 0.25, 0.5, 0.75, 1].map((t) => [
    top[0] + 0.05 + 0.2 * t,
    top[1] - 0.24 + 0.32 * t ** 1.5,
    top[2] + 0.02,
  ]);
  append(
    bracket,
    tube(
      strut,
      strut.map(() => 0.01),
      6,
    ),
  );
  const hook = Array.from({ length: 9 }, (_, i) => [
    end[0] + 0.02 * Math.sin((i / 8) * Math.PI),
    end[1] - (i / 8) * 0.07,
    end[2],
  ]);
  append(
    bracket,
    tube(
      hook,
      hook.map(() => 0.006),
      6,
    ),
  );

  const position = [end[0], end[1] - 0.29, end[2]];
  const brass = lathe(
    [
      [0, 0.185],
      [0.018, 0.182],
      [0.024, 0.165],
      [0.03, 0.155],
      [0.075, 0.13],
      [0.112, 0.098],
      [0.116, 0.088],
      [0.1, 0.086],
      [0, 0.086],
    ],
    18,
  );
  append(
    brass,
    lathe(
      [
        [0, -0.096],
        [0.094, -0.096],
        [0.1, -0.104],
        [0.1, -0.126],
        [0.084, -0.136],
        [0.05, -0.148],
        [0, -0.15],
      ],
      18,
    ),
  );
  for (let bar = 0; bar < 6; bar++) {
    const angle = (bar / 6) * 2 * Math.PI;
    const [x, z] = [Math.cos(angle) * 0.09, Math.sin(angle) * 0.09];
    append(
      brass,
      tube(
        [
          [x, -0.1, z],
          [x * 1.04, 0, z * 1.04],
          [x, 0.09, z],
        ],
        [0.006, 0.0055, 0.006],
        6,
      ),
    );
  }
  const ring = Array.from({ length: 17 }, (_, i) => [
    0.026 * Math.cos((i / 8) * Math.PI),
    0.205 + 0.026 * Math.sin((i / 8) * Math.PI),
    0,
  ]);
  append(
    brass,
    tube(
      ring,
      ring.map(() => 0.005),
      6,
    ),
  );
  const glass = lathe(
    [
      [0.078, 0.086],
      [0.083, 0.03],
      [0.083, -0.04],
      [0.078, -0.096],
    ],
    18,
  );
  const flame = lathe(
    [
      [0, 0.062],
      [0.008, 0.045],
      [0.019, 0.02],
      [0.026, -0.006],
      [0.026, -0.028],
      [0.017, -0.046],
      [0, -0.054],
    ],
    12,
  );
  return { position, bracket, brass, glass, flame };
}

const TREE = { x: -0.95, z: -0.7 };

/** Returns the trunk's middle line and the ends of the branches, from the foot up. */
function treeLines() {
  const foot = [TREE.x, groundHeight(TREE.x, TREE.z) - 0.08, TREE.z];
  const trunk = Array.from({ length: 9 }, (_, i) => {
    const t = i / 8;
    return [
      foot[0] + 0.3 * t * t + 0.05 * Math.sin(t * 5),
      foot[1] + 1.35 * t,
      foot[2] + 0.08 * Math.sin(t * 4),
    ];
  });
  const branches = [
    { from: 5, to: [-0.42, 0.42, 0.2] },
    { from: 6, to: [0.5, 0.36, 0.15] },
    { from: 7, to: [0.08, 0.42, -0.42] },
    { from: 8, to: [0.12, 0.42, 0.18] },
  ].map(({ from, to }) => {
    const start = trunk[from];
    return Array.from({ length: 6 }, (_, i) => {
      const t = i / 5;
      return [start[0] + to[0] * t, start[1] + to[1] * (0.55 * t + 0.45 * t * t), start[2] + to[2] * t];
    });
  });
  return { trunk, branches };
}

export function makeTree() {
  const { trunk, branches } = treeLines();
  const tree = tube(
    trunk,
    trunk.map((_, i) => 0.115 - 0.075 * (i / 8) ** 0.7 + (i === 0 ? 0.05 : 0)),
    10,
  );
  for (const branch of branches)
    append(
      tree,
      tube(
        branch,
        branch.map((_, i) => 0.05 - 0.034 * (i / 5)),
        6,
      ),
    );
  const random = createRandom(31);
  for (let root = 0; root < 5; root++) {
    const angle = (root / 5) * 2 * Math.PI + random.between(-0.3, 0.3);
    const line = Array.from({ length: 5 }, (_, i) => {
      const distance = 0.06 + 0.28 * (i / 4);
      const [x, z] = [TREE.x + Math.cos(angle) * distance, TREE.z + Math.sin(angle) * distance];
      return [x, groundHeight(x, z) + 0.09 * (1 - i / 4) ** 2 - 0.015, z];
    });
    append(
      tree,
      tube(
        line,
        line.map((_, i) => 0.055 - 0.045 * (i / 4)),
        6,
      ),
    );
  }
  return tree;
}

/** Returns the places of the leaf clumps: `{ position, rotation, scale, kind }`. */
export function treeCrown() {
  const { branches } = treeLines();
  const random = createRandom(47);
  const clumps = [];
  for (const [index, branch] of branches.entries()) {
    const centre = branch[branch.length - 1];
    const count = index === 3 ? 22 : 17;
    for (let i = 0; i < count; i++) {
      const [y, angle] = [random.between(-0.55, 1), random.between(0, 2 * Math.PI)];
      const ring = Math.sqrt(1 - y * y);
      const distance = 0.4 * random.next() ** 0.45;
      clumps.push({
        position: [
          centre[0] + ring * Math.cos(angle) * distance,
          centre[1] + y * distance * 0.75 + 0.04,
          centre[2] + ring * Math.sin(angle) * distance,
        ],
        rotation: eulerRotation(
          random.between(-0.4, 0.4),
          random.between(0, 6.28),
          random.between(-0.4, 0.4),
        ),
        scale: random.between(0.75, 1.15),
        kind: random.next() < 0.5 ? 0 : random.next() < 0.62 ? 1 : 2,
      });
    }
  }
  return clumps;
}

export function makeRocks() {
  const rocks = createShape();
  const places = [
    { x: 1.3, z: -0.55, size: 0.3 },
    { x: 1.56, z: -0.3, size: 0.17 },
    { x: 0.22, z: 1.25, size: 0.12 },
    { x: -1.35, z: 0.95, size: 0.15 },
    { x: 1.05, z: 1.25, size: 0.1 },
    { x: -0.35, z: -1.45, size: 0.2 },
  ];
  for (const [index, { x, z, size }] of places.entries()) {
    const stone = sphere(1, 7, 5);
    for (let i = 0; i < stone.positions.length; i += 3) {
      const [px, py, pz] = stone.positions.slice(i, i + 3);
      const bulge = 1 + 0.42 * noise(px * 1.5 + index * 7, py * 1.5, pz * 1.5);
      stone.positions.splice(i, 3, px * bulge, py * bulge * 0.72, pz * bulge);
    }
    append(
      rocks,
      transformed(faceted(stone), {
        position: [x, groundHeight(x, z) + size * 0.22, z],
        scale: size,
        rotation: eulerRotation(0, index * 1.3, 0),
      }),
    );
  }
  return rocks;
}
