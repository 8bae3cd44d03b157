import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model says in one turn: a text, or a call with its arguments as JSON text. */
export type Turn = string | { readonly tool: string; readonly input: string };

type Body = {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly Record<string, unknown>[];
};

/** A local server that answers as the Messages API, by a script, and keeps the requests that it received. */
export interface AnthropicModel {
  readonly url: string;
  readonly requests: readonly Body[];
  /** The `tool_result` blocks that the model was sent, in order. */
  results(): readonly ResultBlock[];
  close(): Promise<void>;
}

type ResultBlock = { readonly content: unknown; readonly is_error?: boolean };

function isResult(block: unknown): block is ResultBlock {
  return (
    typeof block === "object" && block !== null && Reflect.get(block, "type") === "tool_result"
  );
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

const USAGE = '{"input_tokens":1,"output_tokens":1}';

function message(id: string, content: string, reason: string): string {
  return `{"id":"msg_${id}","type":"message","role":"assistant","model":"m","content":[${content}],"stop_reason":"${reason}","stop_sequence":null,"usage":${USAGE}}`;
}

function whole(turn: Turn, id: string): string {
  if (typeof turn === "string") {
    return message(id, `{"type":"text","text":${JSON.stringify(turn)}}`, "end_turn");
  }
  const use = `{"type":"tool_use","id":"${id}","name":"${turn.tool}","input":${turn.input}}`;
  return message(id, use, "tool_use");
}

function streamed(turn: Turn, id: string): string {
  const isText = typeof turn === "string";
  const start = message(id, "", "end_turn").replace(
    '"stop_reason":"end_turn"',
    '"stop_reason":null',
  );
  const block = isText
    ? '{"type":"text","text":""}'
    : `{"type":"tool_use","id":"${id}","name":"${turn.tool}","input":{}}`;
  const deltas = isText
    ? [{ type: "text_delta", text: turn }]
    : (turn.input.match(/.{1,7}/gsu) ?? []).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
  const events = [
    `{"type":"message_start","message":${start}}`,
    `{"type":"content_block_start","index":0,"content_block":${block}}`,
    ...deltas.map((delta) => JSON.stringify({ type: "content_block_delta", index: 0, delta })),
    '{"type":"content_block_stop","index":0}',
    `{"type":"message_delta","delta":{"stop_reason":"${isText ? "end_turn" : "tool_use"}","stop_sequence":null},"usage":${USAGE}}`,
    '{"type":"message_stop"}',
  ];
  return events.map((data) => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join("");
}

export async function startAnthropicModel(turns: readonly Turn[]): Promise<AnthropicModel> {
  const requests: Body[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const turn = turns[requests.length] ?? "I am lost.";
    const id = `toolu_${requests.length}`;
    requests.push(body);
    const type = body.stream === true ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type, connection: "close" });
    response.end(body.stream === true ? streamed(turn, id) : whole(turn, id));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    results: () => {
      const blocks = requests.flatMap(({ messages }) => messages.at(-1)?.content ?? []);
      return blocks.filter(isResult);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
