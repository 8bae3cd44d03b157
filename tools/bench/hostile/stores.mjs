// Rows of `npm run bench:hostile`: lock files, drift, the rollout of a policy, and the tool and console API.
import { createHash } from "node:crypto";

const J = JSON.stringify;
const sha256 = (text) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const repeated = (count, make) => Array.from({ length: count }, (_, i) => make(i)).join();

/** Returns a lock file of many tools, as `touchstone lock` writes it except for its line breaks. */
function lockOf(count, description) {
  const tool = (i) =>
    `{"description":"${description}","inputSchema":{"type":"object"},"name":"t${i}"}`;
  const entry = (i) => {
    const [text, name] = [tool(i), `t${i}`];
    const members = {
      description: J(description),
      inputSchema: '{"type":"object"}',
      name: J(name),
    };
    const hashes = Object.fromEntries(
      Object.entries(members).map(([key, of]) => [key, sha256(of)]),
    );
    return `"${name}":{"hash":"${sha256(text)}","hashes":${J(hashes)},"definition":${text}}`;
  };
  return `{"lock_version":1,"servers":{"s":{"tools":{${repeated(count, entry)}}}}}`;
}
const LOCKS = {
  "10,000 tools of 300 bytes": () => lockOf(10_000, "d".repeat(300)),
  "10,000 tools of 3 kB, 33 MB": () => lockOf(10_000, "d".repeat(3_000)),
};
const lockRows = Object.entries(LOCKS).map(([what, make]) => ({
  feature: "lock",
  what: `a lock file of ${what}`,
  touchstone: { pin: "warn", lock: "big.lock" },
  files: { "big.lock": '{"lock_version":1,"servers":{}}' },
  prepare: async (session, _url, write) => {
    await session.open();
    await session.request("tools/list");
    write("big.lock", make());
  },
  run: (session) => session.request("tools/list"),
}));

const open = async (session) => {
  await session.open();
  await session.request("tools/list");
};
const OUTPUT = J({
  tools: [
    {
      name: "t0",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { a: {} } },
    },
  ],
});
const RESULTS = {
  "250 kB of 40,000 numbers": `{"a":[${repeated(40_000, (i) => i)}]}`,
  "250 kB of 15,000 keys": `{${repeated(15_000, (i) => `"key${i}":${i}`)}}`,
  "250 kB of 2,000 objects, each its own shape": `{"a":[${repeated(2_000, (i) => `{"k${i}":{"n${i}":[${i},"${"x".repeat(80)}"]}}`)}]}`,
};
const driftRows = Object.entries(RESULTS).map(([what, content]) => ({
  feature: "drift",
  what: `10 results of ${what}`,
  config: { activity: { drift: true }, output_validation: { mode: "warn" } },
  ordinary: OUTPUT,
  results: { "tools/call": `{"content":[],"structuredContent":${content}}` },
  prepare: open,
  run: async (session) => {
    for (let i = 0; i < 9; i += 1) await session.call("t0", "{}");
    return session.call("t0", "{}");
  },
}));

const ask = async (url, init) => {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
};
const post = (url, body) =>
  ask(url, { method: "POST", headers: { "content-type": "application/json" }, body });
const LISTS = {
  "10,000 tools of 3 kB": () =>
    `{"tools":[${repeated(10_000, (i) => `{"name":"t${i}","description":"${"x".repeat(3_000)}","inputSchema":{"type":"object"}}`)}]}`,
  "a tool with _meta of 3M numbers": () =>
    `{"tools":[{"name":"t0","inputSchema":{"type":"object"},"_meta":{"a":[${Array(3e6).fill("1.50").join()}]}}]}`,
  "a tool with a schema of 1 MB": () =>
    `{"tools":[{"name":"t0","inputSchema":{"type":"object","properties":{${repeated(20_000, (i) => `"p${i}":{"description":"d${i}"}`)}}}}]}`,
};
/** What the console and programs request about a server with such a list. */
const PAGES = ["servers/s/tools", "api/v1/servers", "api/v1/servers/s", "api/v1/overview"];
const pageRows = Object.entries(LISTS).flatMap(([what, make]) =>
  PAGES.map((page) => ({
    feature: "console and tool API",
    what: `GET /${page} with ${what}`,
    results: { "tools/list": make },
    statuses: [200, 404, 413, 502],
    // Loading code for the first request is not measured, but reading the list is.
    prepare: async (_session, url) => {
      await ask(`${url}/api/v1/status`);
    },
    run: async (session, url) => {
      await open(session);
      return ask(`${url}/${page}`);
    },
  })),
);

const CHECKS = {
  "arguments of 15 MB": () => `{"a":"${"x".repeat(15e6)}"}`,
  "arguments of 1M numbers": () => `{"a":[${Array(1e6).fill("1.5").join()}]}`,
  "arguments of 60,000 keys": () => `{${repeated(60_000, (i) => `"k${i}":${i}`)}}`,
};
const checkRows = Object.entries(CHECKS).map(([what, make]) => ({
  feature: "POST /api/v1/check",
  what,
  statuses: [200, 413, 400],
  prepare: async (session, url) => {
    await open(session);
    await post(`${url}/api/v1/check`, '{"server":"s","tool":"t0","arguments":{}}');
  },
  run: (_session, url) =>
    post(`${url}/api/v1/check`, `{"server":"s","tool":"t0","arguments":${make()}}`),
}));

const rolloutRow = {
  feature: "rollout",
  what: "GET /api/v1/activity/rollout after 300 calls with 40 arguments",
  touchstone: { policy: { mode: "warn", deny_tools: ["delete_*"] } },
  prepare: async (session, url) => {
    await open(session);
    const args = `{${repeated(40, (i) => `"a${i}":"${"v".repeat(100)}"`)}}`;
    for (let i = 0; i < 300; i += 1) await session.call("t0", args);
    await ask(`${url}/api/v1/activity/rollout`);
  },
  run: (_session, url) => ask(`${url}/api/v1/activity/rollout`),
};

export const ROWS = [...lockRows, ...driftRows, ...pageRows, ...checkRows, rolloutRow];
