import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { describeGatewayPages, FAULTY } from "../testing/gateway.ts";

/**
 * A page on another site that makes the browser send requests to a gateway, and that can read none of the responses.
 */
const asking = (gateway: string): string => `<!doctype html>
  <img src="${gateway}tools">
  <iframe src="${gateway}servers/faulty/tools"></iframe>
  <script>
    const to = (path, init) =>
      fetch("${gateway}" + path, init).then(({ type }) => type, () => "failed");
    addEventListener("load", async () => {
      document.title = "asked " + (await Promise.all([
        to("api/v1/activity/export", { mode: "no-cors" }),
        to("servers/faulty/tools", { mode: "no-cors" }),
        to("mcp/faulty", { mode: "no-cors", method: "POST", body: "{}" }),
        to("api/v1/servers"),
      ]));
    });
  </script>`;

describeGatewayPages("a page of another site", (console) => {
  it("cannot start a server or read a record", async () => {
    const gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    const site = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(asking(gateway.page));
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const { port } = site.address() as AddressInfo;
    const { page } = await console.open("about:blank");
    const answered = new Set<string>();
    page.on("response", (response) => {
      const path = response.url().slice(gateway.page.length);
      if (response.url().startsWith(gateway.page)) answered.add(`${response.status()} ${path}`);
    });
    try {
      // A browser treats localhost and 127.0.0.1 as two sites.
      await page.goto(`http://localhost:${port}/`);
      await page.waitForFunction(() => document.title.startsWith("asked"));
      expect(await page.title()).toBe("asked opaque,opaque,opaque,failed");
      expect([...answered].sort()).toEqual([
        "403 api/v1/activity/export",
        "403 servers/faulty/tools",
        "415 mcp/faulty",
      ]);
      expect((await gateway.get("servers")).body).toMatchObject([{ state: "idle", children: 0 }]);
      // A user who follows a link can see where it leads.
      await page.setContent(`<a href="${gateway.page}">the gateway</a>`);
      await page.getByRole("link").click();
      await page.getByRole("link", { name: "Servers" }).waitFor();
    } finally {
      site.close();
    }
  });
});
