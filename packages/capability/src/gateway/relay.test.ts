import { InMemoryTransport } from "@modelcontextprotocol/client";
import { type CompiledSchema, compileDeclared } from "@touchstone/core/advanced";
import { afterEach, describe, expect, it } from "vitest";
import { ToolValidator } from "../client/tool-validator.ts";
import { ownMember } from "../object.ts";
import { edited } from "../testing/edited.ts";
import { connect, SERVERS } from "../testing/sdk.ts";
import { capabilityEdit, gatewayCapability, validateToolEdit } from "./announce.ts";
import { answerValidate, type DecideCall } from "./answer-validate.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const OPTIONS = { method: "validate", maxBatchSize: 2 };
type Message = Record<string, unknown>;
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** A relay between a client and a server that adds validation to the messages. */
function relay(upstream: object) {
  const [server, fromServer] = InMemoryTransport.createLinkedPair();
  const contracts = new Map<string, CompiledSchema>();
  const decide: DecideCall = async (tool, args) => {
    const check = contracts.get(tool)?.validateText(args);
    return check && { decision: check.valid ? "allowed" : "blocked", check };
  };
  const asked = new Map<unknown, string>();
  const learn = (tools: unknown): void => {
    for (const tool of Array.isArray(tools) ? tools : []) {
      const schema = compileDeclared({ value: ownMember(tool, "inputSchema") });
      contracts.set(String(ownMember(tool, "name")), schema);
    }
  };
  const change = (method: string | undefined, result: unknown): unknown => {
    const given = bytes(result);
    const isList = method === "tools/list";
    if (isList) learn(ownMember(result, "tools"));
    const changed = isList
      ? edited(given, "tools", (bytes, range) => validateToolEdit(bytes, range, OPTIONS))
      : method === "initialize" &&
        edited(given, "capabilities", (bytes, range) =>
          capabilityEdit(bytes, range, gatewayCapability(OPTIONS)),
        );
    return JSON.parse(Buffer.from(changed || given).toString());
  };
  return {
    asked,
    /** Connects to a client in the role of the server. */
    async connect(toClient: InMemoryTransport) {
      fromServer.onmessage = (message) => {
        const { id, result } = message as Message;
        const answer =
          result === undefined ? message : { ...message, result: change(asked.get(id), result) };
        void toClient.send(answer as never);
      };
      toClient.onmessage = (message) => {
        const { id, method, params } = message as Message;
        if (method === "tools/call" && ownMember(params, "name") === OPTIONS.method) {
          const args = bytes(ownMember(params, "arguments"));
          void answerValidate(args, decide, OPTIONS).then((text) =>
            toClient.send({ jsonrpc: "2.0", id: id as number, result: JSON.parse(text) }),
          );
          return;
        }
        asked.set(id, String(method));
        void fromServer.send(message as never);
      };
      await fromServer.start();
      await (upstream as { connect(transport: unknown): Promise<void> }).connect(server);
      await toClient.start();
    },
  };
}

describe.each(Object.keys(SERVERS))("a gateway in front of %s", (kind) => {
  it.each(["v1", "v2"] as const)(
    "adds validation that a %s client finds and uses",
    async (generation) => {
      const made = SERVERS[kind]?.();
      if (made === undefined) throw new Error(kind);
      const gateway = relay(made.server);
      const client = await connect(generation, gateway);
      open.push(client, made.server);
      const validator = new ToolValidator({ files: client });
      const calls = [{ path: "a" }, { size: 1 }, { path: 1 }].map((args) => ({
        tool: "files:write_file",
        arguments: args,
      }));
      const results = await validator.validateTools(calls);
      expect(results.map(({ valid, method }) => [valid, method])).toEqual([
        [true, "native"],
        [false, "native"],
        [false, "native"],
      ]);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
        "write_file",
        "validate",
      ]);
      expect([...gateway.asked.values()]).not.toContain("tools/call");
      expect(made.ran).toEqual([]);
    },
  );
});
