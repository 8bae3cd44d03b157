import type { Rollout } from "@touchstone/gateway/api";
import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  callRolloutTools,
  ROLLOUT_STATES_SEEN,
  rolloutConfig,
  shownStates,
} from "../../../gateway/src/insight/rollout/testing/rollout-states.ts";
import { describeGatewayPages, type ServedGateway } from "../testing/gateway.ts";

describeGatewayPages("the states of a rollout", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(rolloutConfig());
    await callRolloutTools(gateway);
  }, 60_000);

  it("are the same in the API and in the console", long, async () => {
    const { body } = await gateway.get("activity/rollout");
    const { tools } = body as Rollout;
    const answered = tools.map(({ tool, input, output, protocol }) => [
      tool,
      [input.text, output.text, protocol.text],
    ]);
    expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(ROLLOUT_STATES_SEEN));

    const { page, found } = await console.open(`${gateway.page}#/rollout`);
    const table = page.getByRole("table", { name: "Readiness of each tool" });
    await table.getByText("no such tool").first().waitFor();
    for (const [tool, states] of ROLLOUT_STATES_SEEN) {
      const row = table.getByRole("row", { name: new RegExp(`^${tool} s `) });
      const texts = await row.locator("[data-state]").allInnerTexts();
      expect([tool, texts]).toEqual([tool, shownStates(states)]);
    }
    await table
      .getByRole("row", { name: /^narrowed s / })
      .getByText("policy or pin in warn: 1 call")
      .waitFor();
    expect(found).toEqual([]);
  });
});
