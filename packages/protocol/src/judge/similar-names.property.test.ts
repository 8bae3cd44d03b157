import { encodeUtf8, runSteps } from "@touchstone/core/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { nearNames, objectsWithOtherMembers } from "./similar-names.ts";

const NEAR = [
  "Name",
  "name\0",
  "na_me",
  "NAME\0\0",
  "Arguments",
  "argumentſ",
  "TaskId",
  "tas\u212aId",
];
const OTHER = ["x", "names", "n", "argument", "_", "urı2", "meta", "Ｎame"];
const OWN = ["name", "arguments", "uri", "cursor", "_meta"];

const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom({}, [], "", 0));
const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...NEAR, ...OTHER, ...OWN), value), {
  selector: ([key]) => key,
  maxLength: 6,
});
const space = fc.constantFrom("", "", "", " ", "\n\t  ");

const escaped = (key: string, how: number): string =>
  how === 0 && key !== ""
    ? `"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${JSON.stringify(key.slice(1)).slice(1)}`
    : JSON.stringify(key);

it("finds a name that is nearly another one's, however the message is written", () => {
  fc.assert(
    fc.property(members, space, space, fc.nat({ max: 9 }), (entries, before, after, how) => {
      const written = entries.map(
        ([key, given]) => `${before}${escaped(key, how)}${after}:${before}${JSON.stringify(given)}`,
      );
      const params = `{${written.join(`${after},`)}${before}}`;
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      const frame = readFrame(encodeUtf8(text));
      const found = runSteps(nearNames(frame, undefined, objectsWithOtherMembers(frame)));
      const isNear = entries.some(([key]) => NEAR.includes(key));
      expect(found.map(({ path }) => path)).toEqual(isNear ? ["/params"] : []);
    }),
    { numRuns: 2_000 },
  );
});
