import { Agent, request as send } from "node:http";
import { bodyText } from "../bench/body-text.mjs";
import { cancelText, INITIALIZED, idOf, initializeText, MODERN, requestText } from "./messages.mjs";

const TRIES = 3;
/** No call of a soak takes this long. */
const SILENT_MS = 20_000;
const SESSION = "mcp-session-id";

/** Returns the texts of the messages in a body, which is one message or an event stream. */
function messagesIn(type, body) {
  if (!type?.startsWith("text/event-stream")) return body === "" ? [] : [body];
  const lines = body.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(5).trim()).filter((data) => data !== "");
}

/** A client of `touchstone serve` over Streamable HTTP. */
export class HttpPeer {
  #agent = new Agent({ keepAlive: true });
  #session;
  #opening;
  #last = 0;

  /**
   * @param {{name: string, server: string, revision: string, url: string, settings: () => object[]}} own
   * @param {{ledger: object, random: object}} soak
   */
  constructor(own, { ledger, random }) {
    Object.assign(this, own);
    this.transport = "http";
    this.ledger = ledger;
    this.random = random;
  }

  /** Begins a session, if the revision has sessions. Returns false if the gateway did not create one. */
  async open() {
    if (this.revision === MODERN) return true;
    // Requests that find at the same time that the session has ended share one new session.
    this.#opening ??= this.#begin().finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #begin() {
    const { headers, status } = await this.#post(initializeText(0, this.revision), {});
    const session = headers[SESSION];
    if (status !== 200 || session === undefined) return false;
    await this.#post(INITIALIZED, { ...this.#headers(), [SESSION]: session });
    this.#session = session;
    return true;
  }

  async act(action) {
    if (this.revision !== MODERN && this.#session === undefined && !(await this.open())) return;
    this.#last += 1;
    const id = idOf(this.#last);
    const entry = this.ledger.open(action, this);
    const { revision, random } = this;
    const { text, method, name } = requestText(entry, { id, revision, random });
    const headers = this.#headers(method, name);
    const leaves = action.vanishes || action.cancels;
    const cut = leaves ? new AbortController() : undefined;
    const early = leaves ? this.#early(entry, id, cut) : undefined;
    try {
      const answer = await this.#post(text, headers, cut?.signal);
      this.#take(entry, id, answer, headers[SESSION]);
    } catch (error) {
      if (entry.state === "open") {
        this.ledger.fault("no answer", `${entry.tag} "${action.name}" of ${this.name}: ${error}`);
        this.ledger.close(entry, "vanished");
      }
    }
    await early;
  }

  /** Ends the session, so that its process at the gateway ends. */
  async close() {
    if (this.#session !== undefined) {
      await this.#send("DELETE", undefined, this.#headers()).catch(() => {});
    }
    this.#session = undefined;
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }

  /** Cancels the request, or disconnects, some time after it was sent. */
  async #early(entry, id, cut) {
    await new Promise((resolve) => setTimeout(resolve, this.random.whole(1, 60)));
    if (entry.state !== "open") return;
    const tells = entry.action.cancels && this.revision !== MODERN;
    this.ledger.close(entry, tells ? "cancelled" : "vanished");
    // Nothing more arrives on the stream of a cancelled request.
    if (tells) await this.#post(cancelText(id), this.#headers()).catch(() => {});
    cut.abort();
  }

  #take(entry, id, { status, headers, body }, session) {
    const texts = messagesIn(headers["content-type"], body);
    let answered = false;
    for (const text of texts) {
      const message = parsed(text);
      if (message === undefined) {
        this.ledger.fault("no JSON", `${this.name}: ${text.slice(0, 200)}`);
      } else if (message.method !== undefined) {
        const own = message.params?.progressToken === entry.tag;
        if (!own) this.ledger.fault("stray message", `${this.name}: ${text.slice(0, 200)}`);
      } else if (message.id === id) {
        answered = true;
        this.ledger.answered(entry, message, text);
      } else if (message.id !== null || status < 400) {
        this.ledger.fault("answer to nothing", `${this.name}: ${text.slice(0, 200)}`);
      }
    }
    // The session ended because its server ended or the configuration changed.
    const gone = status === 404 && session !== undefined && this.#session === session;
    if (gone) this.#session = undefined;
    if (answered) {
      if (gone) entry.state = "refused";
      return;
    }
    if (entry.state !== "open") return;
    if (status >= 400) this.ledger.close(entry, "refused", `HTTP ${status}`);
    else if (entry.action.cancels) this.ledger.close(entry, "cancelled");
    else {
      this.ledger.fault(
        "no answer",
        `${entry.tag} of ${this.name}: HTTP ${status} ${body.slice(0, 200)}`,
      );
      this.ledger.close(entry, "vanished");
    }
  }

  #headers(method, name) {
    if (this.revision !== MODERN) {
      const version = { "mcp-protocol-version": this.revision };
      return this.#session === undefined ? version : { ...version, [SESSION]: this.#session };
    }
    const headers = { "mcp-protocol-version": MODERN, "mcp-method": method };
    return name === undefined ? headers : { ...headers, "mcp-name": name };
  }

  async #post(text, headers, signal) {
    const about = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-length": Buffer.byteLength(text),
      ...headers,
    };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#send("POST", text, about, signal);
      } catch (error) {
        // The other side may close a keep-alive connection just as it is used again.
        if (!(error.reused && tries < TRIES)) throw error;
      }
    }
  }

  #send(method, text, headers, signal) {
    return new Promise((resolve, reject) => {
      const request = send(this.url, { method, agent: this.#agent, headers, signal });
      request.on("error", (error) => {
        error.reused = request.reusedSocket && error.code === "ECONNRESET";
        reject(error);
      });
      request.on("response", (response) => {
        const { statusCode: status, headers } = response;
        bodyText(response).then((body) => resolve({ status, headers, body }), reject);
      });
      request.setTimeout(SILENT_MS, () => {
        request.destroy(new Error(`nothing came for ${SILENT_MS / 1000} s`));
      });
      request.end(text);
    });
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
