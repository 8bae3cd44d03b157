import type { Claims } from "./read.ts";

/** The tests of each statement of `threat-model.md`. */
export const threatModel: Claims = {
  "The listener refuses a `Host` or `Origin`": [
    "server/access/access.test.ts > requires the API key if one is set, in either header",
    "server/access/access.test.ts > %s",
    "server/access/keys.test.ts > is decided for every route",
  ],
  "`/healthz` and `/readyz` respond to everybody": [
    "server/listener.test.ts > report readiness to anyone, but servers only to those who may use them",
  ],
  "Only pages at the origins in `listen.allowed_origins`": [
    "server/access/cors.test.ts > is refused for %s",
    "server/access/cors.test.ts > varies by origin, and never carries a server's own CORS headers",
  ],
  "Running tools from the console is off": [
    "server/tools-api/tools-api.test.ts > validates arguments while execution is off, but runs nothing",
    "server/callers.test.ts > $method $path is allowed to the right roles",
  ],
  "The console has a strict Content-Security-Policy": [
    "page/hostile.test.ts > runs nothing, reveals hidden characters, and does not violate the content security policy",
    "console/src/sign-in/sign-in.test.ts > by a key opens the view that was asked for, and keeps nothing of the key",
    "server/access/foreign-page.test.ts > isolates a server's page from the console's origin: %s",
  ],
  "A link that signs a browser in": [
    "server/sign-in/codes.test.ts > is exchanged for a token once",
    "server/sign-in/codes.test.ts > is refused a second time, and after 60 s",
    "console/src/sign-in/sign-in.test.ts > by a link works once, survives a reload, and leaves no code behind",
    "server/presence-file.test.ts > finds a running gateway by its data directory, with a code that works once",
    "server/presence-file.test.ts > finds no gateway by a file that %s",
    "server/presence-file.test.ts > issues a code only to a client with the data directory's secret",
  ],
  "session fixation: a cookie is planted": [
    "server/sign-in/sign-in.test.ts > replaces the session that the browser had, so that none can be planted",
    "server/sign-in/oidc/oidc.test.ts > has no other session: that of before ends, although the provider's redirect lacks its cookie",
    "server/sign-in/hostile-cookies.test.ts > none counts if two name different sessions: one was planted",
  ],
  "theft of a cookie": [
    "server/sign-in/sign-in.test.ts > sets a cookie that scripts, other sites and other ports cannot use",
    "server/sign-in/sign-in.test.ts > sees who is signed in, and ends a session at once",
    "server/sign-in/session.test.ts > has the role of its key or person now",
    "server/sign-in/session.test.ts > of a key does not count with %s",
    "server/sign-in/sessions.property.test.ts > answers no request beyond the rights of its session at that moment",
  ],
  "CSRF: a page makes the browser": [
    "server/sign-in/cookie-places.test.ts > is granted no preflight for the console's header, even if it is configured",
    "server/sign-in/cookie-places.test.ts > cannot sign a browser in, or out",
    "server/sign-in/cookie-places.test.ts > %s",
  ],
  "a page or program on another port": [
    "server/sign-in/cookie-places.test.ts > the cookie counts below /api/v1/ only: %s",
    "server/sign-in/cookie-places.test.ts > the cookie opens no MCP session, no subscription and no WebSocket",
    "server/sign-in/hostile-cookies.test.ts > one %s does not count",
  ],
  "cookies, codes and keys in logs": [
    "server/sign-in/hostile-cookies.test.ts > is in no log line and no record",
  ],
  "brute force of keys and codes": [
    "server/sign-in/hostile-cookies.test.ts > refuse the right key as well, and leave at most as many records as other rejections",
    "server/sign-in/hostile-cookies.test.ts > make their address wait, and only it, until the minute is over",
    "server/sign-in/codes.test.ts > cannot be guessed, and is neither empty, the local secret nor a token",
  ],
  "rows that somebody else writes": [
    "server/sign-in/session.test.ts > never counts, whichever column was changed",
    "server/sign-in/session.test.ts > never counts with other members of a person, or the seal of another row",
  ],
  "a store that hangs or fails": [
    "server/sign-in/hostile-cookies.test.ts > signs nobody in: 503 with the reason in the log, and the gateway goes on",
    "server/sign-in/hostile-cookies.test.ts > is waited for 10 s at most if it hangs",
  ],
  "**Not defended**: a program that listens on another port": [],
  "**Not defended**: anyone who can write to the store": [],
  "**Not defended**: a clock that is set back": [],
  "Without `auth.admin_key`, the token": [
    "cli/src/gateway/operator-token.test.ts > the token is in no stream and no record: log format %s, keys %o",
    "cli/src/gateway/operator-token.test.ts > each start makes a new token, also after a crash that left the old one",
    "server/sign-in/codes.test.ts > signs out when the API key changes",
  ],
  "**Not defended**: every program of the gateway's user": [],
  "Anybody may have written the `touchstone.json`": [
    "cli/src/config-file/default-config.test.ts > never reads a file in its working directory",
  ],
  "`wrap`, `ui` and `activity` never read it": [
    "cli/src/config-file/default-config.test.ts > never reads a file in its working directory",
    "cli/src/config-file/default-config.test.ts > activity reads the user's file, and never one in the working directory",
  ],
  "A file that was found, and not named": [
    "cli/src/config-file/default-config.test.ts > is refused if other users can write it, own it, or own the link to it",
  ],
  "`doctor`, `tools`, `call`, `check` and `lint` show": [
    "cli/src/config-file/approve-config.test.ts > lists a file's commands without secrets, and asks once per content and location",
    "cli/src/call/call.test.ts > does not start the commands of a file that it finds, unless the user approves them",
  ],
  "**Not defended**: `serve` starts": [],
  "Records contain no results": [
    "pipeline/kept-arguments.test.ts > are not kept if %s",
    "settings/activity.test.ts > keeps the arguments of failed calls without a file",
    "records/src/build.test.ts > has its arguments, and neither a result nor a patch",
    "records/src/build.test.ts > has no half of a secret that the cut or the end of what was held is inside",
    "server/failed-arguments.test.ts > records the arguments of failed calls at every interface, redacted",
    "records/src/bodies/redact-json.test.ts > keeps no part of a secret, however deep it is and wherever the text is cut",
    "records/src/store.test.ts > stores bodies only if configured, without their secrets",
    "records/src/bodies/body.test.ts > cuts after redaction, and never leaves half a secret",
  ],
  "New files have mode 0600": [
    "records/src/sqlite/open.test.ts > creates a directory and files that only their owner can read",
    "records/src/verify/kept.test.ts > warns about a data directory that every user can write to",
  ],
  "Anyone who may write a [lock file]": [
    "gateway/src/pins.test.ts > approves what it lists, reloads it when it changes, and blocks when it is unreadable",
  ],
  "Touchstone never waits for a pipe": [
    "records/src/verify/kept.test.ts > does not wait on a pipe in place of a journal or database",
  ],
  "The owner of the data directory can [pause]": [
    "cli/src/pause/pause.test.ts > pauses the policy only for who may write the configuration file",
    "relay/pause.test.ts > ends each pause on time: after %i ms %i remain",
    "relay/pause.test.ts > is ignored if another user owns %s",
    "relay/pause.test.ts > is ignored if it cannot be read",
  ],
  "Errors and logs never contain a value of a secret": [
    "config/hostile.test.ts > hides possible secrets in errors",
    "records/src/build.test.ts > the %s of a record has no secret of the configuration",
    "server/rejected-requests.test.ts > loses %s that is in its path, Host or Origin",
    "config/shown-upstream.test.ts > names variables and headers without their values",
  ],
  "Each process writes one chain": [
    "records/src/verify/kept.test.ts > detects a change of %s",
    "records/src/verify/tables.test.ts > says what it has checked, and names every table",
    "records/src/verify/columns.test.ts > notices a change of each column, or names it as not covered",
  ],
  ...Object.fromEntries(
    [
      "`activity`",
      "`chains`",
      "`pins`, `pin_first_uses`",
      "`pin_versions`",
      "`lists`, `list_tools`, `list_scopes`",
      "`schemas`, `changed_schemas`",
      "`drift`",
      "`tally` (SQLite), `rollup`, `rollup_chains`, `caller_rollup`, `caller_rollup_chains`",
      "`problems`",
      "`problem_hours`, `problem_callers`, `problem_chains`",
      "`problem_ignores`",
      "`version`",
      "`list_changes`",
      "`console_sessions`",
      "`searched`, `search_chains` (SQLite)",
      "`saved_views`",
      "`gateways`, `tasks`, `bookmarks`, `requests` (PostgreSQL)",
    ].map((table) => [
      table,
      [
        "records/src/verify/columns.test.ts > notices a change of each column, or names it as not covered",
      ],
    ]),
  ),
  "Gateways remove old rows of `list_scopes`": [
    "records/src/verify/columns.test.ts > notices a removed row of each table, or says that it does not",
    "pipeline/unknown-schemas.test.ts > is blocked in strict, with the reason and what to do: %s",
  ],
  "An approval has a record in a chain": [
    "records/src/verify/tables.test.ts > keeps approvals verified after retention has removed their records",
    "records/src/verify/tables.test.ts > does not carry on an approval that was forged before retention",
    "records/src/verify/tables.test.ts > counts approvals of before as unrecorded, until they are taken over",
  ],
  "[`activity erase`](../guides/erase-one-persons-data.md)": [
    "records/src/erase/erase.test.ts > takes out what records have about a caller, and the chains still verify",
    "records/src/erase/erase.test.ts > erases records whose %s was changed, and does not hide that",
    "records/src/erase/erase.test.ts > does not hide %s",
  ],
  "A digest in a row finds a change": ["records/src/verify/tables.test.ts > reports %s"],
  "The hash is not a signature": [],
  "Anyone who can write to the database can write a record": [],
  "The oldest records can be removed": [],
  "A stdio server that runs as the same user": [],
  "Versions are pinned, and the lockfile": [
    "test/packages.test.ts > pin every dependency to one version",
    "test/packages.test.ts > has no dependency of the published packages that runs a script when it is installed",
    "cli/src/gateway/telemetry.test.ts > loads no telemetry module by default",
  ],
};
