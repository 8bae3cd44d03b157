import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { NODE, TOUCHSTONE } from "./processes.mjs";

const INFO = { name: "soak-sdk", version: "1.0.0" };
const PIN = { legacy: { mode: "legacy" }, modern: { mode: { pin: "2026-07-28" } } };

/** An official client. The SDK itself interprets responses, so this client makes only tool calls. */
export class SdkPeer {
  /** @param {{sdk: "v1" | "v2 legacy" | "v2 modern", url?: string, args?: string[]}} own */
  constructor(own, { ledger, random }) {
    Object.assign(this, own);
    this.transport = "sdk";
    this.ledger = ledger;
    this.random = random;
  }

  async open() {
    const v1 = this.sdk === "v1";
    this.client = v1
      ? new ClientV1(INFO)
      : new ClientV2(INFO, { versionNegotiation: PIN[this.sdk.slice(3)] });
    await this.client.connect(this.url === undefined ? this.#stdio(v1) : this.#http(v1));
  }

  async act(action) {
    const entry = this.ledger.open(action, this);
    const args = action.args(entry.tag, this.random);
    try {
      const params = { name: action.tool, arguments: JSON.parse(args) };
      const result = await this.client.callTool(params);
      this.ledger.close(entry, "answered", result.isError === true ? "tool error" : "result");
    } catch (error) {
      // A JSON-RPC error keeps its code, or is in the text of an HTTP error.
      const answered = typeof error.code === "number" || String(error).includes('"jsonrpc"');
      if (answered) this.ledger.close(entry, "answered", "error");
      else {
        this.ledger.fault("no answer", `${entry.tag} of ${this.name}: ${error}`);
        this.ledger.close(entry, "vanished");
      }
    }
  }

  async close() {
    if (this.sdk !== "v2 modern") await this.client.transport?.terminateSession?.().catch(() => {});
    await this.client.close();
  }

  #stdio(v1) {
    const start = { command: NODE, args: [TOUCHSTONE, "wrap", ...this.args], stderr: "ignore" };
    return v1 ? new StdioV1(start) : new StdioV2(start);
  }

  #http(v1) {
    const url = new URL(this.url);
    return v1 ? new HttpV1(url) : new HttpV2(url);
  }
}
