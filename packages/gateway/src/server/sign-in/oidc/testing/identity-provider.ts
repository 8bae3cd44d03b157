import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import type { Browser } from "./browser.ts";

/** The claims of each person, by login. */
export type People = Record<string, Readonly<Record<string, unknown>>>;

export const CLIENT = {
  client_id: "touchstone",
  client_secret: "the-secret-of-the-client",
} as const;

/** A client's redirect URIs, and where its sign-out may return to. */
export interface Redirects {
  readonly callbacks: readonly string[];
  readonly signedOut: readonly string[];
}

/** An OpenID provider on loopback: `oidc-provider`, whose pages ask for a login and for consent. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly people: People;
  /** Accepts the client. The provider serves nothing before. */
  register(redirects: Redirects): Promise<void>;
  /** Stops responding until {@link IdentityProvider.resume}: connections are closed. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export interface ProviderOptions {
  readonly people: People;
  /** Whether the ID token has all claims, as that of most providers has; else they are in the UserInfo response. */
  readonly claimsInToken?: boolean;
  readonly claims?: Readonly<Record<string, readonly string[]>>;
  /** The name in its issuer. For a browser, `localhost` is another site than 127.0.0.1. */
  readonly host?: "127.0.0.1" | "localhost";
}

export async function startIdentityProvider({
  people,
  claimsInToken = true,
  claims = { openid: ["sub"], profile: ["name", "preferred_username"], groups: ["groups"] },
  host = "127.0.0.1",
}: ProviderOptions): Promise<IdentityProvider> {
  let handle: RequestListener | undefined;
  let isPaused = false;
  const server = createServer((request, response) => {
    if (isPaused || handle === undefined) request.socket.destroy();
    else handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: "one", use: "sig", alg: "RS256" };
  return {
    issuer,
    people,
    async register({ callbacks, signedOut }) {
      handle = await quietly(async () => {
        const { default: Provider } = await import("oidc-provider");
        const provider = new Provider(issuer, {
          clients: [
            {
              ...CLIENT,
              redirect_uris: callbacks,
              post_logout_redirect_uris: signedOut,
            },
          ],
          claims,
          scopes: ["openid", "profile", "groups"],
          conformIdTokenClaims: !claimsInToken,
          jwks: { keys: [jwk] },
          cookies: { keys: ["a key for tests"] },
          pkce: { required: () => true },
          features: { devInteractions: { enabled: true }, rpInitiatedLogout: { logoutSource } },
          ttl: { Session: 600, Interaction: 600, Grant: 600, IdToken: 600, AccessToken: 600 },
          findAccount: (_context: unknown, id: string) =>
            Object.hasOwn(people, id)
              ? { accountId: id, claims: () => ({ sub: id, ...people[id] }) }
              : undefined,
        });
        return provider.callback();
      });
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** On Node 20, and for development's own pages, the provider prints warnings that say nothing about the gateway. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  console.warn = () => {};
  console.info = () => {};
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}

/** The page that asks whether to sign out. The provider's own page prints a notice. */
async function logoutSource(context: { body: string }, form: string): Promise<void> {
  context.body = `<!doctype html><title>Sign out</title>${form}
    <button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
}

/** Signs in at the provider's pages, and gives consent. Returns the response to the last of its redirects. */
export async function logIn(
  browser: Browser,
  start: string,
  login: string,
  until: string,
): Promise<Response> {
  let response = await browser.follow(start, until);
  for (let pages = 0; pages < 4 && response.status === 200; pages += 1) {
    const page = await response.clone().text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined) return response;
    const form = new URLSearchParams({
      prompt,
      ...(prompt === "login" ? { login, password: "-" } : {}),
    });
    response = await browser.follow(new URL(action, response.url || start).href, until, {
      method: "POST",
      body: form,
    });
  }
  return response;
}
