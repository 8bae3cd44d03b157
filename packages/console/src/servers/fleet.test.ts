import type { Gateways } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { fleetText } from "./fleet.ts";

type Gateway = Gateways["gateways"][number];

const gateway = (id: string, configuration: string, more: Partial<Gateway> = {}): Gateway => ({
  ...{ id, host: "h", listen: "127.0.0.1:1", version: "0.1.0", configuration },
  ...{ state: "running", startedAt: "2026-01-01T00:00:00Z", seenAt: "2026-01-01T00:00:10Z" },
  ...{ differs: configuration !== "sha256:a", ...more },
});
const text = (majority: string | null, ...gateways: readonly Gateway[]): string =>
  fleetText({ shared: true, configuration: "sha256:a", majority, gateways });

describe("gateways that share a store", () => {
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
