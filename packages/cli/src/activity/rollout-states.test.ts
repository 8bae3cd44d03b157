import { afterAll, beforeAll, expect, it } from "vitest";
import {
  callRolloutTools,
  ROLLOUT_STATES_SEEN,
  rolloutConfig,
  shownStates,
} from "../../../gateway/src/insight/rollout/testing/rollout-states.ts";
import {
  type AdminGateway,
  startAdminGateway,
} from "../../../gateway/src/server/admin/testing/admin-gateway.ts";
import { run } from "./testing/run.ts";

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway(rolloutConfig());
  await callRolloutTools(gateway);
}, 60_000);
afterAll(() => gateway.close());

const rollout = (...args: readonly string[]) =>
  run(["rollout", "--data-dir", gateway.dataDir, "--config", gateway.file, ...args]);

it("shows the state of each direction of each tool", async () => {
  const { stdout } = await rollout();
  const blocks = stdout.split("\n\n");
  for (const [tool, states] of ROLLOUT_STATES_SEEN) {
    if (states[0] === "not checked: 0 calls") continue;
    const block = blocks.find((part) => part.startsWith(`s/${tool}: `)) ?? "";
    const lines = block.trimEnd().split("\n").slice(1);
    const texts = lines.map((line) => line.trim().replace(/^(arguments|results|protocol) +/, ""));
    expect([tool, texts]).toEqual([tool, shownStates(states)]);
  }
  expect(stdout).toContain("\nnot called: 1 listed tool\n");
});

it.each([
  ["fine", 0],
  ["plain", 0],
  ["excused", 0],
  ["bad", 1],
  ["strict", 1],
  ["denied", 1],
  ["broken_input", 1],
  ["external_output", 1],
  ["off", 3],
  ["input_off", 3],
  ["failing", 3],
  ["broken_output", 3],
  ["allows_broken", 3],
])("with --fail-on blocked exits for %s with %i", async (tool, code) => {
  expect(await rollout("--tool", tool, "--fail-on", "blocked")).toMatchObject({ code });
});

it.each([
  ["blocks_missing", 1, "results    would block 1 of 1"],
  ["missing", 0, "safe: 1 checked, 0 would be blocked"],
])(
  "judges a result without structured content by the settings of its call, without a file: %s",
  async (tool, code, text) => {
    const ended = await run([
      ...["rollout", "--data-dir", gateway.dataDir],
      ...["--tool", tool, "--fail-on", "blocked"],
    ]);
    expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining(text)]);
  },
);
