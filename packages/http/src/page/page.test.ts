import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import express from "express";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConsoleAssets,
  createHandler,
  createNodeHandler,
  type Tool,
  type UIConfig,
} from "../index.ts";
import { readableHtml, visible } from "./html.ts";
import { isLinkable } from "./link.ts";
import { relativeBase } from "./page.ts";

const get = async (path: string, options: UIConfig = {}, tools: readonly Tool[] = []) => {
  const handler = createHandler(tools, () => [[], false], options);
  const response = await handler(new Request(`http://localhost${path}`));
  return { response, html: await response.text() };
};

const HOSTILE = `<script>alert("1")</script><img src=x onerror='x'>\u202eevil\u200b\u0000`;

describe("the page", () => {
  it("has a strict content security policy and no inline script, style or handler", async () => {
    for (const options of [{}, { console: ASSETS }]) {
      const { response, html } = await get("/", options);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:/i);
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    }
  });

  it("shows hostile texts without running any", async () => {
    const tools = [
      { name: HOSTILE, title: HOSTILE, description: HOSTILE, annotations: { readOnlyHint: true } },
      { name: "\ud800", description: "a lone surrogate" },
    ];
    const texts = { title: HOSTILE, projectName: HOSTILE, projectUrl: `javascript:${HOSTILE}` };
    const { response, html } = await get("/", texts, tools);
    expect(response.status).toBe(200);
    expect(html).not.toMatch(/<script|<img/);
    expect(html).not.toMatch(/[\u202e\u200b\0]/);
    expect(html).toContain("[U+202E]evil[U+200B][U+0000]");
    expect(html).not.toContain('href="javascript:');
    expect(html).toContain("read-only");
  });

  it("says whether tools can be run", async () => {
    expect((await get("/", {})).html).toContain("execution is disabled");
    expect((await get("/", { allowExecute: true })).html).not.toContain("execution is disabled");
    expect((await get("/")).html).toContain("There are no tools.");
  });

  it.each([
    ["https://example.com/?a=1&b=2", true],
    ["http://example.com", true],
    ["mailto:ada@example.com", true],
    ["/docs", true],
    ["/ /docs", true],
    ["\0 https://example.com \n", true],
    ["//evil.example", false],
    ["/\\evil.example", false],
    ["/\t/evil.example", false],
    ["java\nscript:alert(1)", false],
    [" javascript:alert(1)", false],
    ["data:text/html,x", false],
    ["vbscript:x", false],
    ["docs", false],
    ["", false],
  ])("links to the project at %j: %s", async (projectUrl, linked) => {
    expect(isLinkable(projectUrl)).toBe(linked);
    const { html } = await get("/", { projectName: "Project", projectUrl });
    expect(html.includes("<footer><a ")).toBe(linked);
    expect(html).toContain("Project");
  });

  it("keeps line breaks and tabs", () => {
    expect(visible("a\n\tb\r\u202e")).toBe("a\n\tb[U+000D][U+202E]");
  });

  const MEANT: Readonly<Record<string, string>> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    "#39": "'",
  };
  it("escapes any text", () => {
    const special = fc.constantFrom(...Object.values(MEANT), "lt;", "\n", "\u202e");
    const any = fc.array(fc.oneof(special, fc.string({ unit: "binary" })));
    fc.assert(
      fc.property(any, (parts) => {
        const text = parts.join("");
        expect(readableHtml(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
        expect(visible(visible(text))).toBe(visible(text));
        expect(readableHtml(text).replace(/&(\w+|#39);/g, (_all, name) => MEANT[name] ?? "")).toBe(
          visible(text),
        );
      }),
    );
  });
});

const ASSETS: ConsoleAssets = {
  script: "index-1a.js",
  styles: ["index-2b.css"],
  files: new Map([
    ["index-1a.js", { type: "text/javascript; charset=utf-8", body: "1", immutable: true }],
    ["index-2b.css", { type: "text/css", body: new TextEncoder().encode("a{}") }],
  ]),
};

describe("the console", () => {
  it("loads its files, and reads its settings from its element", async () => {
    const { html } = await get("/", { console: ASSETS, allowExecute: true });
    expect(html).toContain('<script type="module" src="./assets/index-1a.js"></script>');
    expect(html).toContain('<link rel="stylesheet" href="./assets/index-2b.css">');
    expect(html).toContain(
      '<div id="console" data-api="./" data-title="MCP Tool Explorer" data-allow-execute="true"></div>',
    );
    expect(html).toContain('<link rel="icon" href="data:,">');
  });

  it("knows the URL of the gateway that serves the tools", async () => {
    for (const [path, gateway, base] of [
      ["/", "./", "./"],
      ["/", "../../", "./../../"],
    ] as const) {
      const { html } = await get(path, { console: ASSETS, gateway });
      expect(html).toContain(
        `data-title="MCP Tool Explorer" data-allow-execute="false" data-gateway="${base}"></div>`,
      );
    }
    expect((await get("/", { console: ASSETS })).html).not.toContain("data-gateway");
  });

  it("gets project and page names as text, and a safe link", async () => {
    const texts = { title: HOSTILE, projectName: HOSTILE };
    const open = await get("/", { console: ASSETS, ...texts, projectUrl: "/docs?a=1&b=2" });
    expect(open.html).not.toMatch(/<script>|<img|[\u202e\u200b\0]/);
    expect(open.html).toContain("[U+202E]evil[U+200B][U+0000]");
    expect(open.html).toContain('data-project-url="/docs?a=1&amp;b=2"');
    const shut = await get("/", { console: ASSETS, ...texts, projectUrl: "javascript:alert(1)" });
    expect(shut.html).not.toContain("javascript:");
  });

  it("has its icon and preloads its fonts", async () => {
    const files = { fonts: ["sans-3c.woff2"], icon: "logo-4d.svg" };
    const { html } = await get("/explorer", {
      console: { ...ASSETS, ...files },
      prefix: "/explorer",
    });
    expect(html).toContain('<link rel="icon" href="./explorer/assets/logo-4d.svg">');
    expect(html).toContain(
      'as="font" type="font/woff2" crossorigin href="./explorer/assets/sans-3c.woff2">',
    );
  });

  it.each([
    ["gzip, deflate, br", true],
    ["GZIP;q=0.5", true],
    ["*", true],
    ["", false],
    ["br", false],
    ["gzip;q=0, *", false],
    ["gzip;q=x", false],
  ])("sends compressed files to a client that accepts %j: %s", async (accepted, packed) => {
    const text = "a".repeat(1000);
    const gzip = new Uint8Array(gzipSync(text));
    const file = { type: "text/javascript", body: text, gzip, immutable: true };
    const console: ConsoleAssets = { ...ASSETS, files: new Map([["a.js", file]]) };
    const handler = createHandler([], () => [[], false], { console });
    const headers = { "accept-encoding": accepted };
    const response = await handler(new Request("http://localhost/assets/a.js", { headers }));
    const body = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get("content-encoding")).toBe(packed ? "gzip" : null);
    expect(response.headers.get("content-length")).toBe(String(body.length));
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(String(packed ? gunzipSync(body) : Buffer.from(body))).toBe(text);
  });

  it("has its own files served, and no others", async () => {
    const script = await get("/assets/index-1a.js", { console: ASSETS });
    expect([script.response.status, script.html]).toEqual([200, "1"]);
    expect(script.response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.response.headers.get("cache-control")).toContain("immutable");
    const style = await get("/assets/index-2b.css", { console: ASSETS });
    expect(style.response.headers.get("cache-control")).toBe("no-store");
    for (const name of ["page.css", "..%2Fpackage.json", "__proto__", "constructor", "%FF"]) {
      expect((await get(`/assets/${name}`, { console: ASSETS })).response.status).toBe(404);
    }
    expect((await get("/assets/page.css")).response.headers.get("content-type")).toBe(
      "text/css; charset=utf-8",
    );
  });
});

describe("links of the page", () => {
  let close = () => {};
  afterEach(() => close());

  it.each([
    ["/", "./"],
    ["/explorer/", "./"],
    ["/explorer", "./explorer/"],
    ["/a/b%20c", "./b%20c/"],
    ['/"><script>', './"><script>/'],
  ])("at %s begin with %s", (path, base) => {
    expect(relativeBase(path)).toBe(base);
  });

  it("lead to the API wherever it is mounted", async () => {
    const tools = [{ name: "a/b", description: "" }];
    const plain = createNodeHandler(tools, () => [[], false]);
    const prefixed = createNodeHandler(tools, () => [[], false], { prefix: "/both" });
    const whole = createNodeHandler(tools, () => [[], false], { prefix: "/whole" });
    const app = express().use("/mounted", plain).use("/both", prefixed).use(whole);
    app.use((_request, response) => void response.status(418).end());
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => void server.close();
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const mount of ["/mounted", "/both", "/whole"]) {
      for (const slash of ["", "/"]) {
        const url = origin + mount + slash;
        const html = await (await fetch(url)).text();
        const links = [...html.matchAll(/href="(?!data:)([^"]+)"/g)].map(
          ([, href = ""]) => new URL(href, url),
        );
        expect(links.map(({ pathname }) => pathname)).toEqual(
          ["/assets/page.css", "/tools/a%2Fb", "/tools", "/openapi.json"].map(
            (path) => mount + path,
          ),
        );
        for (const link of links) expect((await fetch(link)).status).toBe(200);
      }
    }
    // A request that is not for the API goes to the next handler.
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(418);
  });
});
