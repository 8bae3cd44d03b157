import type { Claims } from "./read.ts";

/** The tests of each statement of `threat-model.md`. */
export const threatModel: Claims = {
  "The listener refuses a `Host` or `Origin`": [
    "server/access/access.test.ts > requires the API key if one is set, in either header",
    "server/access/access.test.ts > %s",
    "server/access/keys.test.ts > is decided for every route",
  ],
  "`/healthz` and `/readyz` answer everybody": [
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
    "console/src/tool/try-tool.test.ts > sends a token, but never shows or stores it",
    "server/access/foreign-page.test.ts > isolates a server's page from the console's origin: %s",
  ],
  "A link that signs a browser in": [
    "server/admin/sign-in.test.ts > is exchanged for a token once",
    "server/admin/sign-in.test.ts > is refused a second time, and after 60 s",
    "console/src/page/sign-in.test.ts > signs in once, and leaves no code in the address, history or storage",
    "server/presence.test.ts > finds a running gateway by its data directory, with a code that works once",
    "server/presence.test.ts > finds no gateway by a file that %s",
    "server/presence.test.ts > issues a code only to a client with the data directory's secret",
  ],
  "Without `auth.admin_key`, the token": [
    "cli/src/operator-token.test.ts > the token is in no stream and no record: log format %s, keys %o",
    "cli/src/operator-token.test.ts > each start makes a new token, also after a crash that left the old one",
    "server/admin/sign-in.test.ts > signs out when the API key changes",
  ],
  "**Not defended**: every program of the gateway's user": [],
  "Anybody may have written the `touchstone.json`": [
    "cli/src/default-config.test.ts > never reads a file in its working directory",
  ],
  "`wrap`, `ui` and `activity` never read it": [
    "cli/src/default-config.test.ts > never reads a file in its working directory",
    "cli/src/default-config.test.ts > activity reads the user's file, and never one in the working directory",
  ],
  "A file that was found, and not named": [
    "cli/src/default-config.test.ts > is refused if other users can write it, own it, or own the link to it",
  ],
  "`doctor`, `tools`, `call`, `check` and `lint` show": [
    "cli/src/approve-config.test.ts > lists a file's commands without secrets, and asks once per content and location",
    "cli/src/call/call.test.ts > does not start the commands of a file that it finds, unless the user approves them",
  ],
  "**Not defended**: `serve` starts": [],
  "Records contain no arguments or results": [
    "records/store.test.ts > stores bodies only if configured, without their secrets",
    "records/bodies/body.test.ts > cuts after redaction, and never leaves half a secret",
  ],
  "New files have mode 0600": [
    "records/sqlite/open.test.ts > creates a directory and files that only their owner can read",
    "records/verify/kept.test.ts > warns about a data directory that every user can write to",
  ],
  "Anyone who may write a [lock file]": [
    "gateway/src/pins.test.ts > approves what it lists, reloads it when it changes, and blocks when it is unreadable",
  ],
  "A pipe instead of a journal": [
    "records/verify/kept.test.ts > does not wait on a pipe in place of a journal or database",
  ],
  "The owner of the data directory can [pause]": [
    "cli/src/pause/pause.test.ts > pauses the policy only for who may write the configuration file",
    "relay/pause.test.ts > ends each pause on time: after %i ms %i remain",
    "relay/pause.test.ts > is ignored if another user owns %s",
    "relay/pause.test.ts > is ignored if it cannot be read",
  ],
  "Errors and logs never contain a value of a secret": [
    "config/hostile.test.ts > hides possible secrets in errors",
    "records/build.test.ts > the %s of a record has no secret of the configuration",
    "server/turned-away.test.ts > loses %s that is in its path, Host or Origin",
    "config/shown-upstream.test.ts > names variables and headers without their values",
  ],
  "Each process writes one chain": [
    "records/verify/kept.test.ts > detects a change of %s",
    "records/verify/tables.test.ts > says what it has checked, and names every table",
    "records/verify/columns.test.ts > notices a change of each column, or names it as not covered",
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
      "`tally` (SQLite), `rollup`, `rollup_chains`",
      "`version`",
      "`list_changes`",
      "`gateways`, `tasks`, `bookmarks`, `requests` (PostgreSQL)",
    ].map((table) => [
      table,
      [
        "records/verify/columns.test.ts > notices a change of each column, or names it as not covered",
      ],
    ]),
  ),
  "Gateways remove old rows of `list_scopes`": [
    "records/verify/columns.test.ts > notices a removed row of each table, or says that it does not",
    "pipeline/unknown-schemas.test.ts > is blocked in strict, with the reason and what to do: %s",
  ],
  "An approval has a record in a chain": [
    "records/verify/tables.test.ts > keeps approvals verified after retention has removed their records",
    "records/verify/tables.test.ts > does not carry on an approval that was forged before retention",
    "records/verify/tables.test.ts > counts approvals of before as unrecorded, until they are taken over",
  ],
  "[`activity erase`](../guides/erase-one-persons-data.md)": [
    "records/erase/erase.test.ts > takes out what records have about a caller, and the chains still verify",
    "records/erase/erase.test.ts > erases records whose %s was changed, and does not hide that",
    "records/erase/erase.test.ts > does not hide %s",
  ],
  "A digest in a row finds a change": ["records/verify/tables.test.ts > reports %s"],
  "The hash is not a signature": [],
  "Whoever can write the database can write a record": [],
  "The oldest records can be removed": [],
  "A stdio server that runs as the same user": [],
  "Versions are pinned, and the lockfile": [
    "test/packages.test.ts > pin every dependency to one version",
    "test/packages.test.ts > has no dependency of the published packages that runs a script when it is installed",
    "cli/src/telemetry.test.ts > loads no telemetry module by default",
  ],
};
