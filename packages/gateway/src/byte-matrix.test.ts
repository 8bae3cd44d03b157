import { expect, it } from "vitest";
import { casesOf, runSession, SETTINGS } from "./testing/byte-matrix/run.ts";

const WHOLE = process.env["BYTE_MATRIX"] === "whole";

/**
 * Every fourth setting, so that each mode, revision and transport is met, with a third of the cases,
 * each time another one. All: `npm run full:bytes`.
 */
const SESSIONS = SETTINGS.filter((_, index) => WHOLE || index % 4 === 0).map((setting, turn) => ({
  ...setting,
  cases: casesOf(setting).filter((_, index) => WHOLE || index % 3 === turn % 3),
}));

it.each(SESSIONS)(
  "$mode, $revision, $transport: returns results byte for byte",
  async (setting) => {
    expect(await runSession(setting, casesOf(setting))).toEqual([]);
  },
);
