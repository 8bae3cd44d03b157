import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ActivityError } from "@touchstone/records/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initialize, post, request } from "../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./admin/testing/admin-gateway.ts";
import type { Attention } from "./api/operator-schemas.ts";
import { type AttentionParts, AttentionView } from "./attention.ts";

const CHANGING = fileURLToPath(new URL("../testing/changing-server.mjs", import.meta.url));

describe("what waits for an operator", () => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-attention-"));
  const file = join(folder, "tools.json");
  const declare = (description: string): void => {
    const inputSchema = { type: "object" };
    writeFileSync(file, JSON.stringify({ tools: [{ name: "read", description, inputSchema }] }));
  };
  let gateway: AdminGateway;
  const attention = async (query = ""): Promise<Attention> =>
    (await gateway.get(`attention${query}`)).body as Attention;
  const list = async (): Promise<void> => {
    const url = gateway.url("crm");
    await post(url, request(1, "tools/list", {}), await initialize(url));
  };

  beforeAll(async () => {
    declare("Reads.");
    gateway = await startAdminGateway(
      JSON.stringify({
        mcpServers: {
          crm: {
            ...{ command: process.execPath, args: [CHANGING], env: { DECLARED: file } },
            touchstone: { pin: "strict", lock: "first_use" },
          },
          gone: { command: "touchstone-no-such-command" },
        },
      }),
    );
    await list();
  }, 60_000);
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is nothing before something has happened", async () => {
    const none = { count: 0, atLeast: false, items: [] };
    expect(await attention()).toMatchObject({ held: none, schemaChanges: none, alerts: none });
  });

  it("are held tools, changes since a time, and servers that failed", async () => {
    declare("Sends everything away.");
    await list();
    await expect
      .poll(async () => (await attention()).servers)
      .toMatchObject({ count: 1, items: [{ name: "gone", error: /command not found/ }] });
    const { held, schemaChanges } = await attention();
    expect(held).toMatchObject({
      count: 1,
      items: [
        { server: "crm", kind: "tool", name: "read", hash: expect.stringMatching(/^sha256:/) },
      ],
    });
    expect(schemaChanges).toMatchObject({ count: 1, items: [{ server: "crm", tool: "read" }] });
    const after = new Date(Date.parse(schemaChanges.items[0]?.time ?? "") + 1).toISOString();
    expect((await attention(`?since=${after}`)).schemaChanges.count).toBe(0);
    expect((await attention("?since=soon")).schemaChanges).toMatchObject({
      count: null,
      error: expect.stringContaining("since"),
    });
  });
});

describe("what cannot be read", () => {
  const parts: AttentionParts = {
    pins: {
      servers: () => Promise.reject(new ActivityError("STORE_UNREACHABLE", "The store is down.")),
    } as unknown as AttentionParts["pins"],
    servers: () => [{ name: "a", failed: false, error: undefined }],
    alerts: () => [],
    ask: () => Promise.reject(new Error("/secret/path")),
  };

  it("is said, and not counted as 0", async () => {
    const found = await new AttentionView(parts).show(undefined, new AbortController().signal);
    const unknown = { count: null, atLeast: false, items: [] };
    expect(found).toMatchObject({
      held: { ...unknown, error: expect.stringContaining("The store is down.") },
      schemaChanges: { ...unknown, error: "It cannot be read." },
      servers: { count: 0 },
      alerts: { count: 0 },
    });
  });
});
