import { describe, expect, it, onTestFinished } from "vitest";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { type AdminGateway, startAdminGateway } from "./admin/testing/admin-gateway.ts";
import type { SavedView } from "./api/view-schemas.ts";

const ADMIN_KEY = "an-admin-key-for-tests-only-1";
const VIEWER_KEY = "a-viewer-key-for-tests-only-1";
const admin = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
const viewer = { authorization: `Bearer ${VIEWER_KEY}`, "content-type": "application/json" };

async function started(): Promise<AdminGateway> {
  const gateway = await startAdminGateway(
    JSON.stringify({
      mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
      auth: {
        admin_key: ADMIN_KEY,
        keys: [{ name: "reader", key: VIEWER_KEY, role: "viewer" }],
      },
    }),
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

const VIEW = { name: "Blocked", list: "calls", query: "status:blocked" };
const save = async (gateway: AdminGateway, view: object, headers = admin) => {
  const init = { method: "POST", headers, body: JSON.stringify(view) };
  const { status, body } = await gateway.get("views", init);
  return { status, body: body as SavedView & { readonly error?: string } };
};
const listed = async (gateway: AdminGateway): Promise<readonly SavedView[]> =>
  (await gateway.get("views", { headers: viewer })).body as readonly SavedView[];

describe("saved views", () => {
  it("are saved and deleted by an admin, and read by everyone who sees the console", async () => {
    const gateway = await started();
    expect(await listed(gateway)).toEqual([]);
    expect((await save(gateway, VIEW, viewer)).status).toBe(403);
    const first = await save(gateway, { ...VIEW, name: "  Blocked " });
    expect(first).toMatchObject({ status: 200, body: VIEW });
    // Saving under the same name again changes the view.
    const query = ' -tool:echo  status:error,blocked "a b" since:24h';
    const again = await save(gateway, { ...VIEW, query });
    const written = '-tool:echo status:error,blocked "a b" since:24h';
    expect(again.body).toMatchObject({ id: first.body.id, query: written });
    await save(gateway, {
      name: "<img src=x onerror=alert(1)>",
      list: "records",
      query: "type:tool_call",
    });
    expect((await listed(gateway)).map(({ name }) => name)).toEqual([
      "<img src=x onerror=alert(1)>",
      "Blocked",
    ]);
    const { id } = first.body;
    const gone = (headers: Record<string, string>) =>
      gateway.get(`views/${id}`, { method: "DELETE", headers });
    expect((await gone(viewer)).status).toBe(403);
    expect((await gone(admin)).body).toHaveLength(1);
    expect((await gone(admin)).status).toBe(404);
  });

  it.each([
    [{ ...VIEW, name: "   " }, /^name: must have a character/],
    [{ ...VIEW, name: "a\u0007b" }, /^name: .*control characters/],
    [{ ...VIEW, name: "x".repeat(81) }, /name/],
    [{ ...VIEW, query: "sttus:blocked" }, /^query: "sttus" is not a filter .did you mean status/],
    [{ ...VIEW, query: "javascript:alert(1)" }, /^query: "javascript" is not a filter/],
    [{ ...VIEW, query: "https://evil.example/" }, /^query: "https" is not a filter/],
    [{ ...VIEW, query: "type:tool_call" }, /^query: "type" is not a filter/],
    [{ ...VIEW, query: "x".repeat(2_001) }, /query/],
    [{ ...VIEW, list: "tools" }, /list/],
    [{ ...VIEW, url: "https://evil.example/" }, /url/],
  ])("refuse %j", async (view, problem) => {
    const { status, body } = await save(await started(), view);
    expect(status).toBe(400);
    expect(body.error).toMatch(problem);
  });

  it("are at most 200", async () => {
    const gateway = await started();
    for (let at = 0; at < 200; at += 1) await save(gateway, { ...VIEW, name: `v${at}` });
    const more = await save(gateway, { ...VIEW, name: "one more" });
    expect([more.status, more.body.error]).toEqual([
      400,
      expect.stringContaining("200 saved views"),
    ]);
    expect((await save(gateway, { ...VIEW, name: "v7" })).status).toBe(200);
  });
});
