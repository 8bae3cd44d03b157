/** Makes a screenshot small: at most 256 colors (PNG, third edition, color type 3), which pages of few colors do not show. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MAX_COLORS = 256;

/** Yields the chunks of a PNG. */
function* chunksOf(png) {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    yield { type, data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  body.copy(made, 4);
  made.writeUInt32BE(crc32(body), body.length + 4);
  return made;
}

/** Undoes the filter of a row in place (section 9.2). */
function unfilter(type, row, above, size) {
  for (let at = 0; at < row.length; at += 1) {
    const left = at < size ? 0 : row[at - size];
    const up = above[at];
    const corner = at < size ? 0 : above[at - size];
    if (type === 1) row[at] += left;
    else if (type === 2) row[at] += up;
    else if (type === 3) row[at] += (left + up) >> 1;
    else if (type === 4) {
      const guess = left + up - corner;
      const [a, b, c] = [left, up, corner].map((each) => Math.abs(guess - each));
      row[at] += a <= b && a <= c ? left : b <= c ? up : corner;
    }
  }
}

/** Reads an 8-bit PNG without interlacing, as Chromium writes it, as one number for each pixel. */
function pixelsOf(png) {
  const chunks = [...chunksOf(png)];
  const header = chunks.find(({ type }) => type === "IHDR").data;
  const [width, height, size] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header[9] === 6 ? 4 : 3,
  ];
  const data = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((each) => each.data)),
  );
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(width * size);
  for (let y = 0; y < height; y += 1) {
    const start = y * (width * size + 1);
    const row = data.subarray(start + 1, start + 1 + width * size);
    unfilter(data[start], row, above, size);
    for (let x = 0; x < width; x += 1) {
      const at = x * size;
      pixels[y * width + x] = (row[at] << 16) | (row[at + 1] << 8) | row[at + 2];
    }
    above = row;
  }
  return { width, height, pixels };
}

const partsOf = (color) => [color >> 16, (color >> 8) & 255, color & 255];

/** Returns a palette for all colors: for each box of the median cut, its most frequent color. */
function paletteOf(counts) {
  let boxes = [[...counts]];
  while (boxes.length < MAX_COLORS) {
    const ranges = boxes.map((box) => {
      if (box.length < 2) return { weight: 0 };
      const spans = [0, 1, 2].map((part) => {
        const values = box.map(([color]) => partsOf(color)[part]);
        return Math.max(...values) - Math.min(...values);
      });
      const part = spans.indexOf(Math.max(...spans));
      const total = box.reduce((sum, [, count]) => sum + count, 0);
      return { part, weight: spans[part] * Math.sqrt(total) };
    });
    const widest = ranges.reduce(
      (best, { weight }, at) => (weight > ranges[best].weight ? at : best),
      0,
    );
    if (ranges[widest].weight === 0) break;
    const { part } = ranges[widest];
    const sorted = boxes[widest].toSorted(([a], [b]) => partsOf(a)[part] - partsOf(b)[part]);
    const middle = Math.ceil(sorted.length / 2);
    boxes = boxes.toSpliced(widest, 1, sorted.slice(0, middle), sorted.slice(middle));
  }
  return boxes.map((box) => box.reduce((best, each) => (each[1] > best[1] ? each : best))[0]);
}

function nearest(palette, color) {
  const [red, green, blue] = partsOf(color);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, [r, g, b]] of palette.entries()) {
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}

/** Returns the same image with at most 256 colors. */
export function inFewColors(png) {
  const { width, height, pixels } = pixelsOf(png);
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = paletteOf(counts);
  const parts = palette.map(partsOf);
  const places = new Map([...counts.keys()].map((color) => [color, nearest(parts, color)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x]);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(parts.flat())),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
