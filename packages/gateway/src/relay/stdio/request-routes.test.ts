import { type CutMessage, readFrame } from "@touchstone/protocol/advanced";
import { expect, it } from "vitest";
import { MAX_REPORTED_ITEMS, RequestRoutes } from "./request-routes.ts";

const read = (text: string) => readFrame(Buffer.from(text));
const answer = (id: number | string) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

const IGNORED = {
  message: async () => {},
  answer: async () => {},
  oversize: async () => {},
  lost: async () => {},
  refused: async () => {},
  stalled: () => {},
};

function routesOf(requests: number) {
  const told = { apart: [] as string[], more: [] as number[], answers: [] as string[] };
  const cuts: (readonly [head: string, tail: string])[] = [];
  const kept = ({ head, tail }: CutMessage) =>
    [Buffer.from(head).toString(), Buffer.from(tail).toString()] as const;
  const routes = new RequestRoutes(
    {
      request: ({ kind }) => void told.apart.push(kind),
      other: ({ kind }) => void told.apart.push(kind),
      more: (count) => void told.more.push(count),
      oversize: () => void told.apart.push("oversize"),
    },
    () => {},
    () => {},
  );
  for (let i = 0; i < requests; i += 1) {
    routes.add(read(`{"jsonrpc":"2.0","id":"c${i}","method":"ping"}`), {
      ...IGNORED,
      answer: async (frame) => void told.answers.push(Buffer.from(frame).toString()),
      oversize: async (cut) => void cuts.push(kept(cut)),
    });
  }
  return { routes, told, cuts };
}

it.each([
  ["5", "2", "5"],
  ["5", '"2"', '"5"'],
  ['"t"', '"2"', '"t"'],
])("restores the progress token %s if the server writes %s", (token, told, restored) => {
  const { routes } = routesOf(1);
  const messages: string[] = [];
  const params = (progressToken: string) => `{"progressToken":${progressToken},"progress":1}`;
  const asked = `{"jsonrpc":"2.0","id":"c","method":"ping","params":{"_meta":{"progressToken":${token}}}}`;
  routes.add(read(asked), {
    ...IGNORED,
    message: async (frame) => void messages.push(Buffer.from(frame).toString()),
  });
  const progress = (by: string) =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":${params(by)}}`;
  routes.take(read(progress(told)));
  expect(messages).toEqual([progress(restored)]);
});

it("reports each message of a short batch that belongs to no request", () => {
  const { routes, told } = routesOf(1);
  routes.take(read(`[1,{"jsonrpc":"2.0","id":7,"method":"x"},${answer(99)},${answer(1)}]`));
  const apart = ["invalid", "request", "response"];
  expect(told).toEqual({ apart, more: [], answers: [answer('"c0"')] });
});

it.each([
  ["what is not a message", "1"],
  ["messages of no request", '{"jsonrpc":"2.0","method":"notifications/x"}'],
  ["answers to nobody", answer(99)],
  ["requests", '{"jsonrpc":"2.0","id":7,"method":"x"}'],
])("counts %s beyond the first thousand, and loses no response", (_, item) => {
  const { routes, told } = routesOf(3);
  const junk = Array<string>(2 * MAX_REPORTED_ITEMS).fill(item);
  routes.take(read(`[${[...junk, answer(1), ...junk, answer('"2"')].join()}]`));
  expect(told.apart).toHaveLength(MAX_REPORTED_ITEMS);
  expect(told.more).toEqual([3 * MAX_REPORTED_ITEMS]);
  expect(told.answers).toEqual([answer('"c0"'), answer('"c1"')]);
  expect(routes.size).toBe(1);
});

it.each([
  [
    "a request of its id, which is the server's own",
    1,
    '{"jsonrpc":"2.0","id":1,"method":"x","params":{',
  ],
  ["what broke off before its id, while several wait", 2, '{"jsonrpc":"2.0","result":{"x'],
  ["what has no id and is whole, while several wait", 2, '{"jsonrpc":"2.0","result":{}}'],
  ["what is not a message, and broke off", 1, '{"level":"info'],
])("does not accept as a response: %s", (_, requests, text) => {
  const { routes, told } = routesOf(requests);
  routes.take(read(text));
  expect(told.answers).toEqual([]);
  expect([told.apart.length, routes.size]).toEqual([1, requests]);
});

it.each(["", '"id":null,'])("assigns a response without an id to the only request: %s", (id) => {
  const { routes, told } = routesOf(1);
  const text = `{"jsonrpc":"2.0",${id}"error":{"code":1,"message":""}}`;
  routes.take(read(text));
  expect(told.answers).toEqual([text]);
  expect(routes.size).toBe(0);
});

it.each([
  ["that was never given out, if only one waits", 1, 1, ["0", "2", "1.5", '"other"', "{}"]],
  ["that was never given out, while several wait", 2, 0, ["0", "3", '"other"']],
])("handles a response with an id %s", (_, requests, taken, ids) => {
  for (const id of ids) {
    const { routes, told } = routesOf(requests);
    routes.take(read(answer(id)));
    expect(told.answers).toEqual(taken === 1 ? [answer(id)] : []);
    expect([told.apart.length, routes.size]).toEqual([1 - taken, requests - taken]);
  }
});

it.each(["1", '"1"', '" 01"', "1.0"])(
  "does not deliver a repeated response to another request: %s",
  (id) => {
    const { routes, told } = routesOf(2);
    routes.take(read(answer(1)));
    routes.take(read(answer(id)));
    expect([told.answers.length, told.apart.length, routes.size]).toEqual([1, 1, 1]);
  },
);

it("assigns a message that broke off before its id to the only request", () => {
  const { routes, told } = routesOf(1);
  const text = '{"jsonrpc":"2.0","result":{"x';
  routes.take(read(text));
  expect(told).toMatchObject({ apart: [], answers: [text] });
  expect(routes.size).toBe(0);
});

it("assigns a cut large response to its request, with the client's id", () => {
  const { routes, told, cuts } = routesOf(3);
  const cut = (head: string, tail: string): CutMessage => ({
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    size: 99,
  });
  routes.takeOversize(cut('{"jsonrpc":"2.0","id":1,"result":{"x', '"}}'));
  routes.takeOversize(cut('{"jsonrpc":"2.0","result":{"x', 'y"},"id":2}'));
  routes.takeOversize(cut('{"jsonrpc":"2.0","id":3,"method":"x","params":{"x', '"}}'));
  expect(told.apart).toEqual(["oversize"]);
  routes.takeOversize(cut('{"jsonrpc":"2.0","result":{"x', '"}}'));
  expect(cuts.slice(0, 2)).toEqual([
    ['{"jsonrpc":"2.0","id":"c0","result":{"x', '"}}'],
    ['{"jsonrpc":"2.0","result":{"x', 'y"},"id":"c1"}'],
  ]);
  expect([cuts.length, told.apart.length, routes.size]).toEqual([3, 1, 0]);
});
