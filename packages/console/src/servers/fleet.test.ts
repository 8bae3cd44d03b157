import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fleetText, readFleet } from "./fleet.ts";

const gateway = (id: string, configuration: string, more: object = {}) => ({
  ...{ id, host: "h", listen: "127.0.0.1:1", version: "0.1.0", configuration },
  ...{ state: "running", startedAt: "2026-01-01T00:00:00Z", seenAt: "2026-01-01T00:00:10Z" },
  ...{ differs: configuration !== "sha256:a", ...more },
});
const fleet = (majority: string | null, ...gateways: readonly object[]) =>
  readFleet({ shared: true, configuration: "sha256:a", majority, gateways });
const text = (...given: Parameters<typeof fleet>): string => {
  const read = fleet(...given);
  return read === undefined ? "none" : fleetText(read);
};

describe("gateways that share a store", () => {
  it("need an id and a host", () => {
    expect(fleet(null, gateway("1", "sha256:a"), { id: "2" })?.gateways).toEqual([
      gateway("1", "sha256:a"),
    ]);
  });

  it("are empty if no store is shared", () => {
    expect(readFleet({ shared: false, gateways: [] })).toBeUndefined();
    fc.assert(fc.property(fc.jsonValue(), (value) => void readFleet(value)));
    fc.assert(
      fc.property(fc.jsonValue(), (gateways) => {
        const read = readFleet({ shared: true, gateways });
        expect(typeof (read === undefined ? "" : fleetText(read))).toBe("string");
      }),
    );
  });

  it("are summarized in a sentence", () => {
    const same = gateway("1", "sha256:a");
    const other = gateway("2", "sha256:b");
    const silent = gateway("3", "sha256:c", { state: "silent", differs: false });
    expect(text("sha256:a", same)).toBe(
      "1 gateway runs with this activity store, with one configuration.",
    );
    expect(text("sha256:a", same, same, other, silent)).toBe(
      "3 gateways run with this activity store, 1 of them with another configuration than this one.",
    );
    expect(text("sha256:b", same, other, other)).toMatch(/this one may need a fix/);
  });
});
