import type { CliIo } from "../terminal/cli-io.ts";
import { shellWord } from "../terminal/shell-word.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/**
 * Where to find OAuth metadata: that of the resource (RFC 9728), or that of the server itself up to MCP 2025-03-26
 * (RFC 8414).
 */
const METADATA = ["oauth-protected-resource", "oauth-authorization-server"] as const;

/** A remote server that may require a login. */
export interface LoginServer {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Checks whether a server requires an OAuth login: it responds with 401 and names its authorization server (MCP
 * 2025-11-25, Authorization). Takes 5 s at most. Never rejects.
 * @param env the environment, whose variables may name a proxy
 * @returns advice for the login; undefined if none is required
 */
export async function loginAdvice(
  { name, url, headers = {} }: LoginServer,
  env: CliIo["env"],
): Promise<string | undefined> {
  if (Object.keys(headers).some((header) => header.toLowerCase() === "authorization")) {
    return undefined;
  }
  try {
    const { fetchFor, loginUnsupportedText } = await import("@touchstone/gateway/http-link");
    const advice = (): string => loginUnsupportedText(entryFor(name, url));
    const send = await fetchFor(url, env);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // Sends no MCP message, since each revision requires other headers for it. A server checks the login first.
    const asked = await send(url, {
      redirect: "manual",
      signal,
      headers: { accept: "text/event-stream", ...headers },
    });
    await asked.body?.cancel();
    if (asked.status !== 401) return undefined;
    const challenge = asked.headers.get("www-authenticate") ?? "";
    if (/\bresource_metadata\s*=/i.test(challenge)) return advice();
    const { origin, pathname } = new URL(url);
    const paths = METADATA.flatMap((kind) => [
      ...(pathname === "/" ? [] : [`/.well-known/${kind}${pathname}`]),
      `/.well-known/${kind}`,
    ]);
    for (const path of paths) {
      const found = await send(origin + path, { redirect: "manual", signal });
      if (found.ok && isMetadata(await bodyText(found))) return advice();
      if (!found.bodyUsed) await found.body?.cancel();
    }
  } catch {
    // Whether the server can be reached is reported in another place.
  }
  return undefined;
}

function entryFor(name: string, url: string): string {
  const { origin, pathname, search } = new URL(url);
  const shown = origin + pathname + (search === "" ? "" : "?…");
  return `touchstone wrap --name ${shellWord(name)} -- npx -y mcp-remote ${shellWord(shown)}`;
}

async function bodyText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > MAX_BYTES) return "";
  }
  return Buffer.concat(parts).toString("utf8");
}

function isMetadata(text: string): boolean {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) return false;
  return ["authorization_servers", "resource", "authorization_endpoint"].some((key) =>
    Object.hasOwn(value, key),
  );
}
