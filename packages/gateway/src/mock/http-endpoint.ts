import {
  type CutMessage,
  type Frame,
  nameHeaderFault,
  readFrame,
} from "@touchstone/protocol/advanced";
import { eraOf } from "../eras/eras.ts";
import { httpStatusOfCode } from "../eras/modern.ts";
import { LISTEN, toolListChange } from "../pipeline/list-change.ts";
import type { Endpoint } from "../relay/http/endpoint.ts";
import { sendHeaderFault } from "../relay/http/param-headers.ts";
import { EventStream } from "../transport/http/event-stream.ts";
import { type HttpRequest, type HttpResponse, headerOf } from "../transport/http/http-message.ts";
import { Reply } from "../transport/http/reply.ts";
import { sendError } from "../transport/http/responses.ts";
import { MockConversation } from "./conversation.ts";
import type { MockClient, MockServer } from "./mock-server.ts";

/**
 * A mock over Streamable HTTP, in both eras. It has no sessions: all clients get the recorded responses in turn, and a
 * client of an earlier revision names its revision in a header.
 */
export class MockEndpoint implements Endpoint {
  readonly #server: MockServer;
  readonly sessions = 0;

  constructor(server: MockServer) {
    this.#server = server;
  }

  has(): boolean {
    return false;
  }

  async post(request: HttpRequest, response: HttpResponse, body: Uint8Array): Promise<void> {
    const frame = readFrame(body);
    const named = headerOf(request, "mcp-protocol-version");
    const header = (name: string): string | undefined => headerOf(request, name);
    const fault =
      eraOf(frame.protocolVersion ?? named).headersFault(frame, header) ??
      nameHeaderFault(frame, header);
    if (fault !== undefined) {
      sendHeaderFault(response, frame, fault);
      return;
    }
    const conversation = new MockConversation(this.#server, named);
    const reply = new Reply(response, expectsResponse(frame) ? 1 : 0);
    if (frame.method === LISTEN) this.#announce(conversation, response, reply);
    await conversation.take(body, clientOf(reply, frame, response));
    if (!expectsResponse(frame)) reply.accepted();
  }

  async refuse(
    _: HttpRequest,
    response: HttpResponse,
    _cut: CutMessage,
    limit: number,
  ): Promise<void> {
    sendError(response, 413, `the body is larger than the limit of ${limit} bytes`);
  }

  /** Opens the stream of a client of an earlier revision, for changes of the list of tools. */
  async get(request: HttpRequest, response: HttpResponse): Promise<void> {
    if (!eraOf(headerOf(request, "mcp-protocol-version")).hasServerStream) {
      refuseMethod(response, "POST");
      return;
    }
    const stream = new EventStream(response);
    const unwatch = this.#server.watchTools(() => void stream.send(toolListChange()));
    response.once("close", unwatch);
  }

  /** There are no sessions to end. */
  async delete(_: HttpRequest, response: HttpResponse): Promise<void> {
    refuseMethod(response, "GET, POST");
  }

  spare(): void {}

  async rest(): Promise<void> {}

  async close(): Promise<void> {
    this.#server.stop();
  }

  #announce(conversation: MockConversation, response: HttpResponse, reply: Reply): void {
    const unwatch = this.#server.watchTools(() => {
      for (const message of conversation.toolsChanged()) void reply.message(message);
    });
    response.once("close", unwatch);
  }
}

/** Returns whether a message gets a response: also one that is not JSON, and a batch with a request. */
function expectsResponse({ kind }: Frame): boolean {
  return kind === "request" || kind === "batch" || kind === "invalid";
}

function clientOf(reply: Reply, frame: Frame, response: HttpResponse): MockClient {
  return {
    notify: (message) => void reply.message(message),
    respond: (bytes) => void reply.answer(bytes, { status: statusOf(bytes, frame) }),
    cut: (beginning) => {
      if (response.headersSent) void reply.message(beginning);
      else {
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": 2 * beginning.length + 1,
        });
        response.write(beginning);
      }
      // What was written goes out first.
      setImmediate(() => reply.abandon());
    },
  };
}

/** Returns the HTTP status of a response. Earlier revisions have one for what is not a message. */
function statusOf(response: Uint8Array, { kind, protocolVersion }: Frame): number {
  if (kind === "invalid") return 400;
  if (eraOf(protocolVersion).hasHandshake) return 200;
  return httpStatusOfCode(readFrame(response).errorCode) ?? 200;
}

function refuseMethod(response: HttpResponse, allow: string): void {
  sendError(response, 405, "Method not allowed", { headers: { allow } });
}
