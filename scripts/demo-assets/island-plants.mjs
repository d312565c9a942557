// Plants: clumps of grass and leaves, single flowers and a few mushrooms. Each clump and flower is built once and
// scattered as many nodes that share the mesh. The engine draws these nodes in one instanced draw.
import { coastDistance, groundHeight, pathAmount } from './island-ground.mjs';
import { createRandom, noise } from './random.mjs';
import { addVertex, append, createShape, eulerRotation, lathe, normalized, transformed } from './shapes.mjs';

/** Returns about two dozen bent blades, dark at the root, where blades shade each other. */
export function makeGrassClump() {
  const clump = createShape();
  const random = createRandom(3);
  for (let blade = 0; blade < 22; blade++) {
    const [angle, distance] = [random.between(0, 2 * Math.PI), 0.11 * Math.sqrt(random.next())];
    const [x, z] = [Math.cos(angle) * distance, Math.sin(angle) * distance];
    const height = random.between(0.07, 0.17);
    const facing = random.between(0, 2 * Math.PI);
    const bend = random.between(0.02, 0.07);
    const [sideX, sideZ] = [Math.cos(facing), Math.sin(facing)];
    const rows = [];
    for (const t of [0, 0.5, 1]) {
      const width = 0.0085 * (1 - t);
      const lean = bend * t * t;
      const centre = [x - sideZ * lean, height * t, z + sideX * lean];
      const normal = normalized([-sideZ * 0.5 + x * 4, 1, sideX * 0.5 + z * 4]);
      const shade = 0.3 + 0.7 * t;
      const color = [shade * random.between(0.8, 1), shade * 0.8, shade * 0.8];
      const corners = t === 1 ? [0] : [-1, 1];
      rows.push(
        corners.map((side) =>
          addVertex(
            clump,
            [centre[0] + sideX * width * side, centre[1], centre[2] + sideZ * width * side],
            normal,
            [0, 0],
            color,
          ),
        ),
      );
    }
    const [[a, b], [c, d], [tip]] = rows;
    clump.indices.push(a, b, c, c, b, d, c, d, tip);
  }
  return clump;
}

/** Returns a ball of loose leaves with the ball's normals, so that the crown is shaded as one soft shape. */
export function makeLeafClump() {
  const clump = createShape();
  const random = createRandom(19);
  for (let leaf = 0; leaf < 46; leaf++) {
    const [y, angle] = [random.between(-1, 1), random.between(0, 2 * Math.PI)];
    const ring = Math.sqrt(1 - y * y);
    const out = [ring * Math.cos(angle), y, ring * Math.sin(angle)];
    const depth = random.next() ** 0.5;
    const centre = out.map((value) => value * 0.17 * depth);
    const along = normalized([random.between(-1, 1), random.between(-1, 0.4), random.between(-1, 1)]);
    const across = normalized([random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]);
    const size = random.between(0.03, 0.052);
    const shade = (0.35 + 0.65 * depth) * (0.72 + 0.28 * y);
    const color = [shade, shade * random.between(0.75, 1.1), shade];
    const at = (l, w) =>
      addVertex(
        clump,
        centre.map((value, axis) => value + along[axis] * l * size + across[axis] * w * size),
        normalized(out.map((value, axis) => value + along[axis] * 0.25 * l)),
        [0, 0],
        color,
      );
    const [stem, left, right, tip] = [at(-1, 0), at(0, -0.5), at(0, 0.5), at(1, 0)];
    clump.indices.push(stem, right, left, left, right, tip);
  }
  return clump;
}

export function makeFlower(color) {
  const flower = createShape();
  const stemColor = [0.16, 0.3, 0.08];
  const stem = [0, 1, 2].flatMap((step) =>
    [-1, 1].map((side) =>
      addVertex(
        flower,
        [0.004 * side + 0.01 * step * step * 0.5, 0.065 * step, 0],
        [0, 0.4, 0.9],
        [0, 0],
        stemColor,
      ),
    ),
  );
  for (let i = 0; i < 4; i += 2)
    flower.indices.push(stem[i], stem[i + 1], stem[i + 2], stem[i + 2], stem[i + 1], stem[i + 3]);
  for (let petal = 0; petal < 6; petal++) {
    const angle = (petal / 6) * 2 * Math.PI;
    const at = (distance, turn, height, shade) =>
      addVertex(
        flower,
        [0.02 + Math.cos(angle + turn) * distance, 0.128 + height, Math.sin(angle + turn) * distance],
        normalized([Math.cos(angle) * 0.3, 1, Math.sin(angle) * 0.3]),
        [0, 0],
        color.map((value) => value * shade),
      );
    const [inner, left, right, tip] = [
      at(0.004, 0, 0, 0.5),
      at(0.026, -0.42, 0.008, 0.95),
      at(0.026, 0.42, 0.008, 0.95),
      at(0.04, 0, 0.004, 1),
    ];
    flower.indices.push(inner, left, right, left, tip, right);
  }
  const heart = lathe(
    [
      [0, 0.142],
      [0.009, 0.138],
      [0.011, 0.128],
    ],
    6,
    [1, 0.62, 0.1],
  );
  return append(flower, transformed(heart, { position: [0.02, 0, 0] }));
}

export function makeMushrooms() {
  const group = createShape();
  const places = [
    [-1.22, -0.28, 1],
    [-1.1, -0.17, 0.62],
    [-1.36, -0.14, 0.5],
    [0.16, -1.02, 0.85],
    [0.3, -1.12, 0.5],
  ];
  for (const [index, [x, z, scale]] of places.entries()) {
    const one = lathe(
      [
        [0.02, 0.1],
        [0.017, 0.06],
        [0.02, 0.02],
        [0.028, -0.02],
      ],
      8,
      [0.85, 0.76, 0.66],
    );
    const cap = lathe(
      [
        [0, 0.152],
        [0.03, 0.147],
        [0.058, 0.13],
        [0.077, 0.105],
        [0.08, 0.092],
        [0.06, 0.094],
        [0.015, 0.1],
      ],
      16,
      [0.72, 0.05, 0.035],
    );
    for (let i = 0; i < cap.positions.length; i += 3) {
      const [px, py, pz] = cap.positions.slice(i, i + 3);
      const isUnder = py <= 0.1 && Math.hypot(px, pz) < 0.079;
      const isSpot = py > 0.1 && noise(px * 38 + index, py * 38, pz * 38) > 0.42;
      if (isUnder || isSpot) cap.colors.splice(i, 3, 0.9, 0.82, 0.7);
    }
    append(
      group,
      transformed(append(one, cap), {
        position: [x, groundHeight(x, z), z],
        scale,
        rotation: eulerRotation(0.12 * (index - 2), 0, 0.1 * ((index % 3) - 1)),
      }),
    );
  }
  return group;
}

/** Returns places of plants anywhere except on the path, fewer towards the coast. */
export function scatter(what, count) {
  const isGrass = what === 'grass';
  const random = createRandom(isGrass ? 71 : 73);
  const places = [];
  while (places.length < count) {
    const [angle, share] = [random.between(0, 2 * Math.PI), Math.sqrt(random.next())];
    const distance = coastDistance(angle) * share * 0.97;
    const [x, z] = [Math.cos(angle) * distance, Math.sin(angle) * distance];
    const density = isGrass
      ? 0.5 + 0.9 * noise(x * 1.8, z * 1.8, 13)
      : 0.25 + 1.2 * noise(x * 1.3, z * 1.3, 29);
    if (pathAmount(x, z) > 0.15 || random.next() > density) continue;
    places.push({
      position: [x, groundHeight(x, z) - 0.01, z],
      rotation: eulerRotation(
        random.between(-0.12, 0.12),
        random.between(0, 2 * Math.PI),
        random.between(-0.12, 0.12),
      ),
      scale: isGrass ? random.between(0.75, 1.5) : random.between(0.7, 1.2),
      kind: Math.min(2, Math.floor(random.next() * 3)),
    });
  }
  return places;
}
