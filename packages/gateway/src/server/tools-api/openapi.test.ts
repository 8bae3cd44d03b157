import { compileDeclared } from "@touchstone/core/advanced";
import { afterEach, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };

let touchstone: TestGateway;
afterEach(() => touchstone.close());

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${touchstone.gateway.port}/servers/faulty${path}`, init);

it("documents the responses that the gateway gives before the API", async () => {
  touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY }, auth: { api_key: "k" } });
  const key = { "x-api-key": "k" };
  const document = await (await send("/openapi.json", { headers: key })).json();
  expect(Object.keys(document.components.securitySchemes)).toEqual(["header", "bearer"]);
  const asked = Object.entries<Record<string, object>>(document.paths).flatMap(([path, methods]) =>
    ["get", "post"].filter((method) => method in methods).map((method) => ({ path, method })),
  );
  expect(asked).toHaveLength(5);
  for (const { path, method } of asked) {
    const at = path.replace("{name}", "get_weather");
    const request = { method: method.toUpperCase(), ...(method === "post" ? { body: "{}" } : {}) };
    for (const [headers, status] of [
      [{}, 401],
      [{ ...key, origin: "https://evil.example" }, 403],
    ] as const) {
      const answer = await send(at, { ...request, headers });
      expect([path, answer.status]).toEqual([path, status]);
      const { schema } = document.paths[path][method].responses[status].content["application/json"];
      const { components } = document;
      const { errors } = compileDeclared({ value: { ...schema, components } }).validateText(
        await answer.text(),
      );
      expect(errors).toEqual([]);
    }
  }
});
