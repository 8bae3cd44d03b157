import type { IncomingHttpHeaders } from "node:http";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { openActivityStore } from "../../../../records/src/open-sqlite.ts";
import type { ActivityStore } from "../../../../records/src/store.ts";
import { tempDir } from "../../../../records/src/testing/temp-dir.ts";
import { createLogger } from "../../../../util/src/log.ts";
import type { GatewayConfig } from "../../config/config.ts";
import { parseConfig } from "../../config/load.ts";
import { OPEN_IDENTITY } from "../../relay/http/identity.ts";
import { Attempts } from "./attempts.ts";
import { SignInCodes } from "./codes.ts";
import { Oidc } from "./oidc/oidc.ts";
import { Sessions } from "./sessions.ts";
import { SignIn } from "./sign-in.ts";

// Tests two gateways on one data directory: sign-ins, sign-outs, restarts, changes of their files and jumps of the
// clock, in any order. Each request must get exactly the rights that a small model predicts.

const ROLES = ["caller", "viewer", "admin"] as const;
type Role = (typeof ROLES)[number];
const NAMES = ["ann", "bob"] as const;
const GROUPS = ["staff", "ops"] as const;
const MINUTE = 60_000;
const SLACK = 5 * MINUTE;

/** The content of a gateway's file. Numbers are versions of secrets. */
interface File {
  readonly keys: Readonly<Record<string, { readonly key: number; readonly role: Role } | null>>;
  readonly adminKey: number | null;
  readonly clientSecret: number;
  readonly groups: Readonly<Record<string, Role | null>>;
  /** In minutes. */
  readonly lifetime: number;
}
const FIRST: File = {
  keys: { ann: { key: 0, role: "viewer" }, bob: { key: 0, role: "admin" } },
  adminKey: null,
  clientSecret: 0,
  groups: { staff: "viewer", ops: "admin" },
  lifetime: 60,
};

const keyOf = (name: string, version: number): string => `key-of-${name}-with-version-${version}`;

function configOf(file: File): GatewayConfig {
  const keys = Object.entries(file.keys).flatMap(([name, of]) =>
    of === null ? [] : [{ name, key: keyOf(name, of.key), role: of.role }],
  );
  const roles = Object.fromEntries(
    Object.entries(file.groups).flatMap(([group, role]) =>
      role === null || role === "caller" ? [] : [[group, role]],
    ),
  );
  const auth = {
    keys,
    ...(file.adminKey === null ? {} : { admin_key: keyOf("operator", file.adminKey) }),
    oidc: {
      name: "idp",
      issuer: "https://idp.example",
      client_id: "console",
      client_secret: `client-secret-${file.clientSecret}`,
      roles: { ...roles, nobody: "viewer" },
    },
    session_lifetime: file.lifetime * 60,
  };
  return parseConfig(JSON.stringify({ auth }), { file: "touchstone.json", env: {} });
}

/** Who signs in. */
type Who = (typeof NAMES)[number] | "operator" | "code" | (typeof GROUPS)[number];

/** The state of a session in the model. */
interface Modelled {
  readonly cookie: string;
  readonly who: Who;
  /** The secret that it depends on, from the time when it began. */
  readonly rests: string;
  readonly created: number;
  readonly lifetime: number;
  isEnded: boolean;
}

/**
 * Returns the secret that a session of this person depends on, and the current role; undefined if the person cannot
 * sign in.
 */
function standing(
  who: Who,
  file: File,
): { readonly rests: string; readonly role: Role } | undefined {
  const { keys, adminKey, clientSecret, groups } = file;
  if (who === "code") return { rests: JSON.stringify([secretsIn(keys), adminKey]), role: "admin" };
  if (who === "operator")
    return adminKey === null ? undefined : { rests: String(adminKey), role: "admin" };
  if (who === "ann" || who === "bob") {
    const own = keys[who];
    return own ? { rests: String(own.key), role: own.role } : undefined;
  }
  const role = groups[who];
  return role && role !== "caller" ? { rests: String(clientSecret), role } : undefined;
}

function secretsIn(keys: File["keys"]): readonly unknown[] {
  return Object.entries(keys).map(([name, of]) => of && [name, of.key]);
}

/** Returns the role that the model gives a request; undefined for none. */
function roleInModel(session: Modelled, file: File, now: number): Role | undefined {
  const { who, rests, created, lifetime, isEnded } = session;
  const ends = created + Math.min(lifetime, file.lifetime) * MINUTE;
  const counts = !isEnded && now < ends && created <= now + SLACK;
  const of = standing(who, file);
  return counts && of?.rests === rests ? of.role : undefined;
}

/** A gateway without its listener: only the part that identifies the sender of a request. */
class Replica {
  readonly #dataDir: string;
  readonly #clock: { now: number };
  #store: ActivityStore | undefined;
  file: File = FIRST;
  config: GatewayConfig = configOf(FIRST);
  signIn: SignIn | undefined;
  codes: SignInCodes = new SignInCodes();

  constructor(dataDir: string, clock: { now: number }) {
    this.#dataDir = dataDir;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    const store = await openActivityStore({ dataDir: this.#dataDir, sync: "normal" });
    this.#store = store;
    this.codes = new SignInCodes();
    const log = createLogger(() => {}, "error");
    const config = () => this.config;
    const common = { config, log, rejected: () => {}, now: () => this.#clock.now };
    const oidc: Oidc = new Oidc({
      ...common,
      address: () => ({ host: "127.0.0.1", port: 7411 }),
      sessionIdOf: async () => undefined,
      signIn: async () => [],
    });
    const sessions = new Sessions({ ...common, store: store.consoleSessions, providers: oidc });
    // A minute passes before each attempt, so that attempts are never limited.
    let time = 0;
    const attempts = new Attempts(() => (time += MINUTE));
    const { codes } = this;
    const append = store.append;
    this.signIn = new SignIn({ ...common, codes, sessions, providers: oidc, append, attempts });
  }

  async stop(): Promise<void> {
    await this.#store?.close();
  }

  change(change: Partial<File>): void {
    this.file = { ...this.file, ...change };
    this.config = configOf(this.file);
  }

  /** Returns the cookie of a new session; undefined if nobody was signed in. */
  async begin(who: Who): Promise<string | undefined> {
    const sender = { headers: HEADERS, identity: OPEN_IDENTITY, address: "127.0.0.1" };
    const groups = (GROUPS as readonly string[]).includes(who) ? [who] : undefined;
    const person = { provider: "idp", issuer: "https://idp.example", subject: who, name: who };
    const key = keyOf(
      who,
      (who === "operator" ? this.file.adminKey : versionOf(this.file, who)) ?? 0,
    );
    const { signIn, codes } = this;
    try {
      const done =
        groups !== undefined
          ? await signIn?.signInAs(
              sender,
              { credential: "oidc", person: { ...person, groups } },
              { secure: false },
            )
          : await signIn?.signIn(sender, who === "code" ? { code: codes.issue() } : { key });
      return done?.cookies[0]?.split(";")[0];
    } catch (error) {
      expect(error).toMatchObject({ code: "SIGN_IN_FAILED" });
      return undefined;
    }
  }

  async roleOf(cookie: string): Promise<Role | undefined> {
    const found = await this.signIn?.sessionOf({ ...HEADERS, cookie });
    if (found !== undefined && "code" in found) throw new Error(found.reason);
    return found?.identity.role;
  }

  async end(cookie: string): Promise<void> {
    const headers = { ...HEADERS, cookie };
    const found = await this.signIn?.sessionOf(headers);
    if (found === undefined || !("identity" in found)) return;
    await this.signIn?.signOut({ headers, identity: found.identity, address: undefined });
  }
}

const HEADERS: IncomingHttpHeaders = { host: "127.0.0.1:7411", "x-touchstone-console": "1" };
const versionOf = ({ keys }: File, who: string): number | undefined => keys[who]?.key;

const at = fc.integer({ min: 0, max: 1 });
const which = fc.nat(100);
const role = fc.constantFrom<Role>(...ROLES);
const change = fc.oneof(
  fc.record({
    name: fc.constantFrom(...NAMES),
    to: fc.option(fc.record({ key: fc.nat(2), role })),
  }),
  fc.record({ group: fc.constantFrom(...GROUPS), to: fc.option(role) }),
  fc.record({ adminKey: fc.option(fc.nat(2)) }),
  fc.record({ clientSecret: fc.nat(1) }),
  fc.record({ lifetime: fc.constantFrom(5, 60, 120) }),
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      signIn: fc.constantFrom<Who>(...NAMES, "operator", "code", ...GROUPS),
      at,
    }),
  },
  { weight: 2, arbitrary: fc.record({ signOut: which, at }) },
  { weight: 3, arbitrary: fc.record({ change, at, both: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ minutes: fc.integer({ min: -20, max: 50 }) }) },
  { weight: 1, arbitrary: fc.record({ restart: at }) },
);
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

function changed(file: File, to: typeof change extends fc.Arbitrary<infer Of> ? Of : never) {
  if ("name" in to) return { keys: { ...file.keys, [to.name]: to.to } };
  if ("group" in to) return { groups: { ...file.groups, [to.group]: to.to } };
  return to;
}

it(
  "answers no request beyond the rights of its session at that moment",
  async () => {
    const counts = { allowed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const clock = { now: Date.UTC(2026, 0, 1) };
        const dataDir = tempDir();
        const replicas = [new Replica(dataDir, clock), new Replica(dataDir, clock)] as const;
        for (const replica of replicas) await replica.start();
        const sessions: Modelled[] = [];
        try {
          for (const each of steps) {
            await take(each, { clock, replicas, sessions });
            for (const replica of replicas) {
              for (const session of sessions) {
                const expected = roleInModel(session, replica.file, clock.now);
                expect([session, await replica.roleOf(session.cookie)]).toEqual([
                  session,
                  expected,
                ]);
                counts[expected === undefined ? "refused" : "allowed"] += 1;
              }
            }
          }
        } finally {
          for (const replica of replicas) await replica.stop();
        }
      }),
      { numRuns: sample(8, 40, 400) },
    );
    // Both results must occur often, or the test proves little.
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(100);
  },
  sample(60_000, 300_000, 3_000_000),
);

async function take(
  each: Step,
  {
    clock,
    replicas,
    sessions,
  }: {
    readonly clock: { now: number };
    readonly replicas: readonly [Replica, Replica];
    readonly sessions: Modelled[];
  },
): Promise<void> {
  const of = (index: number): Replica => replicas[index === 0 ? 0 : 1];
  if ("minutes" in each) {
    clock.now += each.minutes * MINUTE;
  } else if ("restart" in each) {
    await of(each.restart).stop();
    await of(each.restart).start();
  } else if ("change" in each) {
    const changes = each.both ? replicas : [of(each.at)];
    for (const replica of changes) replica.change(changed(replica.file, each.change));
  } else if ("signOut" in each) {
    const session = sessions[each.signOut % Math.max(1, sessions.length)];
    if (session === undefined) return;
    const counts = roleInModel(session, of(each.at).file, clock.now) !== undefined;
    await of(each.at).end(session.cookie);
    session.isEnded ||= counts;
  } else {
    const replica = of(each.at);
    const { signIn: who } = each;
    const cookie = await replica.begin(who);
    const known = standing(who, replica.file);
    expect([who, cookie !== undefined]).toEqual([who, known !== undefined]);
    if (cookie === undefined || known === undefined) return;
    const { rests } = known;
    const { lifetime } = replica.file;
    // Sessions that had expired by then are removed, even if the clock is set back later.
    for (const one of sessions) {
      one.isEnded ||= one.created + one.lifetime * MINUTE <= clock.now;
    }
    sessions.push({ cookie, who, rests, created: clock.now, lifetime, isEnded: false });
  }
}
