import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { tempDir, touchstone } from "../testing/touchstone.ts";

it("ends where its input does not, and nobody reads what it finds any more", async () => {
  const schema = join(tempDir(), "s.json");
  writeFileSync(schema, '{"type":"string"}');
  const { child, ended, stderr } = touchstone(["validate", "--jsonl", "-s", schema, "-"]);
  const endless = Readable.from(
    (function* () {
      for (;;) yield "1\n".repeat(10_000);
    })(),
  );
  child.stdin.on("close", () => endless.destroy());
  endless.pipe(child.stdin);
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await ended).toBe(1);
  expect(stderr()).toBe("");
});
