import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../testing/touchstone.ts";
import { ConfigChanges } from "./config-changes.ts";

it("reports a change that came before the subscription, exactly once", async () => {
  const file = join(tempDir(), "touchstone.json");
  writeFileSync(file, "{}");
  const changes = new ConfigChanges([file], () => {});
  const noticed = new Promise<void>((resolve) => {
    const witness = new ConfigChanges([file], () => {});
    witness.takeBy(() => {
      witness.close();
      resolve();
    });
  });
  writeFileSync(file, "[]");
  await noticed;
  let taken = 0;
  await new Promise<void>((resolve) => {
    changes.takeBy(() => {
      taken += 1;
      resolve();
    });
  });
  expect(taken).toBe(1);
  changes.close();
});
