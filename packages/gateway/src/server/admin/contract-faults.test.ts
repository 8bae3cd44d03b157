import { compileSchema, SchemaCache, type SchemaFault } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { ToolContract } from "../../contracts/contract.ts";
import { turnsDuring, turnsOnFastClock } from "../../testing/turns.ts";
import { ContractFaults } from "./contract-faults.ts";

const cache = new SchemaCache();
const contract = (input: string, output?: string): ToolContract =>
  new ToolContract(
    {
      name: "t",
      inputSchema: Buffer.from(input),
      ...(output === undefined ? {} : { outputSchema: Buffer.from(output) }),
    },
    cache,
  );

describe("ContractFaults", () => {
  it.each([
    ["{", "invalid_json"],
    ["7", "not_a_schema"],
    ['{"type":"nonsense"}', "metaschema"],
    ['{"$schema":"https://example.com/mine"}', "unknown_dialect"],
    ['{"$ref":"#/$defs/none"}', "unresolved_reference"],
    ['{"allOf":[{"$ref":"#"}]}', "reference_loop"],
    ['{"pattern":"("}', "invalid_pattern"],
    [`{"description":"${"x".repeat(1_048_576)}"}`, "too_large"],
  ])("reports what is wrong with %.40s and how to fix it", async (schema, code) => {
    const [fault, ...more] = await new ContractFaults().of(contract("true", schema));
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ direction: "output", code });
    expect(fault?.message.length).toBeGreaterThan(5);
    expect(fault?.message.length).toBeLessThanOrEqual(1_000);
    expect(fault?.hint).toMatch(/^[A-Z].*\.$/);
  });

  it("finds nothing wrong with usable schemas, and reports both if both are broken", async () => {
    const faults = new ContractFaults();
    expect(await faults.of(contract('{"type":"object"}'))).toEqual([]);
    const directions = (await faults.of(contract("1", "2"))).map(({ direction }) => direction);
    expect(directions).toEqual(["input", "output"]);
  });

  describe("of a schema that takes long to read", () => {
    const wide = (count: number): string =>
      Array.from({ length: count }, (_, i) => `"p${i}":{"type":"string"}`).join();
    it.each([
      ["usable", `{"properties":{${wide(15_000)}}}`],
      ["not JSON", `{"properties":{${wide(500)}}`],
      ["unusable in one place", `{"properties":{${wide(500)}},"required":5}`],
      ["with a reference to another document", `{"properties":{${wide(500)}},"$ref":"other.json"}`],
      ["of too many parts", `{"items":{"properties":{${wide(21_000)}}}}`],
      ["short, but with a long pattern", `{"pattern":"${"(a|b)".repeat(900)}"}`],
    ])("finds the same as reading it here, while others have turns: %s", async (_what, schema) => {
      const faults = new ContractFaults();
      const here = compileSchema({ text: schema }).fault;
      const turns = await turnsDuring(async () => {
        const found = await faults.of(contract(schema));
        expect(found.map(({ code, isExternal }) => ({ code, isExternal }))).toEqual(
          here === undefined ? [] : [{ code: here.code, isExternal: here.isExternal === true }],
        );
      });
      // Starting a thread takes many turns.
      expect(turns).toBeGreaterThan(3);
      expect(await turnsDuring(() => faults.of(contract(schema)))).toBeLessThan(3);
    });

    it("asks again for one that was not read to its end", async () => {
      let asked = 0;
      const fault: SchemaFault = { code: "uncompilable", message: "not read", path: "" };
      const faults = new ContractFaults(async () => {
        asked += 1;
        return asked === 1 ? { fault, isOpen: true } : { fault: undefined };
      });
      expect(await faults.of(contract("{}"))).toMatchObject([{ code: "uncompilable" }]);
      expect(await faults.of(contract("{}"))).toEqual([]);
      expect(await faults.of(contract("{}"))).toEqual([]);
      expect(asked).toBe(2);
    });
  });

  it("lets other tasks take their turn while it reads many schemas", async () => {
    const faults = new ContractFaults();
    const many = Array.from({ length: 2_000 }, (_, n) =>
      contract(JSON.stringify({ properties: { [`p${n}`]: { type: "string", minLength: n } } })),
    );
    const turns = await turnsDuring(async () => {
      for (const each of many) await faults.of(each);
    });
    expect(turns).toBeGreaterThan(2);
  });

  it("lets other tasks take their turn between thousands of known schemas", async () => {
    const faults = new ContractFaults();
    const known = contract("1");
    await faults.of(known);
    const turns = await turnsOnFastClock(1, async () => {
      for (let i = 0; i < 200; i += 1) await faults.of(known);
    });
    expect(turns).toBeGreaterThan(10);
  });

  describe("if a schema cannot be used", () => {
    const fault: SchemaFault = { code: "too_large", message: "too large", path: "" };

    it("reads it once for simultaneous requests", async () => {
      let read = 0;
      const faults = new ContractFaults(() => {
        read += 1;
        return { fault };
      });
      const many = Array.from({ length: 20 }, (_, n) => contract(`{"minLength":${n}}`));
      const asked = Array.from({ length: 10 }, async () => {
        for (const each of many) await faults.of(each);
      });
      await Promise.all(asked);
      expect(read).toBe(many.length);
    });
  });
});
