import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { outcomeOf } from "../testing/touchstone.ts";
import { isNewer } from "./version-check.ts";

/** A registry with the same response to every request, which remembers the requested paths. */
async function registry(status: number, body: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`, asked };
}

const version = (args: readonly string[], url: string) =>
  outcomeOf(["version", ...args], { env: { npm_config_registry: url } });

describe("touchstone version --check", () => {
  it("names a newer version, and how to get it", async () => {
    const { url, asked } = await registry(200, '{"name":"touchstone","version":"99.0.0"}');
    const { code, out } = await version(["--check"], url);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^latest {6}99\.0\.0; update with npm install --global touchstone@99\.0\.0$/m,
    );
    expect(asked).toEqual(["/npm/touchstone/latest"]);
    const json = await version(["--check", "-o", "json"], url);
    expect(JSON.parse(json.out)).toMatchObject({ latest: "99.0.0", isNewer: true });
  });

  it("reports that the version is the newest", async () => {
    const { url } = await registry(200, '{"version":"0.0.1"}');
    expect((await version(["--check"], url)).out).toMatch(/^latest {6}0\.0\.1$/m);
  });

  it.each([
    [404, "{}", "has no package touchstone; it is not published there"],
    [200, "<html>", "cannot look up the newest version"],
    [200, '{"version":"\\u001b[31m"}', "named no version"],
    [200, '{"version":5}', "named no version"],
    [200, " ".repeat(2_000_000), "too large"],
  ])("exits with 3 if the registry answers %d %.12s", async (status, body, named) => {
    const { url } = await registry(status, body);
    const { code, err } = await version(["--check"], url);
    expect(code).toBe(3);
    expect(err).toContain(named);
  });

  it("makes no request without the option", async () => {
    const { url, asked } = await registry(200, '{"version":"99.0.0"}');
    const { code, out } = await version([], url);
    expect([code, asked]).toEqual([0, []]);
    expect(out).not.toContain("99.0.0");
  });
});

it.each([
  ["0.2.0", "0.1.9", true],
  ["0.10.0", "0.9.0", true],
  ["1.0.0", "1.0.0-rc.1", true],
  ["1.0.0-rc.1", "1.0.0", false],
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.1.1", false],
])("%s is newer than %s: %s", (one, other, expected) => {
  expect(isNewer(one, other)).toBe(expected);
});
