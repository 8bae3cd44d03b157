import {
  component,
  dateTime,
  either,
  flag,
  limited,
  list,
  members,
  oneOf,
  ref,
  type Static,
  text,
  typed,
} from "@touchstone/util/schema";

const role = oneOf(["caller", "viewer", "admin"]);
const PROVIDER = component(
  "SignInProvider",
  members({ name: text("Its name in auth.oidc."), label: text("What the page shows.") }),
);
const providers = list(ref(PROVIDER));
const credential = text(
  "What the browser signed in with: auth.keys, auth.admin_key, auth.api_key, operator token, oidc.",
);

/** Who is signed in. */
export const SESSION_SHOWN = component(
  "SignedInSession",
  either(
    members(
      {
        signed_in: typed<true>({ const: true }),
        id: text("Of the session. It opens nothing."),
        name: text("Of the key or person; absent if it has none."),
        role: role,
        credential,
        provider: text("Of oidc."),
        expires: dateTime(),
        providers,
      },
      ...(["name", "provider"] as const),
    ),
    members({
      signed_in: typed<false>({ const: false }),
      open: limited(flag, { description: "Whether the gateway asks for no key." }),
      providers,
    }),
  ),
);
export type SessionShown = Static<typeof SESSION_SHOWN>;

export const CONSOLE_SESSION = component(
  "ConsoleSession",
  members(
    {
      id: text("It opens nothing."),
      name: text("Of the key or person; absent if it has none."),
      role: role,
      credential,
      provider: text("Of oidc."),
      created: dateTime(),
      seen: dateTime("When it was last used, to the minute."),
      expires: dateTime(),
      current: limited(flag, { description: "Whether it is the session of this request." }),
    },
    ...(["name", "provider"] as const),
  ),
);
export const CONSOLE_SESSIONS = list(ref(CONSOLE_SESSION));
export type ConsoleSessions = Static<typeof CONSOLE_SESSIONS>;

export const SIGN_IN_COMPONENTS = [PROVIDER, SESSION_SHOWN, CONSOLE_SESSION] as const;
