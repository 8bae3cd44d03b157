import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { BodyTooLargeError, readBody } from "./body.ts";

/** A stream that delivers a body byte by byte. */
function bytes(count: number): Readable {
  function* one(): Generator<Buffer> {
    for (let n = 0; n < count; n += 1) yield Buffer.from(String(n % 10));
  }
  return Readable.from(one(), { objectMode: false, highWaterMark: 1 });
}

it("reads a body that arrives byte by byte", async () => {
  const body = Buffer.from(await readBody(bytes(10_000), 10_000));
  expect(body.toString()).toBe("0123456789".repeat(1_000));
});

it("stores a body that exceeds its limit in few parts", async () => {
  const error = await readBody(bytes(200_000), 100_000).catch((thrown: unknown) => thrown);
  if (!(error instanceof BodyTooLargeError)) throw error;
  expect(error.size).toBe(100_001);
  expect(Buffer.concat(error.parts)).toHaveLength(100_001);
  expect(error.parts.length).toBeLessThan(200);
});
