import { expect, it } from "vitest";
import { parseConfig } from "../config/load.ts";
import { stillBlocking, stillBlockingText } from "./still-blocking.ts";

const server = (touchstone: object) => ({ command: "c", touchstone });
const KEY = (letter: string) => letter.repeat(20);
const TOKENS = { issuer: "https://i.example", audience: "a", jwks_url: "https://i.example/keys" };
const narrow = { properties: { a: { maximum: 3 } } };

it.each<[string, object, object, string]>([
  ["nothing", { mcpServers: { a: server({}) } }, {}, "no policy, narrow, pin, limit of calls"],
  [
    "policy of the top level, for each server",
    { policy: { deny_tools: ["x"] }, mcpServers: { a: server({}), b: server({}) } },
    { policy: 2 },
    "policy of 2 servers",
  ],
  [
    "no policy that only warns",
    {
      policy: { mode: "warn", deny_tools: ["x"] },
      mcpServers: { a: server({ tools: { t: { narrow } } }) },
    },
    {},
    "no policy",
  ],
  [
    "narrow of tools",
    { mcpServers: { a: server({ tools: { t: { narrow }, u: { narrow } } }) } },
    { narrow: 2 },
    "narrow of 2 tools",
  ],
  [
    "pin that is strict",
    {
      mcpServers: {
        a: server({ pin: "strict", lock: "first_use" }),
        b: server({ pin: "warn", lock: "first_use" }),
      },
    },
    { pin: 1 },
    "pin of 1 server",
  ],
  [
    "each limit once",
    {
      limits: { calls_per_minute: 9 },
      mcpServers: {
        a: server({ tools: { t: { limits: { calls_per_minute: 1, result_bytes: 9 } } } }),
        b: server({ limits: { calls_per_minute: 2 } }),
      },
    },
    { limits: 4 },
    "4 limits of calls or results",
  ],
  [
    "callers whose keys or tokens are restricted, each name once",
    {
      auth: {
        keys: [
          { name: "all", key: KEY("a") },
          { name: "some", key: KEY("b"), tools: ["t"] },
          { name: "some", key: KEY("c"), tools: ["t"] },
          { name: "reads", key: KEY("d"), read_only: true },
          { name: "one", key: KEY("e"), servers: ["a"] },
          { name: "slow", key: KEY("f"), limits: { calls_per_minute: 1 } },
        ],
        jwt: { ...TOKENS, tools_claim: "tools" },
      },
      mcpServers: { a: server({}) },
    },
    { callers: 5 },
    "these still block: restrictions of 5 callers",
  ],
  [
    "no access tokens that are not restricted",
    { auth: { jwt: TOKENS }, mcpServers: { a: server({}) } },
    {},
    "no policy, narrow, pin, limit of calls",
  ],
])("counts %s", (_, file, counts, text) => {
  const { servers, auth } = parseConfig(JSON.stringify(file), { file: "t.json", env: {} });
  const found = stillBlocking(servers, false, auth);
  expect(found).toEqual({ policy: 0, narrow: 0, pin: 0, limits: 0, callers: 0, ...counts });
  expect(stillBlockingText(found)).toContain(text);
  expect(stillBlocking(servers, true, auth)).toEqual({ ...found, policy: 0, narrow: 0 });
});
