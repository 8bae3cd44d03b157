import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SchemaCache } from "@touchstone/core/advanced";
import { expect, it, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { ToolContract } from "./contract.ts";
import { ContractPool } from "./pool.ts";

const cache = new SchemaCache();
const contract = (name: string, schema?: string): ToolContract =>
  new ToolContract(
    schema === undefined ? { name } : { name, inputSchema: Buffer.from(schema) },
    cache,
  );

it("keeps contracts apart that differ in name or schema", () => {
  const pool = new ContractPool();
  const known = pool.shared(contract("a", "{}"));
  expect(pool.shared(contract("a", "{}"))).toBe(known);
  for (const other of [contract("b", "{}"), contract("a", "true"), contract("a")]) {
    expect(pool.shared(other)).toBe(other);
  }
});

it("releases contracts that no list uses anymore", long, async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const pool = new ContractPool();
  const kept = pool.shared(contract("kept"));
  for (let i = 0; i < 1_000; i += 1) pool.shared(contract(`t${i}`, `{"minLength":${i}}`));
  await vi.waitFor(() => {
    gc();
    expect(pool.size).toBe(1);
  }, 20_000);
  expect(pool.shared(contract("kept"))).toBe(kept);
});
