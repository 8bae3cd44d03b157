import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { tempDir, touchstone } from "../testing/touchstone.ts";

it("exits if its reader is gone, even while input continues", long, async () => {
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

it("streams each document's result as JSON, and closes the array at the end", async () => {
  const schema = join(tempDir(), "s.json");
  writeFileSync(schema, '{"type":"string"}');
  const args = ["validate", "--jsonl", "-s", schema, "-f", "json", "-"];
  const { child, ended, seen, stdout } = touchstone(args);
  child.stdin.write("1\n");
  await seen("stdout", /"valid": false/);
  child.stdin.end('"x"\n');
  expect(await ended).toBe(1);
  const text = stdout();
  const documents = JSON.parse(text) as readonly { readonly valid: boolean }[];
  expect(documents.map(({ valid }) => valid)).toEqual([false, true]);
  expect(text).toBe(`${JSON.stringify(documents, undefined, 2)}\n`);
  const none = touchstone(args);
  none.child.stdin.end();
  expect([await none.ended, none.stdout()]).toEqual([0, "[]\n"]);
});
