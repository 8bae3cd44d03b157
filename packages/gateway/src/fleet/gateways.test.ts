import { expect, it } from "vitest";
import { compareGateways, type KnownGateway } from "./gateways.ts";

const gateway = (host: string, configuration: string, silent = false): KnownGateway => ({
  id: host,
  host,
  configuration,
  version: "1",
  listen: "127.0.0.1:1",
  startedAt: "2026-08-31T12:00:00.000Z",
  seenAt: "2026-08-31T12:00:00.000Z",
  state: silent ? "silent" : "running",
});

const TABLE: [string, KnownGateway[], { differing: string[]; majority: string | null }][] = [
  ["none", [], { differing: [], majority: null }],
  ["all alike", [gateway("b", "x"), gateway("a", "x")], { differing: [], majority: "x" }],
  [
    "one that differs",
    [gateway("c", "x"), gateway("a", "y"), gateway("b", "x")],
    { differing: ["a"], majority: "x" },
  ],
  [
    "most with another one than asked",
    [gateway("a", "y"), gateway("b", "y"), gateway("c", "x")],
    { differing: ["a", "b"], majority: "y" },
  ],
  ["half and half", [gateway("a", "x"), gateway("b", "y")], { differing: ["b"], majority: null }],
  [
    "a silent one does not count",
    [gateway("a", "x"), gateway("b", "y", true)],
    { differing: [], majority: "x" },
  ],
];

it.each(TABLE)("%s", (_, gateways, expected) => {
  const fleet = compareGateways(gateways, "x");
  const differing = fleet.gateways.filter(({ differs }) => differs).map(({ host }) => host);
  expect({ differing, majority: fleet.majority }).toEqual(expected);
  expect(fleet.gateways.map(({ host }) => host)).toEqual(gateways.map(({ host }) => host).sort());
});
