import { describe, expect, it, vi } from "vitest";
import { createGatewayApi } from "../api/gateway.ts";
import { SessionStore } from "./session.ts";

const PROVIDERS = [{ name: "corp", label: "Corp" }];
const STRANGER = { signed_in: false, open: false, providers: PROVIDERS };
const VISITOR = { signed_in: false, open: true, providers: [] };
const person = (name: string, role = "admin", id = `${name}-1`) => ({
  ...{ signed_in: true, id, name, role, credential: "auth.keys", providers: PROVIDERS },
  expires: "2026-11-30T12:00:00.000Z",
});

/** A gateway that accepts some keys and codes, with the user who is signed in. */
function start(now: object, proofs: Readonly<Record<string, object>> = {}) {
  const gateway = { now, asked: [] as string[], isDown: false };
  const api = createGatewayApi("http://localhost/", async (url, init) => {
    const method = init.method ?? "GET";
    gateway.asked.push(`${method} ${new URL(url).pathname}`);
    if (gateway.isDown) throw new TypeError("down");
    if (method === "DELETE") gateway.now = STRANGER;
    if (method !== "POST") return Response.json(gateway.now);
    const found = proofs[Object.values(JSON.parse(String(init.body)) as object).join()];
    if (found === undefined) return Response.json({ error: "It is used." }, { status: 401 });
    gateway.now = found;
    return Response.json(found);
  });
  const forget = vi.fn();
  const posted = vi.fn();
  let hear = (_: { readonly data: unknown }): void => {};
  const store = new SessionStore(api, forget, {
    postMessage: posted,
    addEventListener: (_: string, listener: unknown) => {
      hear = listener as typeof hear;
    },
  });
  return { store, gateway, forget, posted, hear: (data: unknown) => hear({ data }) };
}

describe("the session of the page", () => {
  it("is what the gateway says of it", async () => {
    const { store, gateway } = start(STRANGER);
    expect(store.state().who).toEqual({ kind: "unknown" });
    await Promise.all([store.check(), store.check()]);
    expect(gateway.asked).toEqual(["GET /api/v1/session"]);
    expect(store.state()).toMatchObject({
      who: { kind: "stranger", providers: PROVIDERS },
      hasShown: false,
    });
    gateway.now = VISITOR;
    await store.check();
    expect(store.state()).toMatchObject({ who: { kind: "visitor" }, hasShown: true });
  });

  it("says why it is not known, and keeps what is known if the gateway is down", async () => {
    const { store, gateway } = start(person("ada"));
    gateway.isDown = true;
    await store.check();
    expect(store.state().who).toMatchObject({ kind: "unknown", error: /cannot be reached/ });
    gateway.isDown = false;
    await store.check();
    gateway.isDown = true;
    await store.check();
    expect(store.state().who).toMatchObject({ kind: "person", person: { name: "ada" } });
  });

  it("begins with a key, and returns why a wrong one does not begin it", async () => {
    const { store, posted } = start(STRANGER, { good: person("ada") });
    await store.check();
    expect(await store.signIn("bad")).toBe("It is used.");
    expect(store.state().who.kind).toBe("stranger");
    expect(posted).not.toHaveBeenCalled();
    expect(await store.signIn("good")).toBeUndefined();
    expect(store.state()).toMatchObject({ who: { kind: "person" }, signIns: 1, generation: 0 });
    expect(posted).toHaveBeenCalledOnce();
    expect(JSON.stringify(store.state())).not.toContain("good");
  });

  it("keeps what was shown for the same person, and nothing for another one", async () => {
    const { store, gateway, forget } = start(person("ada"), {
      ada: person("ada", "viewer", "ada-2"),
      eve: person("eve"),
    });
    await store.check();
    gateway.now = STRANGER;
    await store.check();
    expect(store.state()).toMatchObject({ who: { kind: "stranger" }, hasShown: true });
    await store.signIn("ada");
    expect(store.state()).toMatchObject({ generation: 0, signIns: 2 });
    expect(forget).not.toHaveBeenCalled();
    gateway.now = STRANGER;
    await store.check();
    await store.signIn("eve");
    expect(store.state()).toMatchObject({ generation: 1, signIns: 3 });
    expect(forget).toHaveBeenCalledOnce();
  });

  it("takes a lower role over without a new sign-in", async () => {
    const { store, gateway } = start(person("ada"));
    await store.check();
    gateway.now = person("ada", "viewer");
    await store.check();
    expect(store.state()).toMatchObject({
      who: { person: { role: "viewer" } },
      signIns: 1,
      generation: 0,
    });
  });

  it("ends, and nothing of it stays", async () => {
    const { store, posted, forget, gateway } = start(person("ada"));
    await store.check();
    await store.signOut();
    expect(gateway.asked).toContain("DELETE /api/v1/session");
    expect(store.state()).toMatchObject({
      who: { kind: "stranger" },
      generation: 1,
      hasShown: false,
    });
    expect([posted.mock.calls.length, forget.mock.calls.length]).toEqual([1, 1]);
  });

  it("ends in another tab, and nothing that this one has shown stays", async () => {
    const { posted, ...one } = start(person("ada"));
    await one.store.check();
    await one.store.signOut();
    const { store, gateway, forget, hear } = start(person("ada"));
    await store.check();
    gateway.now = STRANGER;
    hear(posted.mock.calls[0]?.[0]);
    await store.check();
    expect(store.state()).toMatchObject({
      who: { kind: "stranger" },
      generation: 1,
      hasShown: false,
    });
    expect(store.state().role).toBeUndefined();
    expect(forget).toHaveBeenCalledOnce();
  });

  it("goes on if the gateway does not hear of its end", async () => {
    const { store, gateway } = start(person("ada"));
    await store.check();
    gateway.isDown = true;
    await expect(store.signOut()).rejects.toThrow("cannot be reached");
    expect(store.state()).toMatchObject({ who: { kind: "person" }, generation: 0 });
  });

  it("is asked for again when another tab says so", async () => {
    const { store, gateway, hear } = start(person("ada"));
    await store.check();
    gateway.now = STRANGER;
    hear("signed in");
    await vi.waitUntil(() => store.state().who.kind === "stranger");
  });

  it("begins with a link, and keeps why a used one does not begin it", async () => {
    const { store } = start(VISITOR, { fresh: person("ada") });
    await store.takeLink("used");
    expect(store.state()).toMatchObject({
      who: { kind: "visitor" },
      linkError: expect.stringContaining("It is used."),
    });
    store.dismissLink();
    expect(store.state().linkError).toBeUndefined();
    await store.takeLink("used");
    await store.takeLink("fresh");
    expect(store.state()).toMatchObject({ who: { kind: "person" } });
    expect(store.state().linkError).toBeUndefined();
  });
});

describe("what needs a role", () => {
  it("runs for those who have it, and not for others", async () => {
    const run = vi.fn();
    const { store, gateway } = start(person("ada", "viewer"));
    await store.check();
    store.need("admin", run, run);
    expect(run).not.toHaveBeenCalled();
    expect(store.state().asked).toBeUndefined();
    store.need("viewer", run, () => {});
    expect(run).toHaveBeenCalledOnce();
    gateway.now = person("ada", "admin");
    await store.check();
    store.need("admin", run, () => {});
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("runs for a visitor after the sign-in that it asks for", async () => {
    const [run, tooLow] = [vi.fn(), vi.fn()];
    const { store } = start(VISITOR, { good: person("ada"), low: person("bob", "viewer") });
    await store.check();
    store.need("admin", run, tooLow);
    expect(store.state().asked).toEqual({ role: "admin" });
    store.cancel();
    expect(store.state().asked).toBeUndefined();
    store.need("admin", run, tooLow);
    await store.signIn("low");
    expect([run.mock.calls, tooLow.mock.calls]).toEqual([[], [["admin"]]]);

    const other = start(VISITOR, { good: person("ada") });
    await other.store.check();
    other.store.need("admin", run, tooLow);
    await other.store.signIn("bad");
    expect(run).not.toHaveBeenCalled();
    await other.store.signIn("good");
    expect(run).toHaveBeenCalledOnce();
    expect(other.store.state().asked).toBeUndefined();
  });

  it("does not run after a canceled sign-in", async () => {
    const run = vi.fn();
    const { store } = start(VISITOR, { good: person("ada") });
    await store.check();
    store.need("admin", run, run);
    store.cancel();
    await store.signIn("good");
    expect(run).not.toHaveBeenCalled();
  });
});
