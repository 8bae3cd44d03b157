import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConsoleSession } from "../../../../records/src/session-store.ts";
import { parseConfig } from "../../config/load.ts";
import { grantOf } from "./grants.ts";
import type { Person, Providers } from "./providers.ts";
import { type SignedInBy, sessionExtras, sessionOwner, validateSession } from "./session.ts";

const KEY = "key-of-vera-viewer";
const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const PERSON: Person = {
  ...{ provider: "idp", issuer: "https://idp.example", subject: "7", name: "Ann" },
  groups: ["staff"],
};
const PROVIDERS: Providers = {
  shown: () => [],
  rightsOf: ({ groups }) => {
    const role = groups.includes("ops") ? "admin" : groups.includes("staff") ? "viewer" : undefined;
    return role && { role, secret: createHash("sha256").update("client secret").digest("hex") };
  },
};

const configOf = (auth: object) =>
  parseConfig(JSON.stringify({ auth }), { file: "touchstone.json", env: {} });
const CONFIG = configOf({
  admin_key: "key-of-the-operator",
  keys: [{ name: "vera", key: KEY, role: "viewer" }],
});

/** A row as a gateway writes it. */
function rowOf(by: SignedInBy, secret: string): ConsoleSession {
  const of = {
    id: "id-1",
    token: "a".repeat(64),
    owner: sessionOwner(by),
    caller: "person" in by ? by.person.name : (by.identity.caller?.name ?? null),
    created: new Date(START).toISOString(),
    expires: new Date(START + 12 * HOUR).toISOString(),
  };
  return { ...of, seen: of.created, about: sessionExtras(by, secret, of) };
}

function ofKey(key: string): ConsoleSession {
  const grant = grantOf(CONFIG, key);
  if (grant === undefined) throw new Error("the key is unknown");
  return rowOf(grant, grant.secret);
}
const ofPerson = (person: Person): ConsoleSession =>
  rowOf({ credential: "oidc", person }, PROVIDERS.rightsOf(PERSON)?.secret ?? "");
const ROWS = [ofKey(KEY), ofKey("key-of-the-operator"), ofPerson(PERSON)] as const;
const roleOf = (row: ConsoleSession, now = START + HOUR, config = CONFIG) =>
  validateSession(row, config, PROVIDERS, now)?.identity.role;

describe("a session", () => {
  it("has the role of its key or person now", () => {
    expect(ROWS.map((row) => roleOf(row))).toEqual(["viewer", "admin", "viewer"]);
    const raised = configOf({ keys: [{ name: "vera", key: KEY, role: "admin" }] });
    expect(roleOf(ROWS[0], START + HOUR, raised)).toBe("admin");
  });

  it.each([
    ["another key of the same name", { keys: [{ name: "vera", key: "another-key-of-vera" }] }],
    ["the same key of another name", { keys: [{ name: "eve", key: KEY, role: "admin" }] }],
    ["the same key as auth.api_key", { api_key: KEY }],
    ["the same key as auth.admin_key", { admin_key: KEY }],
    ["no keys", {}],
  ])("of a key does not count with %s", (_, auth) => {
    expect(roleOf(ROWS[0], START + HOUR, configOf(auth))).toBeUndefined();
  });

  it("of one of a caller's two keys ends with that key", () => {
    const [old, fresh] = [KEY, "fresh-key-of-vera"].map((key) => ({ name: "vera", key }));
    expect(roleOf(ROWS[0], START, configOf({ keys: [old, fresh] }))).toBe("caller");
    expect(roleOf(ROWS[0], START, configOf({ keys: [fresh] }))).toBeUndefined();
  });

  it.each([
    ["when it begins", 0, {}, true],
    ["a moment before its end", 12 * HOUR - 1, {}, true],
    ["at its end", 12 * HOUR, {}, false],
    ["after the end of a shorter lifetime", 2 * HOUR, { session_lifetime: 7_200 }, false],
    ["before the end of a shorter lifetime", 2 * HOUR - 1, { session_lifetime: 7_200 }, true],
    [
      "after its end, if the lifetime is longer by now",
      13 * HOUR,
      { session_lifetime: 86_400 },
      false,
    ],
    ["if the clock was set back by minutes", -5 * 60_000, {}, true],
    ["if the clock was set back by more", -5 * 60_000 - 1, {}, false],
    ["if the clock shows no time", Number.NaN, {}, false],
  ])("%s", (_, passed, auth, counts) => {
    const keys = [{ name: "vera", key: KEY, role: "viewer" }];
    const role = roleOf(ROWS[0], START + passed, configOf({ keys, ...auth }));
    expect(role).toBe(counts ? "viewer" : undefined);
  });
});

describe("a row that somebody else has written", () => {
  const COLUMNS = ["id", "token", "owner", "caller", "about", "created", "expires"] as const;
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("vera", "Ann", "null", "{}", "9999-12-31T23:59:59.999Z", "id-1"),
  );

  it("never counts, whichever column was changed", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ROWS),
        fc.constantFrom(...COLUMNS),
        fc.option(text),
        (row, column, value) => {
          fc.pre(row[column] !== value);
          expect(roleOf({ ...row, [column]: value } as ConsoleSession)).toBeUndefined();
        },
      ),
    );
  });

  it("never counts with other members of a person, or the seal of another row", () => {
    const person = ROWS[2];
    const about = JSON.parse(person.about) as { readonly person: Person };
    for (const changed of [
      { ...about, person: { ...about.person, groups: ["ops"] } },
      { ...about, person: { ...about.person, subject: "8" } },
      { ...about, person: { ...about.person, groups: "ops" } },
      { ...about, person: null },
      { ...about, credential: "auth.admin_key" },
      { ...about, seal: (JSON.parse(ROWS[1].about) as { seal: string }).seal },
      { ...about, seal: 7 },
      { ...about, seal: "" },
      [],
      null,
    ]) {
      expect(roleOf({ ...person, about: JSON.stringify(changed) })).toBeUndefined();
    }
    expect(roleOf({ ...person, about: "[".repeat(100_000) })).toBeUndefined();
  });

  it("cannot be made without the secret that it rests on", () => {
    const guess = rowOf({ credential: "oidc", person: { ...PERSON, groups: ["ops"] } }, "00");
    expect(roleOf(guess)).toBeUndefined();
  });
});
