import { either, limited, members, ref, text } from "@touchstone/util/schema";
import {
  BAD_BODY,
  errorResponse,
  jsonResponse,
  NOT_FOUND,
  operation,
  SERVER_ERROR_RESPONSES,
  STORE_ERROR_RESPONSES,
} from "./operation.ts";
import { CONSOLE_SESSIONS, SESSION_SHOWN } from "./session-schemas.ts";

const secret = (description: string) =>
  limited(text(description), { minLength: 1, maxLength: 8_192 });
const CREDENTIALS = either(
  members({ key: secret("A key of auth, or the operator token.") }),
  members({ code: secret("The code of a link of touchstone ui.") }),
);
const SIGN_IN_REFUSAL = members({
  code: text("Of OidcError."),
  message: text("For the person, with the next step."),
});
const SESSION_PATH = "/api/v1/session";
const SITE = { 403: errorResponse("The Host or Origin is not allowed.") };
const LOST = { 503: errorResponse("The store of sessions does not respond.") };

/** The sessions of browsers that are signed in to the console. */
export const SESSION_OPERATIONS = {
  getSession: operation({
    method: "get",
    path: SESSION_PATH,
    access: "own secret",
    responses: {
      200: jsonResponse("Who is signed in, by the session's cookie.", ref(SESSION_SHOWN)),
      ...SITE,
      ...SERVER_ERROR_RESPONSES,
      ...LOST,
    },
  }),
  createSession: operation({
    method: "post",
    path: SESSION_PATH,
    access: "own secret",
    body: { schema: CREDENTIALS },
    responses: {
      200: jsonResponse(
        "The browser is signed in; Set-Cookie has its session.",
        ref(SESSION_SHOWN),
      ),
      400: errorResponse("The body is invalid."),
      401: errorResponse("The key or code is unknown, or the code is used or older than 60 s."),
      403: errorResponse(
        "The Host or Origin is not allowed, or the console did not send the request.",
      ),
      ...BAD_BODY,
      429: errorResponse("Ten attempts from this address have failed within a minute."),
      ...SERVER_ERROR_RESPONSES,
      ...LOST,
    },
  }),
  endSession: operation({
    method: "delete",
    path: SESSION_PATH,
    access: "own secret",
    responses: {
      200: jsonResponse(
        "The browser is signed out; Set-Cookie removes its session.",
        ref(SESSION_SHOWN),
      ),
      ...SITE,
      ...SERVER_ERROR_RESPONSES,
      ...LOST,
    },
  }),
  getSignInRefusal: operation({
    method: "get",
    path: "/api/v1/sign-in/oidc/{provider}/refusal",
    access: "own secret",
    responses: {
      200: jsonResponse(
        "Why an identity provider did not sign this browser in, for two minutes.",
        SIGN_IN_REFUSAL,
      ),
      ...SITE,
      ...NOT_FOUND,
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  listConsoleSessions: operation({
    method: "get",
    path: "/api/v1/console-sessions",
    access: "admin",
    responses: {
      200: jsonResponse("The browsers that are signed in, the latest first.", CONSOLE_SESSIONS),
      ...STORE_ERROR_RESPONSES,
    },
  }),
  endConsoleSession: operation({
    method: "delete",
    path: "/api/v1/console-sessions/{id}",
    access: "admin",
    responses: {
      200: jsonResponse("The browsers that are still signed in.", CONSOLE_SESSIONS),
      ...NOT_FOUND,
      ...STORE_ERROR_RESPONSES,
    },
  }),
};
