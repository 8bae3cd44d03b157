import { readFrame } from "@touchstone/protocol";
import { expect, it } from "vitest";
import { MAX_APART, RequestRoutes } from "./request-routes.ts";

const read = (text: string) => readFrame(Buffer.from(text));
const answer = (id: number | string) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

function routesOf(requests: number) {
  const told = { apart: [] as string[], more: [] as number[], answers: [] as string[] };
  const routes = new RequestRoutes(
    {
      request: ({ kind }) => void told.apart.push(kind),
      other: ({ kind }) => void told.apart.push(kind),
      more: (count) => void told.more.push(count),
      oversize: () => {},
    },
    () => {},
    () => {},
  );
  for (let i = 0; i < requests; i += 1) {
    routes.add(read(`{"jsonrpc":"2.0","id":"c${i}","method":"ping"}`), {
      message: async () => {},
      answer: async (frame) => void told.answers.push(Buffer.from(frame).toString()),
      oversize: async () => {},
      lost: async () => {},
      refused: async () => {},
      stalled: () => {},
    });
  }
  return { routes, told };
}

it("tells of each message of a short batch that belongs to no request", () => {
  const { routes, told } = routesOf(1);
  routes.take(read(`[1,{"jsonrpc":"2.0","id":7,"method":"x"},${answer(99)},${answer(1)}]`));
  const apart = ["invalid", "request", "response"];
  expect(told).toEqual({ apart, more: [], answers: [answer('"c0"')] });
});

it.each([
  ["what is no message", "1"],
  ["messages of no request", '{"jsonrpc":"2.0","method":"notifications/x"}'],
  ["answers to nobody", answer(99)],
  ["requests", '{"jsonrpc":"2.0","id":7,"method":"x"}'],
])("tells at once of %s beyond the first thousand, and loses no answer", (_, item) => {
  const { routes, told } = routesOf(3);
  const junk = Array<string>(2 * MAX_APART).fill(item);
  routes.take(read(`[${[...junk, answer(1), ...junk, answer('"2"')].join()}]`));
  expect(told.apart).toHaveLength(MAX_APART);
  expect(told.more).toEqual([3 * MAX_APART]);
  expect(told.answers).toEqual([answer('"c0"'), answer('"c1"')]);
  expect(routes.size).toBe(1);
});
