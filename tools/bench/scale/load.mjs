// Sends calls of 2026-07-28 over raw HTTP, spread over gateways. It uses no SDK, so that clients use little processor
// time of the machine. Each response is checked.
import { Agent, request } from "node:http";
import { bodyText } from "../body-text.mjs";

const REVISION = "2026-07-28";
const META = `"_meta":{"io.modelcontextprotocol/protocolVersion":"${REVISION}","io.modelcontextprotocol/clientCapabilities":{}}`;
let ids = 0;

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": REVISION,
  "mcp-method": "tools/call",
  "mcp-name": "look",
};

async function call(url, agent, id) {
  const wanted = `"structuredContent":{"echo":"call ${id}",`;
  const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${META},"name":"look","arguments":{"text":"call ${id}","limit":10,"state":"open"}}}`;
  const headers = { ...HEADERS, "content-length": Buffer.byteLength(text) };
  const answered = new Promise((resolve, reject) => {
    const sending = request(url, { method: "POST", agent, headers }, (response) =>
      resolve(bodyText(response)),
    );
    sending.on("error", reject);
    sending.end(text);
  });
  const body = await answered;
  if (!body.includes(wanted)) {
    throw new Error(`call ${id} got another answer: ${body.slice(0, 300)}`);
  }
}

/** Keeps `inFlight` concurrent calls at each URL for the given time. */
export async function load(urls, inFlight, ms) {
  const agent = new Agent({ keepAlive: true });
  const latencies = [];
  const began = performance.now();
  const caller = async (url) => {
    while (performance.now() - began < ms) {
      ids += 1;
      const sent = performance.now();
      await call(url, agent, ids);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(urls.flatMap((url) => Array.from({ length: inFlight }, () => caller(url))));
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (quantile) => latencies[Math.floor((latencies.length - 1) * quantile)] ?? 0;
  return { calls: latencies.length, seconds, p50: at(0.5), p99: at(0.99) };
}
