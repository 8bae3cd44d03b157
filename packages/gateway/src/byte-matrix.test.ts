import { expect } from "vitest";
import { eachOf, sample } from "../../core/src/testing/sample.ts";
import { casesOf, runSession, SETTINGS } from "./testing/byte-matrix/run.ts";

const EVERY = sample({ setting: 4, of: 3 }, { setting: 4, of: 1 }, { setting: 1, of: 1 });

/**
 * Every fourth setting, so that each mode, revision and transport occurs. In `npm test`, each setting runs a
 * different third of the cases. `npm run full:bytes` runs all of them.
 */
const SESSIONS = SETTINGS.filter((_, index) => index % EVERY.setting === 0).map(
  (setting, turn) => ({
    ...setting,
    cases: casesOf(setting).filter((_, index) => index % EVERY.of === turn % EVERY.of),
  }),
);

// `npm test` covers each mode and transport, and the oldest and newest revision.
eachOf(SESSIONS, (_, index) => [0, 5, 7, 10].includes(index))(
  "$mode, $revision, $transport: returns results byte for byte",
  async ({ cases, ...setting }) => {
    expect(await runSession(setting, cases)).toEqual([]);
  },
);
