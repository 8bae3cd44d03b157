import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../document.ts";
import { near } from "../testing/near.ts";
import { FILE } from "./keys.ts";
import { shapeOfFile } from "./shape.ts";

it("takes what its schema takes, and tells of all else", () => {
  const validate = new Ajv2020({ strict: false }).compile(FILE.schema);
  let taken = 0;
  fc.assert(
    fc.property(near(FILE.schema), (value) => {
      const shaped = shapeOfFile(value as JsonValue);
      expect("value" in shaped).toBe(validate(value));
      if ("value" in shaped) taken += 1;
      else expect(shaped.issues.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(0);
});
