import { describe, expect, it } from "vitest";
import { DOORS } from "./testing/doors.ts";
import { CALL, execution } from "./testing/execution.ts";

describe.each(DOORS)("results in $name", ({ open }) => {
  const { faults, handleCall, start } = execution(open);

  it("reveals nothing about the host when a handler throws", async () => {
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

  it("returns the texts of members unchanged", async () => {
    const send = await start();
    const content = '[ {"type":"text","text":"\\u0041","annotations":{"priority":1.0}} ]';
    const structuredContent = '{"n":9007199254740993,"__proto__":1.0}';
    handleCall.mockResolvedValueOnce({
      content: JSON.parse(content),
      structuredContent: JSON.parse(structuredContent),
      texts: { content, structuredContent },
    });
    const { text } = await send(CALL);
    const answer = `{"content":${content},"isError":false,"structuredContent":${structuredContent}}`;
    expect(text).toBe(answer);
  });

  it("ignores a text without its member", async () => {
    const send = await start();
    const texts = { structuredContent: "5" };
    handleCall.mockResolvedValueOnce({ content: [], texts });
    expect((await send(CALL)).body).toEqual({ content: [], isError: false });
  });

  it.each([
    ["undefined", undefined],
    ["a string", "sunny"],
    ["no content", { isError: false }],
    ["content that is not a list", { content: "sunny" }],
    ["content without types", { content: [{ text: "sunny" }] }],
    ["an empty tuple", []],
    ["a text that is not JSON", { content: [], texts: { content: '[],"isError":true' } }],
    ["a text that is none", { content: [], texts: { structuredContent: 5 } }],
    ["a bigint", { content: [], structuredContent: 1n }],
    [
      "a getter that throws",
      {
        get content() {
          throw new Error("no");
        },
      },
    ],
  ])("returns a tool error if the handler returns %s", async (_, outcome) => {
    const send = await start();
    handleCall.mockResolvedValueOnce(outcome as never);
    const { status, body } = await send(CALL);
    expect([status, body.isError]).toEqual([500, true]);
    expect(body.content[0].text).toMatch(/^The tool returned no valid result: ./);
    expect(faults.map(({ code }) => code)).toEqual(["bad_result"]);
  });
});
