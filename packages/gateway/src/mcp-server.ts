import {
  ERROR_CODES,
  errorFrame,
  resultFrame,
  revisionOf,
  toolErrorFrame,
} from "@touchstone/protocol/advanced";
import { visible } from "@touchstone/util";
import type { Declarations } from "./mock/declarations.ts";
import { modernMembers } from "./mock/envelope.ts";
import { generatedAnswer, promptFault } from "./mock/generated-answer.ts";
import { discoverMembers, type Introduction, initializeMembers } from "./mock/handshake.ts";
import type { AnsweringServer, Asked, MockClient } from "./mock/mock-server.ts";
import type { CallDecider } from "./server/decide-calls.ts";

export { type ClientStreams, serveStdio } from "./mock/serve-stdio.ts";

/** A tool that a server offers. */
export interface OfferedTool {
  readonly definition: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: object;
    readonly outputSchema: object;
    readonly annotations: object;
  };
  /**
   * Returns the structured content of the result.
   * @param args JSON that the input schema accepts
   * @throws Error with a text for the model
   */
  call(args: string): Promise<object>;
}

/** A prompt that a server offers. */
export interface OfferedPrompt {
  readonly definition: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly arguments: readonly object[];
  };
  /** Returns the text for a user's message. */
  text(args: Readonly<Record<string, string>>): string;
}

/** What a server offers. */
export interface Offer {
  readonly introduction: Introduction;
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly OfferedPrompt[];
}

const { invalidParams, methodNotFound } = ERROR_CODES;
const MAX_SHOWN = 200;
const NO_ARGUMENTS = "{}";

/**
 * Returns an MCP server for clients of all revisions. Arguments that a tool's schema refuses get the same error text
 * as from the gateway, and the tool is not called.
 */
export function mcpServer(offer: Offer): AnsweringServer {
  const declarations: Declarations = {
    tools: offer.tools.map(({ definition }) => JSON.stringify(definition)),
    prompts: offer.prompts.map(({ definition }) => JSON.stringify(definition)),
    introduction: offer.introduction,
  };
  return new OfferingServer(offer, declarations);
}

class OfferingServer implements AnsweringServer {
  readonly #offer: Offer;
  readonly #declarations: Declarations;
  #decider: Promise<CallDecider> | undefined;

  constructor(offer: Offer, declarations: Declarations) {
    this.#offer = offer;
    this.#declarations = declarations;
  }

  /** The lists never change. */
  watchTools(): () => void {
    return () => {};
  }

  /** Calls end without it: each response of a server has a time limit. */
  stop(): void {}

  answer(asked: Asked, client: MockClient): void | Promise<void> {
    if (asked.method !== "tools/call") {
      client.respond(this.#known(asked));
      return;
    }
    return this.#call(asked).then((response) => client.respond(response));
  }

  #known(asked: Asked): Uint8Array {
    const { introduction } = this.#offer;
    const { method, id, frame } = asked;
    switch (method) {
      case "initialize":
        return resultFrame(id, `{${initializeMembers(introduction, frame.initializeVersion)}}`);
      case "server/discover":
        return resultFrame(id, `{${discoverMembers(introduction)}}`);
      case "prompts/get":
        return this.#prompt(asked);
      default: {
        const answer = frame.hasCursor ? undefined : generatedAnswer(asked, this.#declarations);
        if (answer !== undefined) return answer;
        return frame.hasCursor
          ? errorFrame(id, invalidParams, "there is no page at this cursor")
          : errorFrame(id, methodNotFound, `Method not found: ${visible(method, MAX_SHOWN)}`);
      }
    }
  }

  #prompt({ id, frame, era, method }: Asked): Uint8Array {
    const fault = promptFault(frame, this.#declarations.prompts ?? []);
    if (fault !== undefined) return errorFrame(id, invalidParams, fault);
    const prompt = this.#offer.prompts.find(({ definition }) => definition.name === frame.name);
    const range = frame.ranges.arguments;
    const args = JSON.parse(range === undefined ? NO_ARGUMENTS : frame.text(range));
    const content = { type: "text", text: prompt?.text(args ?? {}) ?? "" };
    const type = era.namesResultType ? `${modernMembers(method)},` : "";
    return resultFrame(id, `{${type}"messages":${JSON.stringify([{ role: "user", content }])}}`);
  }

  async #call({ id, frame, era, revision }: Asked): Promise<Uint8Array> {
    const tool = this.#offer.tools.find(({ definition }) => definition.name === frame.name);
    if (tool === undefined) {
      const name = visible(frame.name ?? "", MAX_SHOWN);
      return errorFrame(id, invalidParams, `Unknown tool: ${name}`);
    }
    const modern = era.namesResultType;
    const range = frame.ranges.arguments;
    const args = range === undefined ? NO_ARGUMENTS : frame.text(range);
    const refusal = await this.#refusal(tool.definition.name, args);
    if (refusal !== undefined) {
      return revisionOf(revision ?? "")?.invalidArguments === "error"
        ? errorFrame(id, invalidParams, refusal)
        : toolErrorFrame(id, refusal, { modern });
    }
    try {
      const structured = JSON.stringify(await tool.call(args));
      const content = JSON.stringify([{ type: "text", text: structured }]);
      const type = modern ? `${modernMembers("tools/call")},` : "";
      return resultFrame(id, `{${type}"content":${content},"structuredContent":${structured}}`);
    } catch (error) {
      return toolErrorFrame(id, error instanceof Error ? error.message : String(error), { modern });
    }
  }

  /** Returns the text about arguments that the schema refuses. */
  async #refusal(tool: string, args: string): Promise<string | undefined> {
    this.#decider ??= import("./server/decide-calls.ts").then(({ decideCalls }) => {
      const page = `{"tools":[${this.#declarations.tools.join(",")}]}`;
      return decideCalls({ name: "touchstone", pages: [page] });
    });
    const decider = await this.#decider;
    const decided = await decider.arguments({ tool, arguments: Buffer.from(args) });
    return decided.decision === "blocked" ? (decided.text ?? "") : undefined;
  }
}
