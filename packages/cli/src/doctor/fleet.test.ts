import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { FAULTY_SERVER, outcomeOf, tempDir, touchstone } from "../testing/touchstone.ts";

const database = useDatabases();

const SERVERS = { echo: { command: process.execPath, args: [FAULTY_SERVER] } };

function file(store: string, more: object = {}): string {
  const path = join(tempDir(), "touchstone.json");
  const listen = { address: "127.0.0.1:0" };
  const content = { listen, activity: { store }, mcpServers: SERVERS, ...more };
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const doctor = (config: string, format = "pretty") =>
  outcomeOf(["doctor", "--config", config, "--format", format]);

it("reports which gateways share the store, and which run another configuration", {
  ...long,
  timeout: 120_000,
}, async ({ skip }) => {
  const store = await database(skip);
  const config = file(store);
  const other = file(store, { output_validation: { mode: "strict" } });
  const [, , odd] = await Promise.all(
    [config, config, other].map(async (path) => {
      const run = touchstone(["serve", "--config", path]);
      const [, listen = ""] = await run.seen("stderr", /ready listen=(\S+)/);
      return { run, listen };
    }),
  );
  const told = await doctor(config);
  // The faulty server has an unusable schema, so exit status 1 alone would not be evidence.
  expect(told.err).toMatch(
    new RegExp(`1 of 3 gateways with another configuration: \\S+ \\(${odd?.listen}\\)`),
  );
  expect(told.code).toBe(1);
  expect(told.out).toContain("gateways: 3 running with this activity store");
  expect(told.out.match(/running since \S+ the same configuration/g)).toHaveLength(2);
  expect(told.out).toMatch(/ {2}! \S+ \S+ touchstone \S+: running since .* and not sha256:/);
  expect(told.out + told.err).not.toContain("secret-password");

  // Compared with the other file, two gateways differ, and most have another configuration.
  const reverse = await doctor(other, "json");
  const { fleet } = JSON.parse(reverse.out);
  expect(fleet.majority).not.toBe(fleet.configuration);
  expect(fleet.gateways.filter(({ differs }: { differs: boolean }) => differs)).toHaveLength(2);
  expect((await doctor(other)).out).toContain("the file here may be the wrong one");
});

it("reports an unreachable store without its password", async () => {
  const config = file("postgresql://someone:s3cret@127.0.0.1:1/none");
  const { code, out, err } = await doctor(config);
  expect(code).toBe(1);
  expect(err).toMatch(/postgresql:\/\/127\.0\.0\.1:1\/none does not answer/);
  expect(out + err).not.toContain("s3cret");
  expect(out).not.toContain("does not answer");
});
