import { compileDeclared } from "@touchstone/core/advanced";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SCHEMA } from "../settings/schema.ts";
import { FILE_SCHEMA } from "../settings/sections.ts";
import { checkFile } from "./check.ts";
import type { JsonObject } from "./document.ts";
import { FaultList } from "./fault-list.ts";
import { near } from "./testing/near.ts";

it("the schema accepts an empty file and uses all its definitions", () => {
  const schema = compileDeclared({ value: SCHEMA });
  expect([schema.error, schema.warnings]).toEqual([undefined, []]);
  expect(schema.isValid({})).toBe(true);
  const used = [...JSON.stringify(SCHEMA).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
  expect(new Set(used)).toEqual(new Set(Object.keys(SCHEMA.$defs)));
});

it("reports the same faults as Ajv", () => {
  const validate = new Ajv2020({ strict: false }).compile(SCHEMA);
  let taken = 0;
  fc.assert(
    fc.property(near(FILE_SCHEMA), (value) => {
      fc.pre(typeof value === "object" && value !== null && !Array.isArray(value));
      const file = value as JsonObject;
      const faults = new FaultList("t.json", "{}");
      const { found } = checkFile({ value: file, written: file }, faults);
      expect(found.length === 0).toBe(validate(file));
      if (found.length === 0) taken += 1;
      else expect(() => faults.throwIfAny()).toThrow();
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(0);
});
