import { expect, it } from "vitest";
import type { ConsoleSession, SessionStore } from "../../../../records/src/session-store.ts";
import { createLogger } from "../../../../util/src/log.ts";
import { parseConfig } from "../../config/load.ts";
import { grantOf } from "./grants.ts";
import { Sessions } from "./sessions.ts";

const KEY = "key-of-vera-viewer";
const CONFIG = parseConfig(JSON.stringify({ auth: { keys: [{ name: "vera", key: KEY }] } }), {
  file: "touchstone.json",
  env: {},
});

it("lists a thousand sessions in many turns of the event loop", async () => {
  const rows: ConsoleSession[] = [];
  const store = {
    add: async (session: ConsoleSession) => {
      rows.push(session);
      return [];
    },
    all: async () => rows,
  } as Partial<SessionStore> as SessionStore;
  const sessions = new Sessions({
    store,
    config: () => CONFIG,
    providers: { shown: () => [], rightsOf: () => undefined },
    log: createLogger(() => {}, "error"),
  });
  const grant = grantOf(CONFIG, KEY);
  if (grant === undefined) throw new Error("the key is unknown");
  for (let i = 0; i < 1_000; i += 1) await sessions.open(grant);
  let turns = 0;
  let isListed = false;
  const count = (): void => {
    turns += 1;
    if (!isListed) setImmediate(count);
  };
  setImmediate(count);
  const all = await sessions.all();
  isListed = true;
  expect(all.length).toBe(1_000);
  expect(turns).toBeGreaterThan(40);
});
