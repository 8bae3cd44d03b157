import type { ServerConfig } from "../../config/config.ts";
import type { ServerPlace } from "./telemetry.ts";

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Where a server is, without what its URL may hold beside host and port. */
export function upstreamPlace(
  upstream: ServerConfig["upstream"] | undefined,
): ServerPlace["upstream"] {
  if (upstream?.type !== "http") return { transport: "pipe" };
  if (!URL.canParse(upstream.url)) return { transport: "tcp" };
  const { hostname, port, protocol } = new URL(upstream.url);
  const number = port === "" ? DEFAULT_PORTS[protocol] : Number(port);
  return {
    transport: "tcp",
    address: hostname,
    ...(number === undefined ? {} : { port: number }),
  };
}
