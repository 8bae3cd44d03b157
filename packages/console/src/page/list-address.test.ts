import { describe, expect, it } from "vitest";
import { listParameters, readListAddress, readSearch } from "./list-address.ts";

const NAMES = ["caller", "server"] as const;
const SORTS = ["last", "calls"] as const;

describe("a search", () => {
  it.each([
    ["alice", {}, "alice"],
    ["caller:alice", { caller: "alice" }, undefined],
    ['caller:"A B" text  more server:files', { caller: "A B", server: "files" }, "text more"],
    ["tool:x a:b", {}, "tool:x a:b"],
    ["caller: alice", {}, "caller: alice"],
    ["xcaller:alice", {}, "xcaller:alice"],
    ["constructor:x", {}, "constructor:x"],
    ["", {}, undefined],
  ])("reads %j", (text, named, q) => {
    expect(readSearch(text, NAMES)).toEqual({ named, q });
  });
});

describe("the address of a list", () => {
  it("is read as it was written", () => {
    for (const by of SORTS) {
      for (const order of ["asc", "desc"] as const) {
        const address = {
          q: "a & b",
          range: { since: "24h", until: "2026-11-30T00:00:00.000Z" },
          sorting: { by, order },
        };
        const given = Object.entries(listParameters(address, SORTS)).filter(([, value]) => value);
        const query = new URLSearchParams(given as [string, string][]).toString();
        expect(readListAddress(query, SORTS)).toEqual(address);
      }
    }
  });

  it("has defaults for what is absent or unknown", () => {
    const plain = {
      q: "",
      range: { since: "", until: "" },
      sorting: { by: "last", order: "desc" },
    };
    expect(readListAddress("", SORTS)).toEqual(plain);
    expect(readListAddress("sort=name&order=up", SORTS)).toEqual(plain);
  });
});
