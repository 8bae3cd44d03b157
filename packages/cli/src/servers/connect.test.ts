import { expect, it } from "vitest";
import { ChildLink } from "../../../gateway/src/transport/stdio/child.ts";
import { connect } from "./connect.ts";
import { ServerPeer } from "./peer.ts";

/** More items than a function call can have arguments. */
const MANY = 200_000;
const SERVER = `
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
    "tools/list": () => ({ tools: Array(${MANY}).fill(0) }),
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const error = { code: -32601, message: "not found" };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(answer ? { result: answer(params) } : { error }) }));
  });`;

const TELLS = `
  const has = (name) => name + "=" + process.env[name];
  console.error(["OURS", "TOUCHSTONE_TEST", "OWN", "HOME"].map(has).join(" "));
  process.exit(1);`;

it.each([
  [true, "OURS=x TOUCHSTONE_TEST=undefined OWN=undefined HOME=/h"],
  [false, "OURS=undefined TOUCHSTONE_TEST=undefined OWN=1 HOME=/h"],
])(
  "starts a server with the environment that wrap (%s) or serve would give it",
  async (own, wanted) => {
    const args = ["-e", TELLS];
    const env = own ? {} : { OWN: "1" };
    const upstream = { type: "stdio", command: process.execPath, args, env } as const;
    let said = "";
    const stderr = (text: string): void => {
      said += text;
    };
    const outer = { OURS: "x", TOUCHSTONE_TEST: "x", HOME: "/h" };
    const options = { timeout: 30_000, stderr, env: outer, version: "1" };
    const stop = new AbortController().signal;
    const connecting = connect({ name: "s", upstream, isOwnCommand: own }, { ...options, stop });
    await expect(connecting).rejects.toThrow();
    expect(said).toBe(`${wanted}\n`);
  },
);

it.each([
  ["begins anew", `() => ({ tools: [{ name: "a" }], nextCursor: "" })`, ["a"]],
  [
    "goes on",
    `(params) => ({ tools: [{ name: params?.cursor === undefined ? "a" : "b" }], nextCursor: "" })`,
    ["a", "b"],
  ],
])("stops listing at an empty cursor if the server %s", async (_, list, names) => {
  const args = ["-e", SERVER.replace(/"tools\/list": .*$/m, () => `"tools/list": ${list},`)];
  const upstream = { type: "stdio", command: process.execPath, args, env: {} } as const;
  const stop = new AbortController().signal;
  const options = { timeout: 30_000, stderr: () => {}, env: process.env, version: "1", stop };
  const connection = await connect({ name: "s", upstream }, options);
  try {
    expect(await connection.listTools()).toEqual(names.map((name) => ({ name })));
    const pages: string[] = [];
    await connection.listTools((text) => pages.push(text));
    expect(pages).toHaveLength(names.length);
  } finally {
    await connection.close();
  }
});

it("lists more tools than a function call takes arguments", async () => {
  const upstream = {
    type: "stdio",
    command: process.execPath,
    args: ["-e", SERVER],
    env: {},
  } as const;
  const stop = new AbortController().signal;
  const options = { timeout: 30_000, stderr: () => {}, env: process.env, version: "1", stop };
  const connection = await connect({ name: "s", upstream }, options);
  try {
    expect(await connection.listTools()).toHaveLength(MANY);
  } finally {
    await connection.close();
  }
});

/** Starts a program as a peer; returns the peer and a promise that resolves when the program has ended. */
function peerOf(program: string, stop: AbortSignal) {
  let link: ChildLink | undefined;
  const args = ["-e", program];
  const peer = new ServerPeer((events) => {
    const env = { PATH: process.env["PATH"] ?? "" };
    const child = { command: process.execPath, args, env, maxFrameBytes: 1_000 };
    link = new ChildLink({ ...child, stderr: () => {}, hurry: stop }, events);
    return link;
  }, stop);
  return { peer, ended: link?.ended };
}

it("reports how a server has ended, also to a request that comes after its end", async () => {
  const { peer, ended } = peerOf("process.exit(3)", new AbortController().signal);
  await ended;
  await expect(peer.request("tools/list", "{}", 30_000)).rejects.toMatchObject({
    message: "exited with code 3",
    code: "CONNECTION_CLOSED",
  });
});

it("ends a server that is started when the command is being stopped already", async () => {
  const { ended } = peerOf("setInterval(() => {}, 1_000)", AbortSignal.abort());
  expect(await ended).toMatchObject({ stopped: true });
});
