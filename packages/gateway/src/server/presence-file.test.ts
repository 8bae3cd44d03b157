import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { OWN_PROCESS } from "../../../util/src/process-identity.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { findGateway } from "./presence-file.ts";

const filesIn = (dataDir: string): string[] => readdirSync(join(dataDir, "gateways"));

function announced(dataDir: string, presence: object): void {
  mkdirSync(join(dataDir, "gateways"), { recursive: true });
  const all = { ...OWN_PROCESS, secret: "s", ...presence };
  writeFileSync(join(dataDir, "gateways", "other.json"), JSON.stringify(all), { mode: 0o600 });
}

it("finds a running gateway by its data directory, with a code that works once", async () => {
  const touchstone = await startTestGateway({ auth: { api_key: "k" } });
  onTestFinished(() => touchstone.close());
  const { dataDir, gateway } = touchstone;
  const [file = ""] = filesIn(dataDir);
  expect(statSync(join(dataDir, "gateways", file)).mode & 0o077).toBe(0);
  const found = await findGateway(dataDir);
  expect(found?.url).toBe(gateway.url);
  const signIn = () =>
    fetch(new URL("api/v1/sign-in", gateway.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: found?.code }),
    });
  expect((await signIn()).status).toBe(200);
  expect((await signIn()).status).toBe(403);
  await gateway.close();
  expect([filesIn(dataDir), await findGateway(dataDir)]).toEqual([[], undefined]);
});

it("issues a code only to a client with the data directory's secret", async () => {
  const touchstone = await startTestGateway({ auth: { api_key: "k" } });
  onTestFinished(() => touchstone.close());
  const url = new URL("api/v1/sign-in/codes", touchstone.gateway.url);
  const local = "x-touchstone-local";
  for (const headers of [{}, { [local]: "" }, { [local]: "k" }, { "x-api-key": "k" }]) {
    expect((await fetch(url, { method: "POST", headers })).status).toBe(403);
  }
});

it("ignores the files of ended processes and other servers", async () => {
  const touchstone = await startTestGateway({});
  onTestFinished(() => touchstone.close());
  const { dataDir, gateway } = touchstone;
  const kept = filesIn(dataDir);
  await gateway.close();
  const foreign = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void foreign.close());
  const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`;
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  for (const [presence, files] of [
    [{ url }, ["other.json"]],
    [{ url: "http://127.0.0.1:9/" }, ["other.json"]],
    [{ url: "no url" }, ["other.json"]],
    [{ url, pid: "1" }, ["other.json"]],
    [{ url, host: "another-machine", pid }, ["other.json"]],
    [{ url, pid }, []],
    // Another process has the same id by now, as in a container, in which each start has the same id.
    ...(OWN_PROCESS.start === undefined ? [] : [[{ url, start: "1" }, []] as const]),
  ] as const) {
    announced(dataDir, presence);
    expect([presence, await findGateway(dataDir)]).toEqual([presence, undefined]);
    expect([presence, filesIn(dataDir)]).toEqual([presence, files]);
  }
  expect(kept).toHaveLength(1);
});

it("finds no gateway in a missing directory or an invalid file", async () => {
  const touchstone = await startTestGateway({});
  onTestFinished(() => touchstone.close());
  expect(await findGateway(join(touchstone.dataDir, "nowhere"))).toBeUndefined();
  await touchstone.gateway.close();
  writeFileSync(join(touchstone.dataDir, "gateways", "x.json"), "{");
  expect(await findGateway(touchstone.dataDir)).toBeUndefined();
  expect(readFileSync(join(touchstone.dataDir, "gateways", "x.json"), "utf8")).toBe("{");
});

it
  .skipIf(process.platform === "win32")
  .each<[string, (file: string) => void]>([
    ["is a pipe", (file) => execFileSync("mkfifo", [file])],
    ["is a link", (file) => symlinkSync(`${file}.kept`, file)],
    ["others may write", (file) => copyFileSync(`${file}.kept`, file)],
    ["is too long", (file) => writeFileSync(file, " ".repeat(17_000), { mode: 0o600 })],
    ...(process.getuid?.() === 0
      ? [
          ["belongs to another user", (file: string) => chownSync(file, 65_534, 65_534)] as [
            string,
            (file: string) => void,
          ],
        ]
      : []),
  ])("finds no gateway by a file that %s", async (what, make) => {
  const touchstone = await startTestGateway({});
  onTestFinished(() => touchstone.close());
  const { dataDir } = touchstone;
  const [name = ""] = filesIn(dataDir);
  const file = join(dataDir, "gateways", name);
  expect((await findGateway(dataDir))?.url).toBe(touchstone.gateway.url);
  if (what !== "belongs to another user") {
    renameSync(file, `${file}.kept`);
    if (what === "others may write") chmodSync(`${file}.kept`, 0o666);
  }
  make(file);
  expect(await findGateway(dataDir)).toBeUndefined();
});
