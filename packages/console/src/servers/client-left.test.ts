import { lintFor, type ProviderName } from "@touchstone/protocol/lint";
import { beforeAll, expect, it } from "vitest";
import { sample } from "../../../core/src/testing/sample.ts";
import { TOOLS_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { initialize, post, request } from "../../../gateway/src/testing/http.ts";
import { describeGatewayPages, type ServedGateway } from "../testing/gateway.ts";

type Tool = (typeof TOOLS)[number];

const N = { n: { type: "integer" } };
/** From a tool that every client accepts to tools that some clients refuse in any form. */
const TOOLS = [
  {
    name: "closed",
    inputSchema: { type: "object", properties: N, required: ["n"], additionalProperties: false },
  },
  { name: "open", inputSchema: { type: "object", properties: N, required: ["n"] } },
  {
    name: "bounded",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", minLength: 2, format: "uuid" } },
      required: ["text"],
      additionalProperties: false,
    },
  },
  {
    name: "tree",
    inputSchema: {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" } } } },
    },
  },
];
const CLIENTS = sample<readonly ProviderName[]>(
  ["openai-strict", "anthropic"],
  ["openai-strict", "anthropic", "openai", "gemini-openapi", "vscode"],
);

describeGatewayPages("what adapt leaves over", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    const entry = {
      command: process.execPath,
      args: [TOOLS_SERVER, JSON.stringify({ tools: TOOLS })],
    };
    const servers = CLIENTS.map((client) => [
      client,
      { ...entry, touchstone: { adapt: { for: [client] } } },
    ]);
    gateway = await console.start(
      JSON.stringify({ mcpServers: { ...Object.fromEntries(servers), nobody: entry } }),
    );
  }, 60_000);

  async function listed(server: string): Promise<readonly Tool[]> {
    const url = gateway.url(server);
    const { messages } = await post(url, request("list", "tools/list"), await initialize(url));
    return messages.flatMap((text) => JSON.parse(text).result?.tools ?? []);
  }

  it("is shown for each client as it objects to what it gets", async () => {
    const { page, found } = await console.open(`${gateway.page}#/servers`);
    const refused: Record<string, readonly string[]> = {};
    for (const client of CLIENTS) {
      const tools = await listed(client);
      expect(tools).toHaveLength(TOOLS.length);
      await page.goto(`${gateway.page}?${client}#/servers/${client}?view=client`);
      await page.getByText(`Compared with the rules of ${client}.`).waitFor();
      const names: string[] = [];
      for (const tool of tools) {
        const item = page.locator("li", {
          has: page.getByRole("link", { name: tool.name, exact: true }),
        });
        const objections = lintFor([tool], [client]);
        const errors = objections.filter(({ severity }) => severity === "error").length;
        if (errors > 0) names.push(tool.name);
        const shown = item.getByRole("list", { name: "What the client objects to" });
        const texts = await shown.getByRole("listitem").allInnerTexts();
        expect([client, tool.name, texts.length]).toEqual([client, tool.name, objections.length]);
        const badge = errors > 0 ? "refused" : objections.length > 0 ? "may be refused" : undefined;
        const words = await item.locator("p").first().innerText();
        if (badge !== undefined) expect(words).toContain(badge);
        else expect(words).toMatch(/the same|changed/);
        // "The same" is shown only for a tool that the client receives as the server wrote it, and accepts.
        if (words.includes("the same")) expect(TOOLS).toContainEqual(tool);
      }
      refused[client] = names;
      await page.getByText(`; ${names.length} still refused by the client.`).waitFor();
    }
    // Otherwise none of this would have been tested.
    expect(Object.values(refused).some((names) => names.length > 0)).toBe(true);
    expect(Object.values(refused).some((names) => names.length === 0)).toBe(true);
    await listed("nobody");
    await page.goto(`${gateway.page}?nobody#/servers/nobody?view=client`);
    await page.getByText("Not compared with any client's rules").waitFor();
    await page.getByText("as the server wrote it", { exact: true }).first().waitFor();
    expect(await page.getByText("the same", { exact: true }).count()).toBe(0);
    expect(found).toEqual([]);
  });
});
