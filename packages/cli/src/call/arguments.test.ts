import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readArguments } from "./arguments.ts";

const MEBIBYTE = 1024 * 1024;

it("removes the byte order mark that Windows shells put before standard input", async () => {
  const { text } = await readArguments("-", Readable.from([Buffer.from("\ufeff{}")]));
  expect(Buffer.from(text).toString()).toBe("{}");
});

it("limits standard input to the size of a file", async () => {
  let pieces = 0;
  const endless = Readable.from(
    (function* () {
      for (; pieces < 1_000; pieces += 1) yield Buffer.alloc(MEBIBYTE, " ");
    })(),
  );
  await expect(readArguments("-", endless)).rejects.toMatchObject({
    code: 3,
    message: "<stdin> cannot be read: it has more than 67108864 bytes, which is the limit",
  });
  expect(pieces).toBeLessThan(100);
});
