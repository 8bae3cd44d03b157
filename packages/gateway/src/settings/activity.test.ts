import { expect, it } from "vitest";
import { parseConfig } from "../config/load.ts";
import { DEFAULT_ACTIVITY, fewerKeptBodies } from "./activity.ts";

const LAN = { address: "0.0.0.0:0" };
const HERE = "127.0.0.1:0";
const STORE = "postgres://h/d";
const auth = { api_key: "key-of-16-letters" };

it.each([
  [{}, undefined, "failed"],
  [{ listen: { address: "[::1]:0" } }, undefined, "failed"],
  [{ listen: { address: "localhost:0" } }, undefined, "failed"],
  [{ listen: LAN, auth }, undefined, false],
  [{ listen: LAN, auth }, HERE, "failed"],
  [{ listen: { address: HERE }, auth }, "[::]:0", false],
  [{ auth }, "gateway.example:0", false],
  [{ activity: { store: STORE } }, undefined, false],
  [{ activity: { store: STORE, bodies: "failed" } }, undefined, "failed"],
  [{ listen: LAN, auth, activity: { bodies: "failed" } }, undefined, "failed"],
  [{ listen: LAN, auth, activity: { bodies: true } }, undefined, "all"],
  [{ activity: { bodies: "all" } }, undefined, "all"],
  [{ activity: { bodies: true } }, undefined, "all"],
  [{ activity: { bodies: false } }, undefined, false],
])("of %j and --listen %s, records keep the bodies of %s", (file, listen, expected) => {
  const { activity } = parseConfig(JSON.stringify(file), {
    ...{ file: "t.json", env: {} },
    overrides: listen === undefined ? {} : { listen },
  });
  expect(activity.bodies).toBe(expected);
});

it("keeps the arguments of failed calls without a file", () => {
  expect(DEFAULT_ACTIVITY.bodies).toBe("failed");
});

it.each(["none", "", 1, null, ["failed"]])("refuses %j", (bodies) => {
  const parse = () =>
    parseConfig(JSON.stringify({ activity: { bodies } }), { file: "t.json", env: {} });
  expect(parse).toThrow(/bodies/);
});

it.each([
  [false, "all", false],
  ["failed", "all", "failed"],
  ["failed", false, false],
  ["all", "all", "all"],
] as const)("of %s and %s, %s keeps less", (one, other, less) => {
  expect([fewerKeptBodies(one, other), fewerKeptBodies(other, one)]).toEqual([less, less]);
});
