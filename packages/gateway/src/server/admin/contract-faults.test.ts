import { compileDeclared, SchemaCache, type SchemaError } from "@touchstone/core/advanced";
import { JobThread } from "@touchstone/util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { turnsDuring, turnsOnFastClock } from "../../../../util/src/testing/turns.ts";
import { ToolContract } from "../../contracts/contract.ts";
import { ContractFaults, SchemaReadDeadline } from "./contract-faults.ts";

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
    ])(
      "finds the same on a thread as reading it here, and reads it once: %s",
      async (_what, schema) => {
        const onThread = vi.spyOn(JobThread.prototype, "run");
        onTestFinished(() => onThread.mockRestore());
        const faults = new ContractFaults();
        const here = compileDeclared({ text: schema }).error;
        for (const _time of ["first", "second"]) {
          const found = await faults.of(contract(schema));
          expect(found.map(({ code, isExternal }) => ({ code, isExternal }))).toEqual(
            here === undefined ? [] : [{ code: here.code, isExternal: here.isExternal === true }],
          );
          expect(onThread).toHaveBeenCalledTimes(1);
        }
      },
    );

    it("asks again for one that was not read to its end", async () => {
      let asked = 0;
      const fault: SchemaError = { code: "uncompilable", message: "not read", path: "" };
      const faults = new ContractFaults(() => async () => {
        asked += 1;
        return asked === 1 ? { fault, unread: "busy" } : { fault: undefined };
      });
      expect(await faults.of(contract("{}"))).toMatchObject([{ code: "uncompilable" }]);
      expect(await faults.of(contract("{}"))).toEqual([]);
      expect(await faults.of(contract("{}"))).toEqual([]);
      expect(asked).toBe(2);
    });
  });

  describe("of many schemas that take long to read", () => {
    const many = Array.from({ length: 40 }, (_, n) => contract(`{"minLength":${n}}`));
    const over: SchemaError = { code: "uncompilable", message: "took too long", path: "" };

    it("reads no more of them when the time of the request is over, and says so", async () => {
      // The timer fires although the clock has not moved: a real timer may fire a fraction of a millisecond early.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      let read = 0;
      const faults = new ContractFaults(() => () => {
        read += 1;
        return new Promise(() => {});
      });
      const once = faults.once(new SchemaReadDeadline(60_000));
      for (const each of many) {
        const asked = once.of(each);
        await vi.advanceTimersByTimeAsync(60_000);
        const [fault] = await asked;
        expect(fault).toMatchObject({ code: "uncompilable", isUnread: true });
        expect(fault?.message).toContain("repeat the request for the rest");
      }
      expect(read).toBe(1);
      // A schema that can be read without a thread is read even after the deadline.
      const short = new ContractFaults(() => ({ fault: undefined }));
      const late = new SchemaReadDeadline(0);
      expect(await short.of(contract("{}"), late)).toEqual([]);
    });

    it("counts the time of a request once if it waits for several of them", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
      onTestFinished(() => void vi.useRealTimers());
      const after = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
      const usable = { fault: undefined } as const;
      const time = new SchemaReadDeadline(100);
      const wait = (ms: number) => time.waitFor(after(ms).then(() => usable));
      const together = Promise.all([wait(60), wait(50), wait(60)]);
      await vi.advanceTimersByTimeAsync(60);
      expect(await together).toEqual([usable, usable, usable]);
      await vi.advanceTimersByTimeAsync(1_000);
      const [early, late] = [wait(39), wait(41)];
      await vi.advanceTimersByTimeAsync(41);
      expect(await early).toBe(usable);
      expect(await late).toMatchObject({ unread: "busy" });
      expect(time.isOver).toBe(true);
    });

    it("takes what was read meanwhile for the next request", async () => {
      let done: (verdict: { fault: undefined }) => void = () => {};
      const faults = new ContractFaults(() => () => new Promise((resolve) => (done = resolve)));
      const tool = contract("{}");
      expect(await faults.of(tool, new SchemaReadDeadline(1))).toMatchObject([{ isUnread: true }]);
      done({ fault: undefined });
      expect(await faults.of(tool)).toEqual([]);
    });

    it("reads one that took too long again after ten minutes, not for each request", async () => {
      let read = 0;
      let now = 0;
      const judge = () => async () => {
        read += 1;
        return { fault: over, unread: "over" as const };
      };
      const faults = new ContractFaults(judge, () => now);
      const tool = contract("{}");
      for (const [at, times] of [
        [0, 1],
        [599_999, 1],
        [600_001, 2],
      ] as const) {
        now = at;
        expect(await faults.of(tool)).toMatchObject([{ isUnread: true }]);
        expect(read).toBe(times);
      }
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
    const fault: SchemaError = { code: "too_large", message: "too large", path: "" };

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
