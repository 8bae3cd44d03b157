import { ACTIVITY_ERRORS } from "@touchstone/records/errors";
import { type Catalogue, INSTALLATION_ERRORS, THREAD_ERRORS } from "@touchstone/util";
import { EDIT_ERRORS } from "../config/edit/tree.ts";
import { CONFIG_ERRORS } from "../config/faults.ts";
import { CAPTURE_ERRORS } from "../insight/capture/errors.ts";
import { TELEMETRY_ERRORS } from "../insight/telemetry/packages.ts";
import { BODY_ERRORS } from "../transport/http/unfinished-bodies.ts";
import { ACCESS_ERRORS } from "./access/access.ts";
import { ADMIN_ERRORS } from "./admin/errors.ts";
import { RELOAD_ERRORS } from "./gateway-options.ts";
import { LISTEN_ERRORS } from "./listener.ts";
import { OIDC_ERRORS } from "./sign-in/oidc/refusal.ts";

/** The codes of one class of errors, for people. */
export interface ErrorCatalogue {
  readonly about: string;
  readonly codes: Catalogue;
}

/**
 * The codes of every error class of the gateway, by the class's name. The reference of errors is generated from it.
 */
export const ERROR_CATALOGUES: Readonly<Record<string, ErrorCatalogue>> = {
  AccessError: {
    about:
      "Why the gateway refuses an HTTP request before it reads it. Such a response has `code`; nothing is thrown.",
    codes: ACCESS_ERRORS,
  },
  ActivityError: { about: "What can go wrong with activity records.", codes: ACTIVITY_ERRORS },
  AdminError: { about: "Why `/api/v1` refuses a request.", codes: ADMIN_ERRORS },
  BodyRefusedError: {
    about: "Why the gateway stops reading the body of an HTTP request.",
    codes: BODY_ERRORS,
  },
  CaptureError: { about: "Why a capture cannot begin, or cannot be used.", codes: CAPTURE_ERRORS },
  ConfigError: {
    about:
      "What is wrong with a configuration. An error has `faults`, and the code of the first one.",
    codes: CONFIG_ERRORS,
  },
  EditError: { about: "Why a value cannot be written into a file.", codes: EDIT_ERRORS },
  InstallationError: {
    about: "Why a running `serve` ends by itself.",
    codes: INSTALLATION_ERRORS,
  },
  ListenError: { about: "Why the gateway cannot listen at an address.", codes: LISTEN_ERRORS },
  OidcError: {
    about:
      "Why an identity provider of `auth.oidc` does not sign a person in. The sign-in page shows it.",
    codes: OIDC_ERRORS,
  },
  ReloadError: {
    about: "Why a running gateway refuses a new configuration.",
    codes: RELOAD_ERRORS,
  },
  TelemetryError: { about: "Why telemetry cannot start.", codes: TELEMETRY_ERRORS },
  ThreadError: { about: "Why a thread cannot start.", codes: THREAD_ERRORS },
};
