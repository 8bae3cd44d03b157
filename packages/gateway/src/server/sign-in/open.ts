import type { SessionStore } from "@touchstone/records/plain";
import type { SessionReader } from "../access/access.ts";
import { Oidc, type OidcParts } from "./oidc/oidc.ts";
import { Sessions } from "./sessions.ts";
import { SignIn, type SignInParts } from "./sign-in.ts";

export interface OpenSignInParts
  extends Omit<SignInParts, "sessions" | "providers">,
    Pick<OidcParts, "address"> {
  readonly store: SessionStore;
  /** Milliseconds since the Unix epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** The parts of sign-in that the routes use. */
export interface OpenedSignIn {
  readonly signIn: SignIn;
  readonly sessions: SessionReader;
  /** Signs people in by the identity providers of the configuration. */
  readonly oidc: Oidc;
}

/** Opens the parts that sign browsers in, and that read who is signed in. */
export function openSignIn(parts: OpenSignInParts): OpenedSignIn {
  const oidc = new Oidc({
    ...parts,
    sessionIdOf: (headers) => signIn.sessionIdOf(headers),
    signIn: async (person, sender, how) => {
      const by = { credential: "oidc", person } as const;
      return (await signIn.signInAs(sender, by, how)).cookies;
    },
  });
  const sessions = new Sessions({ ...parts, providers: oidc });
  const signIn = new SignIn({ ...parts, providers: oidc, sessions });
  return {
    signIn,
    oidc,
    sessions: {
      sessionOf: (headers) => signIn.sessionOf(headers),
      follow: (response, value) => sessions.follow(response, value),
    },
  };
}
