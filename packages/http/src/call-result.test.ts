import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fault, ToolCallHandler, UIConfig } from "./index.ts";
import { openClient } from "./testing/client.ts";
import { DOORS, type Served } from "./testing/doors.ts";
import { post, TOOLS } from "./testing/fixtures.ts";

const text = (value: string) => ({ type: "text", text: value });
const CALL = "/tools/get_weather/call";
const GOOD = post('{"city":"Oslo"}');

describe.each(DOORS)("results in $name", ({ open }) => {
  const handleCall = vi.fn<ToolCallHandler>();
  const faults: Fault[] = [];
  let api: Served | undefined;

  beforeEach(() => {
    faults.length = 0;
    handleCall.mockReset();
    handleCall.mockResolvedValue({ content: [text("sunny")] });
  });
  afterEach(() => api?.close());

  const start = async (options: UIConfig = {}) => {
    const onFault = (fault: Fault) => void faults.push(fault);
    const given = { allowExecute: true, onFault, ...options };
    const client = await openClient(open, TOOLS, handleCall, given);
    api = client.api;
    return (path: string, init: RequestInit = GOOD) => client.send(path, init);
  };

  it("tells nothing of the host in what a throw answers", async () => {
    const send = await start();
    handleCall.mockImplementationOnce(() => {
      const error = new Error("ENOENT: no such file, open '/home/ada/My Documents/key.pem'");
      error.message += `\n${error.stack}`;
      throw error;
    });
    const { body } = await send(CALL);
    expect(body.content[0].text).toBe(
      "ENOENT: no such file, open '[path]'\nError: ENOENT: no such file, open '[path]'",
    );
  });

  it.each([
    ["undefined", undefined],
    ["a string", "sunny"],
    ["no content", { isError: false }],
    ["content that is no list", { content: "sunny" }],
    ["content without types", { content: [{ text: "sunny" }] }],
    ["an empty tuple", []],
    ["a bigint", { content: [], structuredContent: 1n }],
    [
      "a getter that throws",
      {
        get content() {
          throw new Error("no");
        },
      },
    ],
  ])("answers a tool error where the handler gives %s", async (_, outcome) => {
    const send = await start();
    handleCall.mockResolvedValueOnce(outcome as never);
    const { status, body } = await send(CALL);
    expect([status, body.isError]).toEqual([500, true]);
    expect(body.content[0].text).toMatch(/^The tool gave no valid result: ./);
    expect(faults.map(({ code }) => code)).toEqual(["bad_result"]);
  });
});
