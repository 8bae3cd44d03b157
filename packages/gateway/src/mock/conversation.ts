import { isObject, parseJson } from "@touchstone/core/advanced";
import {
  batchItems,
  detectRevision,
  ERROR_CODES,
  errorFrame,
  type Frame,
  META_SUBSCRIPTION_ID,
  notificationFrame,
  readFrame,
  revisionOf,
} from "@touchstone/protocol/advanced";
import { joinBatch, visible } from "@touchstone/util";
import { eraOfRequest } from "../eras/eras.ts";
import { LISTEN, toolListChange } from "../pipeline/list-change.ts";
import { agreedRevision, MODERN_REVISIONS } from "./handshake.ts";
import type { AnsweringServer, MockClient } from "./mock-server.ts";
import { comparableParams } from "./request-key.ts";

const { internalError, parseError, invalidRequest, unsupportedProtocolVersion } = ERROR_CODES;
/** How many subscriptions of one client get changes. */
const MAX_SUBSCRIPTIONS = 1_000;

/** A conversation with one client of a mock. */
export class MockConversation {
  readonly #server: Pick<AnsweringServer, "answer">;
  /** The revision of a handshake. */
  #agreed: string | undefined;
  /** Whether the client sent a request without subscribing to anything, as clients of earlier revisions do. */
  #getsAllChanges = false;
  /** The ids of the subscriptions to changes of the list of tools. */
  readonly #subscriptions: Set<string> = new Set();

  /** @param agreed the revision that the client has agreed on, if this is known from elsewhere */
  constructor(server: Pick<AnsweringServer, "answer">, agreed?: string) {
    this.#server = server;
    this.#agreed = agreed;
  }

  /** Returns the notifications that the list of tools has changed, as this client expects them. */
  toolsChanged(): readonly Uint8Array[] {
    const subscribed = [...this.#subscriptions].map((id) => toolListChange(id));
    return this.#getsAllChanges ? [toolListChange(), ...subscribed] : subscribed;
  }

  /** Takes a message of the client. Returns what is still to be sent, if that is not known at once. Never throws. */
  take(bytes: Uint8Array, client: MockClient): void | Promise<void> {
    const frame = readFrame(bytes);
    if (frame.kind === "request") return this.#request(frame, client);
    if (frame.kind === "batch") return this.#batch(frame, client);
    if (frame.kind !== "invalid") return;
    const isJson = frame.scan.error === undefined;
    const [code, text] = isJson
      ? [invalidRequest, "not a JSON-RPC message"]
      : [parseError, `not JSON: ${frame.scan.error.message}`];
    client.respond(errorFrame(frame.id ?? null, code, text));
  }

  #request(frame: Frame, client: MockClient): void | Promise<void> {
    const { method, id } = frame;
    if (method === undefined || id === undefined || frame.idKey?.startsWith("x") !== false) {
      const text = "a request has a method and an id, a string or a number";
      client.respond(errorFrame(null, invalidRequest, text));
      return;
    }
    try {
      const { version } = detectRevision({ frame });
      const era = eraOfRequest(frame);
      if (method === "initialize") this.#agreed = agreedRevision(frame.initializeVersion);
      else if (!era.hasHandshake && version !== undefined && revisionOf(version) === undefined) {
        client.respond(unsupported(id, version));
        return;
      }
      if (era.hasServerStream) this.#getsAllChanges = true;
      else if (method === LISTEN) {
        this.#subscribe(frame, id, client);
        return;
      }
      const revision = era.hasHandshake ? this.#agreed : version;
      const asked = { frame, method, id, era, revision, params: comparableParams(frame) };
      const rest = this.#server.answer(asked, client);
      return rest?.catch((error: unknown) => client.respond(failed(id, error)));
    } catch (error) {
      client.respond(failed(id, error));
    }
  }

  async #batch(frame: Frame, client: MockClient): Promise<void> {
    const responses: Uint8Array[] = [];
    const each: MockClient = {
      notify: (message) => client.notify(message),
      respond: (response) => responses.push(response),
      cut: (beginning) => client.cut(beginning),
    };
    for (const { start, end } of batchItems(frame)) {
      await this.take(frame.bytes.subarray(start, end), each);
    }
    if (responses.length > 0) client.respond(joinBatch(responses));
  }

  /** Acknowledges a subscription, which gets no response before it ends. */
  #subscribe(frame: Frame, id: string, client: MockClient): void {
    const { params } = frame.ranges;
    const parsed = parseJson(params === undefined ? "{}" : frame.text(params));
    const wanted = parsed.ok && isObject(parsed.value) ? parsed.value["notifications"] : undefined;
    const isToTools = isObject(wanted) && wanted["toolsListChanged"] === true;
    if (isToTools && this.#subscriptions.size < MAX_SUBSCRIPTIONS) this.#subscriptions.add(id);
    const meta = `{${JSON.stringify(META_SUBSCRIPTION_ID)}:${id}}`;
    const text = `{"_meta":${meta},"notifications":${JSON.stringify(wanted ?? {})}}`;
    client.notify(notificationFrame("notifications/subscriptions/acknowledged", text));
  }
}

function failed(id: string, error: unknown): Uint8Array {
  return errorFrame(id, internalError, error instanceof Error ? error.message : String(error));
}

function unsupported(id: string, requested: string): Uint8Array {
  const data = { supported: MODERN_REVISIONS, requested: visible(requested, 100) };
  return errorFrame(id, unsupportedProtocolVersion, "Unsupported protocol version", data);
}
