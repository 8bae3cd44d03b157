import { expect, it } from "vitest";
import { progressText, readProgress } from "./progress.ts";

it.each([
  ['{"progress":2,"total":5,"message":"Copying"}', "2 of 5 · Copying"],
  ['{"progress":0.1234567,"total":1}', "0.123457 of 1"],
  ['{"progress":7}', "7"],
  ['{"progress":7,"total":0,"message":""}', "7"],
  ['{"progress":7,"total":"9","message":1}', "7"],
  ['{"progress":"7"}', undefined],
  ['{"progress":1e999}', undefined],
  ["[]", undefined],
  ["{", undefined],
])("formats %s as: %s", (data, said) => {
  const progress = readProgress(data);
  expect(progress && progressText(progress)).toBe(said);
});
