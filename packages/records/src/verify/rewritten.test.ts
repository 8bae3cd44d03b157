import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { CHAIN_START, sealRecord } from "../chain.ts";
import { DATABASE_FILE, openActivityStore } from "../open-sqlite.ts";
import { CALL } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { verifyActivity } from "./verify.ts";

it("detects with the next record that a running process's chain was rewritten", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([CALL, CALL]);
  const folded = await store.readChain(store.chain);
  const db = new Database(join(dataDir, DATABASE_FILE));
  let head = CHAIN_START;
  for (const { hash: _, prev_hash: __, ...content } of folded) {
    const sealed = sealRecord(head, { ...content, reason: "other" });
    db.prepare("UPDATE activity SET reason = 'other', hash = ?, prev_hash = ? WHERE id = ?").run([
      sealed.hash,
      head,
      sealed.id,
    ]);
    head = sealed.hash;
  }
  db.prepare("UPDATE chains SET head = ?").run([head]);
  db.close();
  expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 2 });
  const [next] = await store.append([CALL]);
  expect((await verifyActivity(store)).faults).toMatchObject([
    { kind: "unlinked", position: 2, id: next?.id },
  ]);
  await store.close();
});
