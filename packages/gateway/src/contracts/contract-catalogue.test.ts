import { SchemaCache } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { ToolContract } from "./contract.ts";
import { ContractCatalogue } from "./contract-catalogue.ts";

const cache = new SchemaCache();
const contract = (name: string, schema: string): ToolContract =>
  new ToolContract({ name, inputSchema: Buffer.from(schema) }, cache);
const scope = (revision: string, authorization = "") => ({ server: "s", revision, authorization });

function listed(catalogue: ContractCatalogue): string[] | undefined {
  return catalogue
    .all()
    ?.map((known) => `${known.contract.name} ${known.revision} ${known.learnedAt.getTime()}`);
}

describe("ContractCatalogue", () => {
  it("distinguishes no list from an empty list", () => {
    const catalogue = new ContractCatalogue();
    expect(catalogue.all()).toBeUndefined();
    catalogue.learn(scope(""), [], true);
    expect(catalogue.all()).toEqual([]);
  });

  it("keeps the newest list per scope and the time each contract was first seen", () => {
    let time = 1;
    const catalogue = new ContractCatalogue(() => new Date(time));
    catalogue.learn(
      scope("B"),
      [contract("y", "{}"), contract("x", "{}"), contract("gone", "{}")],
      true,
    );
    time = 2;
    catalogue.learn(scope("B"), [contract("x", "{}"), contract("y", "true")], true);
    catalogue.learn(scope("A"), [contract("x", "{}")], true);
    expect(listed(catalogue)).toEqual(["x A 2", "x B 1", "y B 2"]);
  });

  it("adds the tools of an incomplete list", () => {
    const catalogue = new ContractCatalogue(() => new Date(1));
    catalogue.learn(scope("A"), [contract("x", "{}"), contract("y", "{}")], true);
    catalogue.learn(scope("A"), [contract("z", "{}")], false);
    expect(listed(catalogue)).toEqual(["x A 1", "y A 1", "z A 1"]);
  });

  it("shows identical tools from several lists once", () => {
    let time = 1;
    const catalogue = new ContractCatalogue(() => new Date(time++));
    catalogue.learn(scope("A", "me"), [contract("x", "{}"), contract("y", "{}")], true);
    catalogue.learn(scope("A", "you"), [contract("x", "{}"), contract("y", "true")], true);
    expect(listed(catalogue)).toEqual(["x A 1", "y A 1", "y A 2"]);
  });

  it("forgets the oldest of many lists", () => {
    const catalogue = new ContractCatalogue();
    for (let n = 0; n < 50; n += 1)
      catalogue.learn(scope("A", String(n)), [contract(`t${n}`, "{}")], true);
    expect(catalogue.all()).toHaveLength(20);
    expect(listed(catalogue)?.join()).not.toContain("t0 ");
  });
});
