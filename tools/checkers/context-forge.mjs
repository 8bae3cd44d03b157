// Starts ContextForge, which keeps servers in a separate database.
import { join } from "node:path";
import { pythonCommand, secret } from "./installed.mjs";

/** Returns its command, and what registers the scripted server before the first message. */
export function contextForge(_server, port, { cache }) {
  const password = `Aa1!${secret()}`;
  return {
    words: [
      pythonCommand(cache, "mcp-contextforge-gateway", "mcpgateway"),
      ...["--host", "127.0.0.1", "--port", String(port)],
    ],
    env: (folder) => ({
      DATABASE_URL: `sqlite:///${join(folder, "gateway.db")}`,
      JWT_SECRET_KEY: secret(),
      AUTH_ENCRYPTION_SECRET: secret(),
      PLATFORM_ADMIN_EMAIL: "admin@example.com",
      PLATFORM_ADMIN_PASSWORD: password,
      DEFAULT_USER_PASSWORD: password,
      BASIC_AUTH_PASSWORD: password,
      SSRF_ALLOW_LOCALHOST: "true",
      SSRF_ALLOW_PRIVATE_NETWORKS: "true",
      CACHE_TYPE: "memory",
      AUTH_REQUIRED: "false",
      ALLOW_UNAUTHENTICATED_ADMIN: "true",
      MCPGATEWAY_UI_ENABLED: "false",
      ENVIRONMENT: "development",
      // The suite sends more calls than its limit of 100 in a minute.
      RATE_LIMITING_ENABLED: "false",
      TOOL_RATE_LIMIT: "1000",
    }),
    path: "/mcp/",
    ready: (address, target) => registered(address, target, password),
  };
}

/** Logs in to ContextForge and registers the scripted server; returns the headers of a client. */
async function registered(address, server, password) {
  const post = async (path, body, headers = {}) => {
    const response = await fetch(address + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const login = { email: "admin@example.com", password };
  const { access_token: token } = await post("/auth/login", login);
  const authorization = { authorization: `Bearer ${token}` };
  const gateway = { name: "demo", url: server.url, transport: "STREAMABLEHTTP" };
  await post("/gateways", gateway, authorization);
  return authorization;
}
