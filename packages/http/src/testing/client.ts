import { expect } from "vitest";
import type { ToolCallHandler, ToolsProvider, UIConfig } from "../index.ts";
import { conforms } from "./conforms.ts";
import type { Door, Served } from "./doors.ts";

/** A response, and its body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. It has no type, because each test states what it expects. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** An API that is served. Each response that `send` returns has been checked by the API's OpenAPI description. */
export interface Client {
  readonly api: Served;
  send(path: string, init?: RequestInit): Promise<Answer>;
}

export async function openClient(
  open: Door["open"],
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  options: UIConfig = {},
): Promise<Client> {
  const api = await open(tools, handleCall, options);
  const document = JSON.parse(await (await api.send("/openapi.json")).text());
  return {
    api,
    async send(path, init = {}) {
      const response = await api.send(path, init);
      const text = await response.text();
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      conforms(document, [init.method ?? "GET", path], response.status, text);
      const { status, headers } = response;
      return { status, headers, text, body: JSON.parse(text) };
    },
  };
}
