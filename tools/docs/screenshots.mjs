// Takes the pictures of the console in docs/images/console, in both themes: npm run docs:screenshots
//
// Starts the built gateway with the example servers on a clock that runs behind, several times, and makes the same calls as
// three agents, so that pages have a week to show. Then opens each page in Chromium. Build first.
//
// Options:
//   --out FOLDER   where the pictures go (default: docs/images/console)
//   --only WORD    only pages whose name contains this
//   --records DIR  keeps the records there; if there are some, no calls are made
import "../help.mjs";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startLoader } from "../source-modules.mjs";
import { inFewColors } from "./png.mjs";
import { FIRST_TERMS, history, LATER_TERMS } from "./screenshots-calls.mjs";

const { values: options } = parseArgs({
  options: { out: { type: "string" }, only: { type: "string" }, records: { type: "string" } },
});
const root = fileURLToPath(new URL("../..", import.meta.url));
const out = options.out ?? join(root, "docs/images/console");
const folder = options.records ?? mkdtempSync(join(tmpdir(), "touchstone-pictures-"));
const isThere = existsSync(join(folder, "data"));
mkdirSync(folder, { recursive: true });
const MAX_BYTES = 150_000;
const HOUR_MS = 3_600_000;

const KEYS = { alice: "key-of-alice-for-pictures", nightly: "key-of-nightly-for-pictures" };
const OPS = "key-of-ops-for-pictures";
// Screenshots show commands, but no path of a machine.
const node = (...args) => ({ command: "node", args, cwd: root });
const terms = join(folder, "billing.json");

/** As users would write it, with a server that is down and one whose tools are pinned. */
const CONFIG = {
  listen: { address: "127.0.0.1:0" },
  activity: { bodies: true, drift: true },
  http: { allow_execute: true },
  limits: { calls_per_minute: 600 },
  policy: { deny_tools: ["delete_*", "fail"] },
  auth: {
    keys: [
      { name: "alice", key: KEYS.alice },
      { name: "nightly-build", key: KEYS.nightly, servers: ["crm", "notes", "billing"] },
      { name: "ops", key: OPS, role: "admin" },
    ],
  },
  mcpServers: {
    crm: {
      ...node("examples/faulty-server/server.mjs"),
      touchstone: {
        input_validation: { mode: "strict" },
        tools: {
          update_contact: { narrow: { properties: { email: { pattern: "@example\\.com$" } } } },
        },
      },
    },
    notes: {
      ...node("examples/notes-server/server.mjs"),
      touchstone: { input_validation: { mode: "strict", repair: ["safe"] } },
    },
    billing: {
      ...node("billing-server.mjs"),
      cwd: folder,
      env: { DECLARED: terms },
      touchstone: { pin: "strict", lock: "first_use" },
    },
    everything: node("node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"),
    calendar: { command: "calendar-mcp" },
  },
};

/** Sets the clock of a process, and of its threads, back. */
const CLOCK = `
const shift = Number(process.env.TOUCHSTONE_PICTURES_SHIFT);
const Real = Date;
globalThis.Date = class Date extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + shift] : given));
  }
  static now() {
    return Real.now() + shift;
  }
};
`;

/** Starts the gateway as it would have started some time ago. */
async function startGateway(shift) {
  const clock = join(folder, "clock.mjs");
  writeFileSync(clock, CLOCK);
  const config = join(folder, "touchstone.json");
  writeFileSync(config, `${JSON.stringify(CONFIG, null, 2)}\n`);
  const bin = join(root, "packages/cli/bin/touchstone.js");
  const args = ["serve", "--config", config, "--data-dir", join(folder, "data")];
  const env = {
    ...process.env,
    TOUCHSTONE_PICTURES_SHIFT: String(shift),
    ...(shift === 0 ? {} : { NODE_OPTIONS: `--import ${clock}` }),
  };
  const child = spawn(process.execPath, [bin, ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /console is at (\S+)/.exec(said);
      if (found !== null && /ready listen/.test(said)) resolve(found[1]);
    });
    child.on("exit", () => reject(new Error(`the gateway ended:\n${said}`)));
  });
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Connects to servers as an agent does, once to each, and calls tools. */
function agent(url, { name, version, key }) {
  const sessions = new Map();
  let id = 0;
  const post = async (server, message, headers) => {
    const response = await fetch(`${url}mcp/${server}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-api-key": key,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    await response.text();
    return response.headers.get("mcp-session-id");
  };
  const session = async (server) => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name, version },
    };
    const found = await post(server, { id: ++id, method: "initialize", params }, {});
    const headers = { "mcp-session-id": found ?? "", "mcp-protocol-version": "2025-11-25" };
    await post(server, { method: "notifications/initialized" }, headers);
    await post(server, { id: ++id, method: "tools/list", params: {} }, headers);
    return headers;
  };
  return {
    async call(server, tool, args) {
      if (!sessions.has(server)) sessions.set(server, await session(server));
      const params = { name: tool, arguments: args };
      await post(server, { id: ++id, method: "tools/call", params }, sessions.get(server));
    },
    async close() {
      for (const [server, headers] of sessions) {
        const init = { method: "DELETE", headers: { ...headers, "x-api-key": key } };
        await fetch(`${url}mcp/${server}`, init);
      }
    },
  };
}

/** Makes the calls of one visit to the past. */
async function visit({ hoursAgo, calls }) {
  const gateway = await startGateway(-hoursAgo * HOUR_MS);
  const agents = {
    alice: agent(gateway.url, { name: "claude-code", version: "2.1.0", key: KEYS.alice }),
    nightly: agent(gateway.url, { name: "release-bot", version: "1.4.2", key: KEYS.nightly }),
  };
  for (const [who, server, tool, args] of calls) await agents[who].call(server, tool, args);
  for (const each of Object.values(agents)) await each.close();
  if (hoursAgo > 0) await gateway.close();
  return gateway;
}

/** Lets every server list its tools, so that lists have their descriptions. */
async function warmUp(url) {
  for (let tries = 0; tries < 20; tries += 1) {
    const response = await fetch(`${url}tools`, { headers: { "x-api-key": OPS } });
    if (!(await response.text()).includes("Known from before")) return;
  }
}

/** Each page: its name, its address, what to wait for, and what to do first. */
const PAGES = [
  [
    "overview",
    "#/overview",
    (page) => page.locator("main canvas").nth(1),
    (page) => page.getByRole("region", { name: "Tools", exact: true }).waitFor(),
  ],
  [
    "activity",
    "#/activity",
    (page) => page.locator("main canvas"),
    (page) => page.locator('.rows [role="row"]').nth(3).waitFor(),
  ],
  [
    "call",
    "#/activity?status=rejected,blocked&tool=get_weather",
    (page) => page.getByRole("region", { name: /In the input schema/ }).first(),
    (page) =>
      page.locator('.rows [role="row"]', { hasText: "+2" }).first().getByRole("link").click(),
  ],
  ["sessions", "#/sessions", (page) => page.getByText(/calls?$/).first()],
  [
    "session",
    "#/sessions",
    (page) => page.getByText("tried again").first(),
    (page) => page.getByRole("row").filter({ hasText: "crm" }).first().getByRole("link").click(),
  ],
  ["rollout", "#/rollout?by=all", (page) => page.locator(".u-wrap canvas")],
  ["repairs", "#/repairs", (page) => page.getByText("coerce-scalars").first()],
  ["drift", "#/drift?server=crm&tool=get_weather", (page) => page.getByText(/^\+/).first()],
  [
    "changes",
    "#/changes",
    (page) => page.getByText(/^\+/).first(),
    (page) =>
      page
        .getByRole("link", { name: /billing/ })
        .first()
        .click(),
  ],
  ["pins", "#/pins", (page) => page.getByLabel(/^Review .* of billing$/).first()],
  ["servers", "#/servers", (page) => page.getByText("running").first()],
  ["server", "#/servers/crm", (page) => page.getByRole("region", { name: "Policy" })],
  [
    "policy",
    "#/servers/crm",
    (page) => page.getByText("Arguments must also satisfy this schema"),
    async (page) => {
      const policy = page.getByRole("region", { name: "Policy" });
      await policy.getByText("Arguments must also satisfy this schema").click();
      await policy.evaluate((part) => part.scrollIntoView({ block: "start" }));
      await page.evaluate(() => scrollBy(0, -24));
    },
  ],
  ["settings", "#/settings", (page) => page.getByRole("region", { name: "Callers", exact: true })],
  [
    "try-it",
    `#/tools/${encodeURIComponent("everything:trigger-long-running-operation")}`,
    (page) => page.getByText(/ of 40$/),
    async (page) => {
      await page.getByLabel("duration", { exact: true }).fill("60");
      await page.getByLabel("steps", { exact: true }).fill("40");
      await page.getByRole("button", { name: "Execute", exact: true }).click();
      await page.getByText(/1\d of 40$/).waitFor();
    },
  ],
];

async function sign(page) {
  await page.getByLabel("Key", { exact: true }).fill(OPS);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Account: / }).waitFor();
}

const isWanted = (name) => options.only === undefined || name.includes(options.only);

async function takePictures(url) {
  const sources = await startLoader();
  const { chromiumPath, launchChromium } = await sources.load("console/src/testing/browser.ts");
  await sources.close();
  const path = chromiumPath();
  if (path === undefined) throw new Error("no Chromium: set TOUCHSTONE_CHROMIUM to its path");
  const browser = await launchChromium(path);
  const viewport = { width: 1280, height: 800 };
  let total = 0;
  const take = async (page, name) => {
    await page.evaluate(() => document.fonts.ready);
    await page.mouse.move(0, 0);
    await page.waitForLoadState("networkidle").catch(() => {});
    const picture = inFewColors(await page.screenshot());
    const file = join(out, `${name}.png`);
    if (picture.length > MAX_BYTES) throw new Error(`${file} has ${picture.length} bytes`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, picture);
    total += picture.length;
    console.log(`${file} ${picture.length}`);
  };
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${url}#/settings`);
    await page.getByLabel("Key", { exact: true }).waitFor();
    if (isWanted("sign-in")) await take(page, `sign-in-${colorScheme}`);
    await sign(page);
    for (const [name, hash, shown, act] of PAGES) {
      if (!isWanted(name)) continue;
      await page.goto(`${url}${hash}`);
      await act?.(page);
      await shown(page).waitFor();
      await take(page, `${name}-${colorScheme}`);
      await page.keyboard.press("Escape");
    }
    await context.close();
  }
  await browser.close();
  console.log(`${total} bytes`);
}

try {
  if (!isThere) writeFileSync(terms, JSON.stringify(FIRST_TERMS));
  const changing = join(root, "packages/gateway/src/testing/changing-server.mjs");
  copyFileSync(changing, join(folder, "billing-server.mjs"));
  let gateway;
  for (const each of isThere
    ? history.slice(-1).map((last) => ({ ...last, calls: [] }))
    : history) {
    if (each.laterTerms) writeFileSync(terms, JSON.stringify(LATER_TERMS));
    gateway = await visit(each);
  }
  try {
    // The gateway stores the shapes of results 2 s after they arrive.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await warmUp(gateway.url);
    await takePictures(gateway.url);
  } finally {
    await gateway.close();
  }
} finally {
  if (options.records === undefined) rmSync(folder, { recursive: true, force: true });
}
