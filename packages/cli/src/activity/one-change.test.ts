import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { eachOf, sample } from "../../../core/src/testing/sample.ts";
import { startTestGateway, type TestGateway } from "../../../gateway/src/testing/gateway.ts";
import { initialize, modern, post, request } from "../../../gateway/src/testing/http.ts";
import { run, tempDir } from "./testing/run.ts";

const SERVER = fileURLToPath(
  new URL("../../../gateway/src/testing/changing-server.mjs", import.meta.url),
);
const READ = { name: "read", description: "Reads a city.", inputSchema: { type: "object" } };
const OTHER = { name: "other", inputSchema: { type: "object" } };
const INPUT = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const OUTPUT = { type: "object", required: ["n"] };

type Read = (gateway: TestGateway) => Promise<unknown>;

/** The ways to list a server's tools through a gateway. */
const INTERFACES: Readonly<Record<string, Read>> = {
  "2025-11-25": async (gateway) => listed(gateway, "2025-11-25"),
  "2025-06-18": async (gateway) => listed(gateway, "2025-06-18"),
  async "2026-07-28"(gateway) {
    const { body, headers } = modern("tools/list");
    return (await post(gateway.url("server"), body, headers)).text;
  },
  async "tool API"(gateway) {
    const response = await fetch(new URL("/servers/server/tools", gateway.gateway.url));
    expect(response.status).toBe(200);
    return response.text();
  },
};

async function listed(gateway: TestGateway, revision: string): Promise<string> {
  const url = gateway.url("server");
  return (await post(url, request(1, "tools/list"), await initialize(url, revision))).text;
}

/** Returns the changes that each place lists, as tool and reason. */
async function rows(gateway: TestGateway) {
  const get = async (path: string): Promise<Record<string, Change[]>> => {
    const response = await fetch(new URL(path, gateway.gateway.url));
    expect(response.status).toBe(200);
    return response.json() as never;
  };
  const list = ["list", "--data-dir", gateway.dataDir, "--type", "schema_change", "-o", "json"];
  const { stdout } = await run(list);
  const shown = {
    console: (await get("/api/v1/activity?type=schema_change"))["activities"],
    command: (JSON.parse(stdout) as { activities: Change[] }).activities,
    overview: (await get("/api/v1/overview"))["schema_changes"],
  };
  return Object.fromEntries(
    Object.entries(shown).map(([place, changes = []]) => [
      place,
      changes.map(({ tool, reason }) => `${tool}: ${reason}`).toSorted(),
    ]),
  );
}

interface Change {
  readonly id: string;
  readonly tool: string;
  readonly reason: string;
}

const HELD = "held until somebody approves it";

eachOf<
  readonly [
    what: string,
    pin: string,
    after: readonly object[],
    rows: readonly string[],
    meant: readonly string[],
  ]
>(
  [
    [
      "the arguments",
      "strict",
      [{ ...READ, inputSchema: INPUT }, OTHER],
      [`read: the tool has changed: inputSchema; ${HELD}`],
      ["/inputSchema"],
    ],
    [
      "both schemas and the description",
      "strict",
      [{ ...READ, description: "Send it.", inputSchema: INPUT, outputSchema: OUTPUT }, OTHER],
      [`read: the tool has changed: description, inputSchema, outputSchema; ${HELD}`],
      ["/description", "/inputSchema", "/outputSchema"],
    ],
    [
      "a tool that is new, and one that is gone",
      "strict",
      [READ, { name: "new", inputSchema: INPUT }],
      [`new: the tool is new; ${HELD}`, "other: tool removed"],
      [],
    ],
    [
      "the arguments, without a pin",
      "off",
      [{ ...READ, inputSchema: INPUT }, OTHER],
      ["read: input schema changed"],
      ["/inputSchema"],
    ],
    [
      "both schemas, without a pin",
      "off",
      [{ ...READ, inputSchema: INPUT, outputSchema: OUTPUT }, OTHER],
      ["read: input and output schema changed"],
      ["/inputSchema", "/outputSchema"],
    ],
  ],
  1,
)(
  "one change is one row everywhere: %s",
  async (...[, pin, after, expected, meant]) => {
    const file = join(tempDir(), "declared.json");
    const declare = (tools: readonly object[]) => {
      writeFileSync(`${file}.new`, JSON.stringify({ tools }));
      renameSync(`${file}.new`, file);
    };
    for (const isAtOnce of sample([false], [false, true])) {
      const order = isAtOnce ? Object.values(INTERFACES).toReversed() : Object.values(INTERFACES);
      declare([READ, OTHER]);
      const config = {
        mcpServers: {
          server: {
            ...{ command: process.execPath, args: [SERVER], env: { DECLARED: file } },
            touchstone: pin === "off" ? {} : { pin, lock: "first_use" },
          },
        },
      };
      const dataDir = tempDir();
      const first = await startTestGateway(config, dataDir);
      const second = await startTestGateway(config, dataDir);
      onTestFinished(async () => {
        await second.gateway.close();
        await first.close();
      });
      const gateways = [first, second];
      // The last way lists the tools only after they have changed.
      for (const read of order.slice(0, -1)) for (const gateway of gateways) await read(gateway);
      expect(await rows(first)).toEqual({ console: [], command: [], overview: [] });
      declare(after);
      for (const read of isAtOnce ? [] : order.toReversed()) {
        for (const gateway of gateways) await read(gateway);
      }
      await Promise.all(order.flatMap((read) => gateways.map((gateway) => read(gateway))));
      expect(await rows(second)).toEqual({
        console: expected,
        command: expected,
        overview: expected,
      });
      if (meant.length === 0) continue;
      const [{ id } = { id: "" }] = await first.records({ type: "schema_change" });
      const diff = await fetch(new URL(`/api/v1/activity/${id}/diff`, first.gateway.url));
      const { changes } = (await diff.json()) as { changes: { path: string }[] };
      const paths = changes.map(({ path }) => path.split("/").slice(0, 2).join("/"));
      expect([...new Set(paths)].toSorted()).toEqual(meant);
      // After it was undone, the same change counts as a new one.
      declare([READ, OTHER]);
      for (const read of order) for (const gateway of gateways) await read(gateway);
      declare(after);
      for (const read of order) for (const gateway of gateways) await read(gateway);
      const { length } = await first.records({ type: "schema_change" });
      expect(length).toBe(3);
    }
  },
  60_000,
);
