import { expect, it } from "vitest";
import { parseConfig } from "../config/load.ts";
import { stillBlocking, stillBlockingText } from "./still-blocking.ts";

const server = (touchstone: object) => ({ command: "c", touchstone });
const narrow = { properties: { a: { maximum: 3 } } };

it.each<[string, object, object, string]>([
  ["nothing", { mcpServers: { a: server({}) } }, {}, "no policy, narrow, pin or limit"],
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
])("counts %s", (_, file, counts, text) => {
  const { servers } = parseConfig(JSON.stringify(file), { file: "t.json", env: {} });
  const found = stillBlocking(servers, false);
  expect(found).toEqual({ policy: 0, narrow: 0, pin: 0, limits: 0, ...counts });
  expect(stillBlockingText(found)).toContain(text);
  expect(stillBlocking(servers, true)).toEqual({ ...found, policy: 0, narrow: 0 });
});
