import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  type Calls,
  expectOneRecordEach,
  expectSameBytes,
  through,
} from "../testing/conversation.ts";
import { describeSdks } from "../testing/sdk-clients.ts";
import { FAULTY_SERVER } from "../testing/touchstone.ts";

const FAULTY: Calls = {
  get_weather: [{ city: "Rome" }, { city: "Berlin" }],
  lookup_order: { number: "1" },
  list_contacts: {},
  update_contact: { id: "1", email: "a@b.example" },
  deep_report: { depth: 60 },
  big_report: { bytes: 200_000 },
  fail: {},
  echo: { any: ["thing"] },
  broken_schema: {},
};

describeSdks("v1", (sdk) => {
  it("lists and calls every tool of the faulty server, bytes unchanged in warn", long, async () => {
    const talk = await through(sdk, [FAULTY_SERVER], FAULTY);
    // The v1 client refuses a whole page if it cannot compile one of its schemas.
    const shown = Object.keys(FAULTY).filter((name) => sdk !== "v1" || name !== "broken_schema");
    expect(talk.tools).toEqual(shown);
    expectSameBytes(talk);
    expectOneRecordEach(talk);
    const verdicts = talk.records
      .filter(({ type }) => type === "policy_decision")
      .map(({ tool, direction, decision }) => `${tool} ${direction} ${decision}`);
    expect(verdicts).toEqual([
      "get_weather output warning",
      "lookup_order protocol warning",
      "update_contact output warning",
    ]);
    const client = talk.records.find(({ type }) => type === "tool_call")?.client;
    expect(client).toBe("sdk/1");
  });

  it("reads why a call or a result is over its limit", async () => {
    const calls = { get_weather: [{ city: "Oslo" }, { city: "Oslo" }], big_report: { bytes: 900 } };
    const tools = {
      get_weather: { limits: { calls_per_minute: 1 } },
      big_report: { limits: { result_bytes: 500 } },
    };
    const { results, records } = await through(sdk, [FAULTY_SERVER], calls, { tools });
    const told = (text: string): object => ({
      result: { isError: true, content: [{ text: expect.stringContaining(text) }] },
    });
    expect(results.get("get_weather")).toMatchObject([
      { result: { content: [{ text: expect.stringContaining("Oslo") }] } },
      told("1 calls per minute of this tool is reached (limits.calls_per_minute); try again in"),
    ]);
    expect(results.get("big_report")).toMatchObject([told("over the limit of 500 bytes of this")]);
    const made = records.filter(({ type }) => type === "tool_call");
    expect(made.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
      "get_weather success",
      "get_weather limited",
      "big_report limited",
    ]);
  });
});
