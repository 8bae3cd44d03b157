import {
  errorFrame,
  notificationFrame,
  readFrame,
  requestFrame,
  resultFrame,
} from "@touchstone/protocol/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OwnRequests } from "./own-requests.ts";

function link(timeoutMs?: number) {
  const sent: Uint8Array[] = [];
  const own = new OwnRequests(async (frame) => {
    sent.push(frame);
  }, timeoutMs);
  return { own, sent, id: (at: number) => readFrame(sent[at] ?? new Uint8Array()).id ?? "" };
}

describe("the gateway's own requests", () => {
  it("get their responses in any order", async () => {
    const { own, sent, id } = link();
    const first = own.ask("tools/list", "{}");
    const second = own.ask("tools/list", '{"cursor":"2"}');
    expect(Buffer.from(sent[1] ?? []).toString()).toBe(
      `{"jsonrpc":"2.0","id":${id(1)},"method":"tools/list","params":{"cursor":"2"}}`,
    );
    const result = resultFrame(id(1), '{"tools":[]}');
    const error = errorFrame(id(0), -32601, "no");
    expect(own.accept(readFrame(result))).toBe(true);
    expect(own.accept(readFrame(error))).toBe(true);
    expect(await second).toBe(result);
    expect(await first).toBe(error);
  });

  it("accept a response that is spelled differently, and one that is repeated", async () => {
    const { own, id } = link();
    const asked = own.ask("tools/list", "{}");
    const escaped = resultFrame(id(0).replace("t", "\\u0074"), "{}");
    expect(own.accept(readFrame(escaped))).toBe(true);
    expect(await asked).toBe(escaped);
    expect(own.accept(readFrame(escaped))).toBe(true);
  });

  it("use ids that no other link uses", () => {
    const ids = [link(), link()].map(({ own, id }) => {
      own.ask("tools/list", "{}").catch(() => {});
      const used = id(0);
      own.end("over");
      return used;
    });
    expect(new Set(ids).size).toBe(2);
  });

  it("leave all other messages alone", () => {
    const { own, id } = link();
    own.ask("tools/list", "{}").catch(() => {});
    const key = fc.oneof(fc.string(), fc.integer()).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(key, fc.json(), (other, body) => {
        expect(own.accept(readFrame(resultFrame(other, body)))).toBe(false);
        expect(own.accept(readFrame(errorFrame(other, -1, body)))).toBe(false);
        expect(own.accept(readFrame(requestFrame(other, "ping")))).toBe(false);
        expect(own.accept(readFrame(Buffer.from(body)))).toBe(false);
      }),
    );
    // A server's own request under our id is none of our answers.
    expect(own.accept(readFrame(requestFrame(id(0), "ping")))).toBe(false);
    expect(own.accept(readFrame(notificationFrame("x")))).toBe(false);
    own.end("over");
  });

  it.each([
    ["[ $0 , $1 ]", undefined],
    [
      '[ $0 , {"jsonrpc":"2.0","id":7,"result":{"a" : 1.0}} ]',
      '[ {"jsonrpc":"2.0","id":7,"result":{"a" : 1.0}} ]',
    ],
    [
      '[{"jsonrpc":"2.0","id":7,"result":{}} , $1 , 5,$0]',
      '[{"jsonrpc":"2.0","id":7,"result":{}} , 5]',
    ],
    ["[$0,$1, 1 ,2]", "[1 ,2]"],
    ["[]", "[]"],
    ["[1,[],{}]", "[1,[],{}]"],
  ])(
    "have their responses removed from a batch, with everything else unchanged: %s",
    async (batch, left) => {
      const { own, id } = link();
      const asked = [own.ask("tools/list", "{}"), own.ask("tools/list", '{"cursor":"2"}')];
      const answers = [0, 1].map((at) =>
        Buffer.from(resultFrame(id(at), '{ "tools":[] }')).toString(),
      );
      const given = batch.replace("$0", answers[0] ?? "").replace("$1", answers[1] ?? "");
      const rest = own.takeFrom(readFrame(Buffer.from(given)), readFrame);
      expect(rest && Buffer.from(rest.bytes).toString()).toBe(left);
      for (const at of [0, 1]) {
        if (batch.includes(`$${at}`))
          expect(Buffer.from((await asked[at]) ?? []).toString()).toBe(answers[at]);
        else asked[at]?.catch(() => {});
      }
      own.end("over");
    },
  );

  it("leave a batch with too many messages unchanged, which is then refused", () => {
    const { own, id } = link();
    own.ask("tools/list", "{}").catch(() => {});
    const answer = Buffer.from(resultFrame(id(0), "{}")).toString();
    const frame = readFrame(Buffer.from(`[${answer}${",1".repeat(1_000)}]`));
    expect(own.takeFrom(frame, readFrame)).toBe(frame);
    own.end("over");
  });

  it("time out, and still remove a late response", async () => {
    const { own, id } = link(1);
    await expect(own.ask("tools/list", "{}")).rejects.toThrow(
      "did not respond to tools/list within 1 ms",
    );
    expect(own.accept(readFrame(resultFrame(id(0), "{}")))).toBe(true);
  });

  it("fail with the reason if the link ends, before or after", async () => {
    const { own, sent } = link();
    const waiting = own.ask("tools/list", "{}");
    own.end("the server exited with code 1");
    await expect(waiting).rejects.toThrow("the server exited with code 1");
    await expect(own.ask("tools/list", "{}")).rejects.toThrow("the server exited with code 1");
    expect(sent).toHaveLength(1);
  });

  it("fail if they cannot be sent", async () => {
    const own = new OwnRequests(() => Promise.reject(new Error("broken pipe")));
    await expect(own.ask("tools/list", "{}")).rejects.toThrow("broken pipe");
  });
});
