import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../config/load.ts";
import { startTestGateway } from "../../testing/gateway.ts";
import { CODE_MS, SignInCodes } from "./codes.ts";

/** A clock that a test sets. */
function clock() {
  const time = { now: 1_000 };
  return { time, codes: new SignInCodes(() => time.now) };
}

describe("a sign-in code", () => {
  it("is exchanged for a token once", () => {
    const { codes } = clock();
    const code = codes.issue();
    const token = codes.exchange(code) ?? "";
    expect([codes.accepts(token), codes.accepts(code)]).toEqual([true, false]);
    expect(codes.exchange(code)).toBeUndefined();
    expect(codes.accepts(token)).toBe(true);
  });

  it.each([
    [CODE_MS - 1, true],
    [CODE_MS, false],
    [CODE_MS + 1, false],
  ])("after %i ms is accepted: %s, and only once", (passed, isAccepted) => {
    const { time, codes } = clock();
    const code = codes.issue();
    time.now += passed;
    expect(codes.exchange(code) !== undefined).toBe(isAccepted);
    expect(codes.exchange(code)).toBeUndefined();
  });

  it("cannot be guessed, and is neither empty, the local secret nor a token", () => {
    const { codes } = clock();
    const token = codes.exchange(codes.issue()) ?? "";
    codes.issue();
    for (const guess of ["", "a", codes.localSecret, token]) {
      expect(codes.exchange(guess)).toBeUndefined();
    }
  });

  it("is dropped when many others follow, and all are revoked together", () => {
    const { codes } = clock();
    const first = codes.issue();
    const others = Array.from({ length: 32 }, () => codes.issue());
    expect(codes.exchange(first)).toBeUndefined();
    const token = codes.exchange(others[0] ?? "") ?? "";
    codes.revoke();
    expect([codes.accepts(token), codes.exchange(others[1] ?? "")]).toEqual([false, undefined]);
  });
});

const KEY = "the-configured-key";

async function started(config: object = { auth: { api_key: KEY } }) {
  const { time, codes } = clock();
  const touchstone = await startTestGateway(config, undefined, { codes });
  onTestFinished(() => touchstone.close());
  const { gateway } = touchstone;
  const post = async (path: string, headers: Record<string, string>, body?: string) => {
    const url = new URL(path, gateway.url);
    const response = await fetch(url, { method: "POST", headers, ...(body ? { body } : {}) });
    const answer = (await response.json()) as Readonly<Record<string, string>>;
    return { status: response.status, answer, headers: response.headers };
  };
  const json = { "content-type": "application/json" };
  return {
    ...touchstone,
    time,
    codes,
    post,
    exchange: (code: string, more = {}) =>
      post("api/v1/sign-in", { ...json, ...more }, JSON.stringify({ code })),
    read: async (key: string) =>
      (await fetch(new URL("api/v1/servers", gateway.url), { headers: { "x-api-key": key } }))
        .status,
  };
}

const codeOf = (link: string): string => new URL(link).hash.split("code=")[1] ?? "";

describe("a link to the console", () => {
  it("opens a page and signs in without the API key, which it does not contain", async () => {
    const { gateway, exchange, read } = await started();
    const link = gateway.consoleLink("activity/01M8066KDNBPSNRP3XQ9T1TBDH");
    expect(link).toMatch(
      new RegExp(`^${gateway.url}#/activity/01M8066KDNBPSNRP3XQ9T1TBDH\\?code=[\\w-]{43}$`),
    );
    const { status, answer, headers } = await exchange(codeOf(link));
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const { token = "" } = answer;
    expect([link, token].join()).not.toContain(KEY);
    expect(await read(token)).toBe(200);
    expect(await read(codeOf(link))).toBe(401);
    expect(await read(gateway.consoleLink())).toBe(401);
  });

  it("is refused a second time, and after 60 s", async () => {
    const { gateway, exchange, time } = await started();
    const first = codeOf(gateway.consoleLink());
    expect((await exchange(first)).status).toBe(200);
    const again = await exchange(first);
    expect([again.status, again.answer["code"]]).toEqual([403, "SIGN_IN_REFUSED"]);
    expect(again.answer["error"]).toContain("older than 60 seconds");
    const late = codeOf(gateway.consoleLink());
    time.now += CODE_MS;
    expect((await exchange(late)).status).toBe(403);
  });

  it("cannot be exchanged by another site's page, a form, or a GET request", async () => {
    const { gateway, exchange, post } = await started();
    const code = codeOf(gateway.consoleLink());
    expect((await exchange(code, { origin: "https://evil.example" })).status).toBe(403);
    const form = { "content-type": "text/plain" };
    expect((await post("api/v1/sign-in", form, JSON.stringify({ code }))).status).toBe(415);
    const read = await fetch(new URL("api/v1/sign-in", gateway.url));
    expect(read.status).toBe(401);
    expect((await exchange(code)).status).toBe(200);
  });

  it.each(["{", "[]", "null", '{"code":7}', "{}"])("accepts no body such as %s", async (body) => {
    const { post } = await started();
    const json = { "content-type": "application/json" };
    expect((await post("api/v1/sign-in", json, body)).status).toBe(403);
  });

  it("signs out when the API key changes", async () => {
    const { gateway, exchange, read } = await started();
    const { token = "" } = (await exchange(codeOf(gateway.consoleLink()))).answer;
    const config = { auth: { api_key: "another-key" }, listen: { address: "127.0.0.1:0" } };
    await gateway.reload(parseConfig(JSON.stringify(config), { file: "t.json", env: {} }));
    expect(await read(token)).toBe(401);
  });
});
