import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readArguments } from "./arguments.ts";

const MEBIBYTE = 1024 * 1024;

it("takes standard input without the byte order mark that shells of Windows put first", async () => {
  const { text } = await readArguments("-", Readable.from([Buffer.from("\ufeff{}")]));
  expect(Buffer.from(text).toString()).toBe("{}");
});

it("reads no more of standard input than of a file", async () => {
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
