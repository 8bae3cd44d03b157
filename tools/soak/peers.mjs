// The clients of the gateway during a soak.
import { HttpPeer } from "./http-peer.mjs";
import { MODERN } from "./messages.mjs";
import { SdkPeer } from "./sdk-peer.mjs";
import { StdioPeer } from "./stdio-peer.mjs";
import { MODES } from "./topology.mjs";

/** Servers of `serve`, each with a revision; each pair is a client. */
const SERVED = [
  ["warning", "2025-11-25"],
  ["warning", MODERN],
  ["strict", "2025-06-18"],
  ["strict", MODERN],
  ["mixed", MODERN],
  ["changing", "2025-11-25"],
  ["changing", MODERN],
  ["crashing", "2025-11-25"],
  ["crashing", MODERN],
  ["web-strict", "2025-11-25"],
  ["web-strict", MODERN],
  ["web-warning", MODERN],
];

/** Name, mode and revision of each `wrap`. */
const WRAPPED = [
  ["wrap-warn", "warn", "2025-11-25", {}],
  ["wrap-strict", "strict", "2025-03-26", {}],
  ["wrap-modern", "strict", MODERN, {}],
  ["wrap-off", "off", "2024-11-05", {}],
  ["wrap-web", "strict", "2025-11-25", { web: true }],
  ["wrap-web-modern", "warn", MODERN, { web: true }],
];

const SDKS = [
  ["sdk-v1-http", { sdk: "v1", server: "warning" }],
  ["sdk-v2-http", { sdk: "v2 modern", server: "strict" }],
  ["sdk-v2-legacy-http", { sdk: "v2 legacy", server: "web-strict" }],
  ["sdk-v1-stdio", { sdk: "v1", mode: "warn" }],
  ["sdk-v2-stdio", { sdk: "v2 modern", mode: "strict" }],
];

/** Returns all clients that stay for the whole soak, not yet open. */
export function makePeers(topology, soak) {
  const url = (server) => `${topology.url}/mcp/${server}`;
  const http = SERVED.map(([server, revision]) => {
    const held = () => topology.settingsOf(server);
    const own = {
      name: `${server} ${revision}`,
      server,
      revision,
      url: url(server),
      settings: held,
    };
    return new HttpPeer({ ...own, crashes: server === "crashing" }, soak);
  });
  const wrapped = WRAPPED.map(([name, mode, revision, more]) => {
    const args = topology.wrapArgs(name, MODES[mode], more);
    return new StdioPeer(
      { name, server: name, revision, args, settings: () => [MODES[mode]] },
      soak,
    );
  });
  const sdks = SDKS.map(([name, { sdk, server, mode }]) => {
    if (server !== undefined) {
      const held = () => topology.settingsOf(server);
      return new SdkPeer({ name, sdk, server, url: url(server), settings: held }, soak);
    }
    const args = topology.wrapArgs(name, MODES[mode]);
    return new SdkPeer({ name, sdk, server: name, args, settings: () => [MODES[mode]] }, soak);
  });
  return [...http, ...wrapped, ...sdks];
}

/** Returns a `wrap` that lives for a few calls only. */
export function passingPeer(topology, soak, { name, mode, revision, mayEnd }) {
  const args = topology.wrapArgs(name, MODES[mode]);
  const own = { name, server: name, revision, args, settings: () => [MODES[mode]] };
  return new StdioPeer({ ...own, mayEnd, crashes: mayEnd }, soak);
}

/** Returns whether a client can perform an action. */
export function suits(action, { transport, crashes, server }) {
  const behind = /^(wrap-)?web/.test(server) ? "http" : "stdio";
  if (action.on !== undefined && action.on !== behind) return false;
  if (transport === "sdk") return action.method === undefined && !special(action);
  if (action.vanishes && transport === "stdio") return false;
  // Calls to a server that crashes may end in any way, so the totals of records that are only counted would not match.
  return !crashes || (action.method === undefined && action.text === undefined);
}

/**
 * Returns whether an action is one that an official client would not send, or whose outcome it would not report.
 */
const special = ({ text, raw, vanishes, cancels, progress }) =>
  Boolean(text || raw || vanishes || cancels || progress);
