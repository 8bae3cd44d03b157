import { describe, expect, it } from "vitest";
import { type Resource, resourceOf } from "./route.ts";

describe("resourceOf", () => {
  it.each<[string, Resource | undefined]>([
    ["/api/v1/servers", { kind: "servers" }],
    ["/api/v1/servers/", { kind: "servers" }],
    ["/api/v1/settings", { kind: "settings" }],
    ["/api/v1/modes", { kind: "modes", level: {} }],
    ["/api/v1/servers/a%20b", { kind: "server", server: "a b" }],
    ["/api/v1/servers/modes/modes", { kind: "modes", level: { server: "modes" } }],
    [
      "/api/v1/servers/s/tools/a%2Fb%25/modes",
      { kind: "modes", level: { server: "s", tool: "a/b%" } },
    ],
    ["/api/v1/servers/s/tools/t", { kind: "unknown" }],
    ["/api/v1/servers/s/tools/t/modes/x", { kind: "unknown" }],
    ["/api/v1/servers/s/other", { kind: "unknown" }],
    ["/api/v1/servers/%E0%A4%A", { kind: "unknown" }],
    ["/api/v1/settings/x", { kind: "unknown" }],
    ["/api/v1/activity", undefined],
    ["/api/v1", undefined],
    ["/servers/s/", undefined],
  ])("reads %s", (path, expected) => {
    expect(resourceOf(path)).toEqual(expected);
  });
});
