import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../../../util/src/time-slice.ts";
import { readStderr } from "./stderr-lines.ts";

/** Reads a stream to its end. @param slice the time budget for the lines */
async function linesOf(chunks: readonly Uint8Array[], slice?: TimeSlice): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  const waiting = readStderr(stream, (line) => lines.push(line), ["x"], slice);
  const ended = new Promise((end) => stream.once("end", end));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await ended;
  await waiting();
  return lines;
}

const text = (words: string): Uint8Array => Buffer.from(words);

describe("the lines of stderr", () => {
  it("are text without their ends, also the last one, and what is not UTF-8 is U+FFFD", async () => {
    const bytes = Buffer.concat([text("a\r\n\n  \nb"), Buffer.of(0xff, 0xfe), text("\n  c d \ne")]);
    expect(await linesOf([bytes])).toEqual(["a", "b\ufffd\ufffd", "  c d", "e"]);
    // Splits the text into single bytes, even within a character.
    const pieces = [...text("é\n…")].map((byte) => Buffer.of(byte));
    expect(await linesOf(pieces)).toEqual(["é", "…"]);
  });

  it("of 1 MB are cut, and the next line is whole", async () => {
    const [long = "", next] = await linesOf([text(`${"x".repeat(1_000_000)}\nnext\n`)]);
    expect(long).toBe(`${"x".repeat(16_384)}…`);
    expect(next).toBe("next");
  });

  it("come in order and let others have their turns, however many come at once", async () => {
    const count = 100_000;
    let clock = 0;
    let turns = 0;
    // Each reading of the clock takes 1 ms, so that a turn has time for few lines.
    const slice = new TimeSlice(
      () => (clock += 1),
      (next) => {
        turns += 1;
        setImmediate(next);
      },
    );
    const bytes = text(Array.from({ length: count }, (_, at) => `line ${at}\n`).join(""));
    const lines = await linesOf([bytes], slice);
    expect(lines).toHaveLength(count);
    expect(lines.every((line, at) => line === `line ${at}`)).toBe(true);
    // A turn has time for ten readings of the clock, one after every 1,024 bytes.
    expect(turns).toBeGreaterThan(bytes.length / 1_024 / 20);
  });

  it("are not read while earlier ones wait, so that nothing piles up", async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    let clock = 0;
    const held: (() => void)[] = [];
    const slice = new TimeSlice(
      () => (clock += 1),
      (next) => void held.push(next),
    );
    let seen = 0;
    readStderr(
      stream,
      () => {
        seen += 1;
      },
      ["x"],
      slice,
    );
    const flood = text("y\n".repeat(10_000));
    stream.write(flood);
    await new Promise((next) => setImmediate(next));
    const before = seen;
    expect(before).toBeLessThan(8_000);
    expect(stream.isPaused()).toBe(true);
    expect(stream.write(flood)).toBe(false);
    while (seen < 20_000) {
      for (const next of held.splice(0)) next();
      await new Promise((next) => setImmediate(next));
    }
    expect(seen).toBe(20_000);
  });
});
