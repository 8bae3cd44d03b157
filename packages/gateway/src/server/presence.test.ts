import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../testing/gateway.ts";
import { OWN_PROCESS } from "../util/process-identity.ts";
import { findGateway } from "./presence.ts";

const filesIn = (dataDir: string): string[] => readdirSync(join(dataDir, "gateways"));

function announced(dataDir: string, presence: object): void {
  mkdirSync(join(dataDir, "gateways"), { recursive: true });
  const all = { ...OWN_PROCESS, secret: "s", ...presence };
  writeFileSync(join(dataDir, "gateways", "other.json"), JSON.stringify(all));
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
    // Another process has the id by now, as each start in a container has the same one.
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
