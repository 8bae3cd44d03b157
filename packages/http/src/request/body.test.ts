import { expect, it } from "vitest";
import { readChunks } from "./body.ts";

it("copies chunks of a body that arrives byte by byte", async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([0]);
    const same = new Uint8Array(1);
    for (let n = 1; n < 10_000; n += 1) {
      same[0] = n % 10;
      yield same;
    }
  }
  const body = await readChunks(chunks(), 10_000);
  const expected = Uint8Array.from({ length: 10_000 }, (_, n) => n % 10);
  expect(body).toEqual({ ok: true, bytes: expected });
  expect(await readChunks(chunks(), 9_999)).toMatchObject({ ok: false, reason: "too_large" });
});

it("returns a single chunk unchanged, and an empty body as empty", async () => {
  const only = new Uint8Array([1, 2]);
  async function* chunks(of: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* of;
  }
  const whole = await readChunks(chunks([only]), 2);
  expect(whole.ok && whole.bytes.buffer).toBe(only.buffer);
  const none = { ok: true, bytes: new Uint8Array(0) };
  expect(await readChunks(chunks([]), 0)).toEqual(none);
});
