import { truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DATABASE_FILE, openActivityStore } from "../open-sqlite.ts";
import { CALL } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";

it("reports that the log was truncated, not the transaction error that follows", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append(Array.from({ length: 300 }, (_, n) => ({ ...CALL, tool: `t${n}` })));
  await store.chains();
  truncateSync(join(dataDir, `${DATABASE_FILE}-wal`), 8192);
  await expect(store.summary({})).rejects.toMatchObject({
    code: "DATABASE_UNREADABLE",
    message: expect.stringContaining("is cut off"),
  });
  await store.close();
});
