import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseServers } from "../../../config/client-servers.ts";
import { parseConfig } from "../../../config/load.ts";
import type { Overrides } from "../../../config/overrides.ts";
import { startTestGateway, type TestGateway } from "../../../testing/gateway.ts";
import { OPERATOR_TOKEN } from "../../sign-in/operator-token.ts";

/** The response of the API. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A gateway whose configuration is a file. */
export interface AdminGateway extends TestGateway {
  readonly file: string;
  /** The operator's token, from the data directory. */
  readonly token: string;
  /** Returns a token for the code of a new link. */
  signedIn(): Promise<string>;
  text(): string;
  write(text: string): void;
  /** @param path below `/api/v1/` */
  get(path: string, init?: RequestInit): Promise<Answered>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
}

export interface AdminGatewayOptions {
  /** The operator's command-line options. */
  readonly overrides?: Overrides;
  /** Whether the gateway knows the file that its configuration came from. Default true. */
  readonly editable?: boolean;
  /** The text of a client's file, whose servers replace those of the configuration. */
  readonly servers?: string;
}

/** Starts a gateway with the text of a `touchstone.json`. */
export async function startAdminGateway(
  text: string,
  { overrides = {}, editable = true, servers }: AdminGatewayOptions = {},
): Promise<AdminGateway> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-admin-"));
  const file = join(folder, "touchstone.json");
  writeFileSync(file, text);
  const load = (content: string) =>
    parseConfig(content, { file, env: {}, overrides: { listen: "127.0.0.1:0", ...overrides } });
  const source = editable ? { source: { file, load } } : {};
  const client =
    servers === undefined ? {} : parseServers(servers, join(folder, "mcp.json"), { env: {} });
  const more = { config: { ...load(text), ...client }, ...source };
  const touchstone = await startTestGateway({}, undefined, more);
  const kept = join(touchstone.dataDir, OPERATOR_TOKEN);
  const token = existsSync(kept) ? readFileSync(kept, "utf8").trim() : "";
  const send = async (path: string, init: RequestInit): Promise<Answered> => {
    const url = `http://127.0.0.1:${touchstone.gateway.port}/api/v1/${path}`;
    const response = await fetch(url, init);
    const answer = await response.text();
    const body: unknown = answer === "" ? undefined : JSON.parse(answer);
    return { status: response.status, headers: response.headers, body };
  };
  return {
    ...touchstone,
    file,
    token,
    async signedIn() {
      const code = touchstone.gateway.consoleLink().split("code=")[1];
      const { body } = await send("sign-in", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
      return (body as { token: string }).token;
    },
    text: () => readFileSync(file, "utf8"),
    write: (content) => writeFileSync(file, content),
    get: (path, init = {}) => send(path, init),
    patch: (path, body, headers = { authorization: `Bearer ${token}` }) =>
      send(path, {
        method: "PATCH",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    async close() {
      await touchstone.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
