/** `_meta` of a request under 2026-07-28. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
};

export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

/** A request; `params` are left out if there are none. */
export function request(id: number | string, method: string, params?: unknown): object {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** A `tools/call`. */
export function call(id: number | string, name: string, args: unknown, rest: object = {}): object {
  return request(id, "tools/call", { name, arguments: args, ...rest });
}

export interface Answer {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: {
    readonly isError?: boolean;
    readonly resultType?: string;
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export function parseAnswer(line: string): Answer {
  return JSON.parse(line) as Answer;
}

/** Whether a line is the response to the request with this id. */
export function answers(id: number | string): (line: string) => boolean {
  return (line) => {
    try {
      const message = parseAnswer(line);
      return message.id === id && message.method === undefined;
    } catch {
      return false;
    }
  };
}
