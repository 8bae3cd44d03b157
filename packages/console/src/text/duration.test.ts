import { expect, it } from "vitest";
import { durationText, spanText } from "./duration.ts";

it.each([
  [0, "0.0 ms"],
  [0.04, "0.0 ms"],
  [1.26, "1.3 ms"],
  [9.94, "9.9 ms"],
  [9.96, "10 ms"],
  [14.233, "14 ms"],
  [999.4, "999 ms"],
  [999.6, "1.0 s"],
  [61_250, "61.3 s"],
])("shows %f milliseconds as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

it.each([
  [0, "0 s"],
  [59, "59 s"],
  [231, "3 min 51 s"],
  [90_061, "1 d 1 h"],
  [86_401, "1 d 1 s"],
])("shows %i seconds as %s", (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});
