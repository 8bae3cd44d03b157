import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProviderName } from "@touchstone/protocol/advanced";
import { lintFor } from "@touchstone/protocol/lint";
import { definitionDiff } from "@touchstone/protocol/lock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initialize, post, request } from "../../testing/http.ts";
import type { ClientView } from "../api/schemas.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

const SERVER = fileURLToPath(new URL("../../testing/changing-server.mjs", import.meta.url));
const OBJECT = { type: "object", properties: { unit: { const: "C" } } };
const READ = { name: "read_file", annotations: { readOnlyHint: true }, inputSchema: OBJECT };
/** A list in which each setting changes something, with white space that only this server writes. */
const LIST = [
  JSON.stringify(READ),
  `{ "name": "write_file",  "inputSchema": ${JSON.stringify(OBJECT)} }`,
  JSON.stringify({
    name: `long_${"x".repeat(80)}`,
    annotations: { readOnlyHint: true },
    inputSchema: OBJECT,
  }),
  JSON.stringify({ name: "no_object", inputSchema: { type: "string" } }),
  JSON.stringify({ ...READ, name: "hidden", description: "a\u200bb" }),
];
const KEYS = {
  reader: "the-key-of-the-reader",
  other: "the-key-of-the-other",
  admin: "the-key-of-the-admin",
};
const hash = (key: string): string => `sha256:${createHash("sha256").update(key).digest("hex")}`;

let gateway: AdminGateway;
const folder = mkdtempSync(join(tmpdir(), "touchstone-view-"));
const DECLARED = join(folder, "declared.json");

beforeAll(async () => {
  writeFileSync(DECLARED, JSON.stringify({ toolsText: `[${LIST.join(", ")}]` }));
  gateway = await startAdminGateway(
    JSON.stringify({
      mcpServers: {
        files: {
          ...{ command: process.execPath, args: [SERVER], env: { DECLARED } },
          touchstone: {
            policy: { mode: "strict", advertise: true },
            tools: {
              read_file: { narrow: { properties: { unit: { maxLength: 1 } } } },
            },
            adapt: {
              unusable_tools: "leave_out",
              for: ["auto"],
              names: { max: 32, prefix_length: 8 },
              descriptions: { strip_hidden: true },
            },
          },
        },
        idle: { command: process.execPath, args: [SERVER], env: { DECLARED } },
      },
      auth: {
        keys: [
          {
            name: "reader",
            key: hash(KEYS.reader),
            role: "caller",
            servers: ["files"],
            read_only: true,
          },
          { name: "other", key: hash(KEYS.other), role: "caller", servers: ["idle"] },
          { name: "admin", key: hash(KEYS.admin), role: "admin" },
        ],
      },
    }),
  );
}, 60_000);
afterAll(async () => {
  await gateway?.close();
  rmSync(folder, { recursive: true, force: true });
});

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const ask = (path: string, key: string = KEYS.admin) =>
  gateway.get(`servers/${path}`, { headers: bearer(key) });

/** Returns the list that a client really gets, by tool. */
async function listed(client: string, key: string): Promise<readonly { readonly name: string }[]> {
  const [name, version] = client.split("/");
  const url = gateway.url("files");
  const headers = bearer(key);
  const session = await initialize(url, undefined, { clientInfo: { name, version }, headers });
  const { messages } = await post(url, request(2, "tools/list"), { ...session, ...headers });
  return JSON.parse(messages.at(-1) ?? "").result.tools;
}

describe("the view of the tool list for a client", () => {
  it("is empty before the server has listed its tools", async () => {
    const { status, body } = await ask("idle/view");
    expect([status, body]).toEqual([
      200,
      {
        server: "idle",
        client: null,
        caller: null,
        listedAt: null,
        partial: false,
        checkedFor: [],
        tools: [],
      },
    ]);
  });

  it.each([
    ["claude-code/2.0", "admin"],
    ["some-client/1", "admin"],
    ["gemini-cli-mcp-client/1", "reader"],
    ["claude-code/2.0", "reader"],
  ] as const)("equals what %s with the key %s receives", async (client, caller) => {
    const real = await listed(client, KEYS[caller]);
    const query = `client=${encodeURIComponent(client)}&caller=${caller}`;
    const view = (await ask(`files/view?${query}`)).body as ClientView;
    expect(view).toMatchObject({ server: "files", client, caller, partial: false });
    const seen = view.tools.filter(({ state }) => state !== "left_out");
    expect(seen.map(({ listedAs }) => listedAs)).toEqual(real.map(({ name }) => name));
    expect(view.tools.map(({ name }) => name)).toEqual(LIST.map((text) => JSON.parse(text).name));
    for (const [at, sent] of LIST.entries()) {
      const { name, listedAs, state, left, steps, diff } = view.tools[at] ?? expect.fail();
      expect(left === null).toBe(state === "left_out" || view.checkedFor.length === 0);
      const shown = real.find((tool) => tool.name === listedAs);
      expect(left?.total ?? 0).toBe(
        shown ? lintFor([shown], view.checkedFor as ProviderName[]).length : 0,
      );
      expect([diff, steps.length > 0]).toEqual([null, state !== "same"]);
      const one = await ask(`files/view?${query}&tool=${encodeURIComponent(name ?? "")}`);
      expect((one.body as ClientView).tools).toEqual([
        {
          name,
          listedAs,
          state,
          left,
          steps,
          diff: definitionDiff(sent, shown && JSON.stringify(shown)),
        },
      ]);
    }
  });

  it("says which setting changed a tool, and why", async () => {
    await listed("claude-code/2.0", KEYS.admin);
    const { body } = await ask("files/view?client=claude-code/2.0&caller=reader");
    expect(
      (body as ClientView).tools.map(({ state, steps }) => [
        state,
        ...steps.map(({ step, kind, setting }) => `${step} ${kind} ${setting}`),
      ]),
    ).toEqual([
      ["changed", "advertise changed advertise"],
      ["left_out", "allow left_out read_only"],
      ["changed", "adapt changed names"],
      ["left_out", "allow left_out read_only"],
      ["changed", "adapt changed descriptions"],
    ]);
  });

  it("is available to readers, for known callers and servers", async () => {
    const outcomes = await Promise.all(
      [
        ask("files/view", KEYS.reader),
        ask("files/view?caller=nobody"),
        ask("files/view?caller=other"),
        ask("none/view"),
        ask("files/view?tool=none"),
      ].map(async (asked) => {
        const { status, body } = await asked;
        return [status, (body as { error?: string }).error ?? (body as ClientView).tools];
      }),
    );
    expect(outcomes).toEqual([
      [403, expect.stringContaining("viewer")],
      [404, 'No key of auth.keys has the name "nobody".'],
      [404, 'The server "files" is not for this caller.'],
      [404, 'No server is named "none".'],
      [200, []],
    ]);
  });
});
