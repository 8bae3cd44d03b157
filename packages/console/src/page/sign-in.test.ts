import { describe, expect, it, vi } from "vitest";
import { describeGatewayPages, FAULTY } from "../testing/gateway.ts";
import { signIn, takeCode } from "./sign-in.ts";

describe("the code of a link", () => {
  it.each([
    ["#/activity/01M8?code=abc", "abc", "#/activity/01M8"],
    [
      "#/activity?type=tool_call&code=a-b_c&live=true",
      "a-b_c",
      "#/activity?type=tool_call&live=true",
    ],
    ["#/?code=x", "x", "#/"],
  ])("is removed from %s", (hash, code, rest) => {
    const replaceState = vi.fn();
    expect(takeCode({ hash }, { replaceState })).toBe(code);
    expect(replaceState.mock.calls).toEqual([[null, "", rest]]);
  });

  it.each(["", "#", "#/activity", "#/activity?type=tool_call", "#/activity/code=1"])(
    "is not found in %s, which stays unchanged",
    (hash) => {
      const replaceState = vi.fn();
      expect(takeCode({ hash }, { replaceState })).toBeUndefined();
      expect(replaceState).not.toHaveBeenCalled();
    },
  );

  it.each([
    [() => Response.json({ token: "t" }), { token: "t" }],
    [() => Response.json({ error: "It is used." }, { status: 403 }), { refusal: "It is used." }],
    [() => Response.json({ token: 7 }), { refusal: "The gateway refused this link." }],
    [() => new Response("<html>"), { refusal: expect.stringContaining("did not respond") }],
    [() => Promise.reject(new TypeError("down")), { refusal: expect.stringContaining("Reload") }],
  ])("never throws: %#", async (respond, found) => {
    expect(await signIn("http://localhost/", "c", async () => respond())).toEqual(found);
  });
});

describeGatewayPages("a link to the console", (console) => {
  const config = JSON.stringify({
    mcpServers: { faulty: FAULTY },
    auth: { api_key: "the-configured-key" },
  });

  it("signs in once, and leaves no code in the address, history or storage", async () => {
    const gateway = await console.start(config);
    const link = gateway.gateway.consoleLink("servers");
    const { page, found } = await console.open("about:blank");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    await page.goto(link);
    await page.getByRole("heading", { name: "faulty" }).waitFor();
    expect(page.url()).toBe(`${gateway.page}#/servers`);
    const code = link.split("code=")[1] ?? "";
    expect(sent.filter((request) => request.includes(code))).toEqual([
      `${gateway.page}api/v1/sign-in ${JSON.stringify({ code })}`,
    ]);
    const kept = await page.evaluate(() =>
      JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).toBe('[null,{},{},""]');
    await page.goBack();
    expect(page.url()).toBe("about:blank");
    // The link is used up: who finds it has nothing of it.
    const other = await console.open(link);
    await other.page.getByText("This link has been used").waitFor();
    await other.page.getByText("An API key is required").first().waitFor();
    expect(found).toEqual([]);
  });

  it("grants the role admin: it may change modes", async () => {
    const gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    const { page } = await console.open(gateway.gateway.consoleLink("servers/faulty"));
    await page.getByRole("button", { name: "Token", exact: true }).click();
    await page.getByText("Signed in until this tab is reloaded").waitFor();
    const modes = page.getByRole("form", { name: "Modes of server faulty" });
    await modes.getByLabel("input").selectOption("strict");
    await modes.getByRole("button", { name: "Save" }).click();
    await modes.getByText("Saved to the configuration").waitFor();
    expect(gateway.text()).toContain('"strict"');
  });
});
