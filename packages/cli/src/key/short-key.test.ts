import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomeOf, tempDir, touchstone } from "../testing/touchstone.ts";

const SHORT = "fifteen-letters";
const LONG = "sixteen--letters";
const HASH = `sha256:${"ab".repeat(32)}`;

function configuration(auth: object, address = "127.0.0.1:0"): string {
  const file = join(tempDir(), "touchstone.json");
  writeFileSync(file, JSON.stringify({ listen: { address }, auth, mcpServers: {} }));
  return file;
}

const keyed = (key: string): object => ({ keys: [{ name: "alice", key }] });

describe("keys that can be guessed", () => {
  it.each([
    ["auth.api_key", { api_key: SHORT }],
    ["auth.admin_key", { api_key: LONG, admin_key: SHORT }],
    ["auth.keys[0].key", keyed(SHORT)],
  ])("%s is refused beyond loopback, and reported on loopback", async (where, auth) => {
    const beyond = await outcomeOf(["config", "check", "--config", configuration(auth, "[::]:0")]);
    expect(beyond.code).toBe(2);
    expect(beyond.err).toMatch(/must have 16 characters or more .* touchstone key create/);
    expect(beyond.err).not.toContain(SHORT);
    const listen = ["--config", configuration(auth), "--listen", "0.0.0.0:0"];
    expect((await outcomeOf(["config", "check", ...listen])).code).toBe(2);

    const args = ["--config", configuration(auth)];
    const own = await outcomeOf(["config", "check", ...args]);
    expect([own.code, own.out]).toEqual([0, expect.stringContaining(`warning: ${where} has`)]);
    expect(own.out).toContain(": valid, with 1 warning (");
    const doctor = await outcomeOf(["doctor", ...args]);
    expect(doctor.out).toContain(`warning: ${where} has fewer than 16 characters`);
    const json = await outcomeOf(["doctor", ...args, "-o", "json"]);
    expect(JSON.parse(json.out)).toMatchObject({ shortKeys: [where] });
    expect([own.out, doctor.out, json.out].join()).not.toContain(SHORT);
  });

  it.each([
    [{ api_key: LONG }],
    [{ api_key: LONG, admin_key: `${LONG}2` }],
    [keyed(LONG)],
    [keyed(HASH)],
  ])("%j is not among them", async (auth) => {
    const file = configuration(auth, "0.0.0.0:0");
    const { code, out } = await outcomeOf(["config", "check", "--config", file]);
    expect([code, out]).toEqual([0, expect.stringContaining(": valid (")]);
  });

  it("serve warns on loopback, and does not start beyond it", async () => {
    const { seen, stderr } = touchstone(["serve", "--config", configuration({ api_key: SHORT })]);
    await seen("stderr", /ready/);
    expect(stderr()).toContain("auth.api_key has fewer than 16 characters");
    const args = ["serve", "--config", configuration({ api_key: SHORT }, "0.0.0.0:0")];
    expect((await outcomeOf(args)).code).toBe(2);
  });
});

describe("a key in quotes", () => {
  it.each([`"${LONG}"`, `'${LONG}'`, `\`${LONG}\``, `“${LONG}”`, '"a b"', '""'])(
    "%s is an error that names the quotes, wherever it is",
    async (key) => {
      for (const auth of [{ api_key: key }, { admin_key: key }, keyed(key)]) {
        const env = { THE_KEY: key };
        for (const given of [
          auth,
          JSON.parse(
            JSON.stringify(auth).replace(JSON.stringify(key), JSON.stringify(`$\{THE_KEY}`)),
          ),
        ]) {
          const file = configuration(given);
          const { code, err } = await outcomeOf(["config", "check", "--config", file], { env });
          expect([code, err]).toEqual([2, expect.stringContaining("is wrapped in quotes")]);
          expect(err).not.toContain(key);
        }
      }
    },
  );

  it.each([`"${LONG}`, `${LONG}'`, `a"${LONG}"b`])("%s is a key", async (key) => {
    const file = configuration({ api_key: key });
    expect((await outcomeOf(["config", "check", "--config", file])).code).toBe(0);
  });
});

describe("the hash of a key", () => {
  const auths = [{ api_key: HASH }, { api_key: HASH.toUpperCase() }, { admin_key: HASH }];
  it.each([...auths, { admin_key: "sha256:x", keys: [{ name: "a", key: HASH }] }])(
    "is not a key: %j",
    async (auth) => {
      const { code, err } = await outcomeOf(["config", "check", "--config", configuration(auth)]);
      expect([code, err]).toEqual([2, expect.stringContaining("is the hash of a key")]);
      expect(err).not.toContain("abab");
    },
  );
});

it("an invalid key beyond loopback is the only error", async () => {
  const args = ["config", "check", "--config", configuration(keyed("a b"), "0.0.0.0:0")];
  const { code, err } = await outcomeOf(args);
  expect([code, err]).toEqual([2, expect.stringContaining("visible ASCII")]);
  expect(err).not.toContain("needs an API key");
});
