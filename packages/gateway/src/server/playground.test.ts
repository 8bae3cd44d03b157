import { loadPlayground } from "@touchstone/http/console";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";

/** Whether `npm run build` has built the playground; tests do not depend on that. */
const files = loadPlayground();
const SCRIPT = [...(files?.keys() ?? [])].find((name) => name.endsWith(".js"));

describe.skipIf(files === undefined)("the playground of a gateway", () => {
  let touchstone: TestGateway;
  beforeAll(async () => {
    touchstone = await startTestGateway({
      auth: { api_key: "sixteen-characters-or-more" },
      mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
    });
  });
  afterAll(() => touchstone?.close());

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, { redirect: "manual", ...init });

  it("is a folder of files that need no key", async () => {
    const moved = await ask("/playground");
    expect([moved.status, moved.headers.get("location")]).toEqual([308, "./playground/"]);
    const page = await ask("/playground/");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("connect-src 'none'");
    expect(await page.text()).toContain(`src="./${SCRIPT}"`);
    const script = await ask(`/playground/${SCRIPT}`);
    expect([script.status, script.headers.get("content-type")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
    ]);
    await script.body?.cancel();
    const head = await ask("/playground/", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("has nothing else, and names no server", async () => {
    for (const path of [
      "/playground/none.js",
      "/playground/..%2fpackage.json",
      "/playground/a/b",
    ]) {
      const response = await ask(path, { headers: { accept: "text/html" } });
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.text()).not.toContain("faulty");
    }
    expect((await ask("/playground/", { method: "POST" })).status).toBe(401);
    expect((await ask("/playgrounds")).status).toBe(401);
  });
});
