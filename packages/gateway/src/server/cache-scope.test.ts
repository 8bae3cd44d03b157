import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { type HttpUpstreamServer, modern, post, startHttpUpstream } from "../testing/http.ts";

const TOOLS = ["read", "write"].map((name) => ({ name, inputSchema: { type: "object" } }));
const [ALL, SOME] = ["a-key-that-may-use-all-tools", "a-key-that-may-use-one-tool"];
/** Two keys: one that may use all tools, and one that may not. */
const DIFFERENT = {
  keys: [
    { name: "all", key: ALL },
    { name: "some", key: SOME, tools: ["read"] },
  ],
};
const EQUAL = { keys: [{ name: "all", key: ALL }] };

let web: HttpUpstreamServer;
beforeAll(async () => {
  web = await startHttpUpstream(({ body }, response) => {
    const list = { tools: TOOLS, resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: list }));
  });
});
afterAll(() => web.close());

async function listed(gateway: TestGateway, key: string): Promise<object> {
  const { body, headers } = modern("tools/list");
  const authorization = `Bearer ${key}`;
  const answer = await post(gateway.url("s"), body, { ...headers, authorization });
  const { result } = JSON.parse(answer.text);
  return { tools: result.tools.map(({ name }: { name: string }) => name), ...scope(result) };
}
const scope = ({ cacheScope }: { readonly cacheScope?: string }): object => ({ cacheScope });

it.each([
  ["of a caller with all tools, if others have fewer", { auth: DIFFERENT }, ALL, 2, "private"],
  ["of a caller with fewer tools", { auth: DIFFERENT }, SOME, 1, "private"],
  [
    "of the API key, if callers have fewer tools",
    { auth: { ...DIFFERENT, api_key: "a-key-for-everybody" } },
    "a-key-for-everybody",
    2,
    "private",
  ],
  ["that policy shortens", { auth: EQUAL, policy: { deny_tools: ["write"] } }, ALL, 1, "private"],
  [
    "that policy would shorten in strict",
    { auth: EQUAL, policy: { mode: "warn", deny_tools: ["write"] } },
    ALL,
    2,
    "public",
  ],
  ["that all callers share", { auth: EQUAL }, ALL, 2, "public"],
])("a list %s has the scope that its callers allow", async (_, config, key, tools, cacheScope) => {
  const gateway = await startTestGateway({ ...config, mcpServers: { s: { url: web.url } } });
  try {
    const names = ["read", "write"].slice(0, tools);
    expect(await listed(gateway, key)).toEqual({ tools: names, cacheScope });
  } finally {
    await gateway.close();
  }
});
