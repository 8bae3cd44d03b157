import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "../../../util/src/log.ts";
import { type AdminGateway, startAdminGateway } from "../server/admin/testing/admin-gateway.ts";
import { initialize, post, request } from "../testing/http.ts";
import { TWICE_SERVER } from "../testing/twice-server.ts";
import { RepeatedToolsLog } from "./contract-catalogue.ts";

let touchstone: AdminGateway | undefined;
afterEach(() => touchstone?.close());

const TEXT = JSON.stringify({
  mcpServers: { twice: TWICE_SERVER },
  protocol_validation: { mode: "off" },
});

describe("a tool that is listed on two pages", () => {
  const call = request(1, "tools/call", { name: "same", arguments: { n: "text" } });

  it("is logged once and checked by its last definition", async () => {
    touchstone = await startAdminGateway(TEXT, { overrides: { inputMode: "strict" } });
    for (const _ of [1, 2]) {
      const url = touchstone.url("twice");
      const answer = await post(url, call, await initialize(url));
      expect(answer.text).toContain("/n: must be an integer");
    }
    expect(touchstone.lines.filter((line) => line.includes("more than once"))).toEqual([
      "touchstone warn: the server lists tools more than once; the last declaration of each counts server=twice tools=same\n",
    ]);
    const { body } = await touchstone.get("servers/twice");
    expect(body).toMatchObject({
      contracts: [
        { tool: "other", repeated: false },
        { tool: "same", repeated: true },
      ],
    });
  });

  it("is a protocol fault of the message that repeats it", async () => {
    touchstone = await startAdminGateway(TEXT.replace('"off"', '"warn"'));
    const url = touchstone.url("twice");
    await post(url, call, await initialize(url));
    const [decision] = await touchstone.records({ type: "policy_decision", direction: "protocol" });
    expect(decision).toMatchObject({
      decision: "warning",
      issues: [{ path: "/result/tools/0/name", message: expect.stringContaining("earlier page") }],
    });
  });
});

it("is logged again for other tools", () => {
  const lines: string[] = [];
  const told = new RepeatedToolsLog(
    "s",
    createLogger((line) => lines.push(line), "info"),
  );
  const many = Array.from({ length: 12 }, (_, n) => `t${String(n).padStart(2, "0")}`);
  for (const names of [[], ["a"], ["a"], [], ["b", "a"], ["a", "b"], ["a"], many]) {
    told.tell(new Set(names));
  }
  expect(lines.map((line) => /tools=(.*)/.exec(line)?.[1])).toEqual([
    "a",
    '"a, b"',
    expect.stringMatching(/^"t00, .*, t09 and 2 more"$/),
  ]);
});
