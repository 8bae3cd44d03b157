import type { Claims } from "./read.ts";

/** The statements of one page or source file that all is well, and sentences with the same words that are none. */
export interface Assurances {
  /** By a part of the sentence that no other sentence of the file has: the tests that hold it, as `FILE > TITLE`. */
  readonly held: Claims;
  /** Parts of other sentences: what a setting, an option or another program does, or what is not known. */
  readonly others?: readonly string[];
}

const ROLLOUT = [
  "cli/src/activity/rollout-states.test.ts > shows the state of each direction of each tool",
  "console/src/rollout/states.test.ts > are the same in the API and in the console",
];
const LOCK = [
  "tool-checks/lock/edits.property.test.ts > are never called compatible if they break, nor breaking if they do not",
  "inclusion/subset.property.test.ts > prove nothing false, and show only real counterexamples",
];
const STEPS = [
  "tool-checks/rewrite/kinds.property.test.ts > accepts only arguments that the server's schema accepts",
  "tool-checks/rewrite/rewrite.property.test.ts > accepts the same values as before, for all providers and dialects",
];
const VIEW = [
  "gateway/src/adapted-lists.test.ts > says what the client may still refuse: adapt.steps of %s",
  "console/src/servers/client-left.test.ts > is shown for each client as it objects to what it gets",
];

/** The pages and texts that lead people to turn strict on, to approve, to merge or to calm down. */
export const ASSURANCES: Readonly<Record<string, Assurances>> = {
  "docs/guides/from-warn-to-strict.md": {
    held: {
      "`safe: 704 checked, 0 would be blocked`": [
        ...ROLLOUT,
        "records/src/sql/rollout.test.ts > is not known to be safe",
        "records/src/sql/rollout.test.ts > is no evidence for a schema that changed later",
        "cli/src/activity/rollout-states.test.ts > judges a result without structured content by the settings of its call, without a file: %s",
        "cli/src/activity/rollout-settings.test.ts > are evidence for a file only if they looked for all that it looks for",
      ],
      "`not checked: N calls`": ROLLOUT,
      "`safe` covers only the three modes": [
        ...ROLLOUT,
        "cli/src/activity/reports.test.ts > reports what a configuration's policy would have blocked, and where it cannot tell",
      ],
      "an argument that the tool does not declare, noted": [
        "pipeline/exemptions.test.ts > are forwarded byte for byte by default, with a warning that says that no mode blocks them",
      ],
    },
    others: ["an agent sends what the tool does not accept", "makes safe repairs, and records"],
  },
  "docs/guides/pin-approved-tools.md": {
    held: {
      'Begin with `"pin": "warn"`': [
        "gateway/src/pins.test.ts > warns about a changed tool, and forwards the call",
      ],
      "Retention never removes approvals": [
        "records/src/verify/tables.test.ts > keeps approvals verified after retention has removed their records",
        "records/src/verify/tables.test.ts > reports %s",
      ],
    },
  },
  "docs/guides/make-every-server-work.md": {
    held: {
      "Nothing is changed by default.": [
        "features/adapt/adapt.test.ts > returns unchanged tools byte for byte, and everything with default settings",
      ],
      "Nothing is started or changed": [
        "cli/src/check/check.test.ts > shows what adapt would change for each client, and refuses an unknown client",
      ],
      '"The same" means that': VIEW,
      "the page says that nothing was compared": VIEW,
      "| `same` | accepts the same arguments": STEPS,
      "is proved from the structure of both schemas": STEPS,
      "A tool that needs no change is forwarded byte for byte": [
        "pipeline/adapt.test.ts > stays byte for byte the same if adapt is off or nothing needs to change",
      ],
      "and never that of another tool of the list": [
        "contracts/short-names.test.ts > never gives one tool the name of another",
        "contracts/short-names.test.ts > of %j is always the same",
      ],
    },
    others: ["MCP recommends that a tool"],
  },
  "docs/guides/pause-checks.md": {
    held: {
      "checks of arguments, results and messages only warn": [
        "cli/src/pause/pause.test.ts > makes a running wrap block nothing until the pause expires or is ended",
      ],
      "Checks that are `off` stay off": [
        "relay/pause-watch.test.ts > begins and ends with every change of the file, even right after startup",
      ],
      "say how many of them there": [
        "cli/src/pause/pause.test.ts > of %s reports what still blocks, by record, log, API and command",
        "policy/still-blocking.test.ts > counts %s",
      ],
    },
  },
  "docs/guides/test-your-server-in-ci.md": {
    held: {
      "if there is no proof that a changed schema breaks nothing": [
        ...LOCK,
        "cli/src/lock/lock.test.ts > says what would decide an unproven change, in every format",
      ],
    },
    others: ["A plain shell needs nothing but the exit code"],
  },
  "docs/guides/export-and-verify-records.md": {
    held: {
      "signs only if everything verifies": [
        "cli/src/activity/reports.test.ts > detects removed newest records with a checkpoint, and refuses to sign invalid records",
        "records/src/verify/meanwhile.test.ts > signs only what it verified, not what others append meanwhile",
      ],
    },
  },
  "docs/reference/lock-file.md": {
    held: {
      "White space, the order of keys": [
        "tool-checks/lock/lock-file.test.ts > has the same hash for any change to %s",
      ],
      "neither a proof that nothing breaks nor a value": [
        "tool-checks/lock/compare-schemas.test.ts > names the keyword that was not proved",
      ],
      "everything that worked still works": [
        ...LOCK,
        "tool-checks/lock/compare-servers.test.ts > classifies changes of %s: %s",
        "tool-checks/lock/compare-servers.test.ts > compares the other parts of a server, but not those that one side lacks",
      ],
      "| `input-schema` |": LOCK,
      "| `closed-schema` |": [
        "tool-checks/lock/compare-schemas.test.ts > tells closing apart from other breaks: %s",
      ],
      "| `opened-schema` |": [
        "tool-checks/lock/compare-schemas.test.ts > tells closing apart from other breaks: %s",
      ],
      "- **Proved.** The structure": LOCK,
    },
    others: ["which shows nothing about what works", "| `less-safe` |"],
  },
  "packages/cli/src/pause/text.ts": {
    held: {
      "nothing is paused in": [
        "cli/src/pause/pause.test.ts > is listed by --status, and ended by --off for one server or all",
      ],
    },
  },
  "packages/cli/src/pause/run-pause.ts": {
    held: {
      "nothing is paused: ${safeText(fault)}": [
        "cli/src/pause/pause.test.ts > refuses a data directory whose pauses gateways would ignore",
      ],
      "nothing is paused: --policy needs": [
        "cli/src/pause/pause.test.ts > pauses the policy only for who may write the configuration file",
      ],
    },
  },
  "packages/gateway/src/policy/still-blocking.ts": {
    held: {
      "or restriction of a caller is set that would block": [
        "policy/still-blocking.test.ts > counts %s",
      ],
    },
  },
  "packages/cli/src/approve/run-approve.ts": {
    held: {},
    others: ["--list takes no --reason"],
  },
  "packages/records/src/approvals.ts": {
    held: {
      "so nothing was approved; choose one": [
        "cli/src/approve/approve.test.ts > asks which of several held versions to approve, and approves none",
      ],
      "is held, so nothing was changed": [
        "cli/src/approve/approve.test.ts > lists revoked declarations, and leaves them alone unless they are named",
      ],
      "already, so nothing was changed": ["cli/src/approve/approve.test.ts > refuses %j"],
      "is ${what}, so nothing was changed": ["cli/src/approve/approve.test.ts > refuses %j"],
      "is known: no gateway with these records": [
        "cli/src/approve/approve.test.ts > does not say that nothing is held of what was never pinned: %j",
      ],
    },
  },
  "packages/cli/src/doctor/fleet.ts": {
    held: {
      "the same configuration hash": [
        "cli/src/doctor/fleet.test.ts > reports which gateways share the store, and which run another configuration",
      ],
    },
  },
  "packages/cli/src/lock/change-findings.ts": { held: { "(proved)": LOCK } },
  "packages/protocol/src/tool-checks/lock/schema-changes.ts": {
    held: {
      "the schema has changed, but still accepts what it accepted": LOCK,
      "the schema has changed, and results still match the locked one": LOCK,
      "schema cannot be used, so nothing can be compared": [
        "tool-checks/lock/compare-servers.test.ts > reports %s",
      ],
      "no value was found that both accept": [
        "tool-checks/lock/compare-servers.test.ts > reports %s",
      ],
    },
  },
  "packages/cli/src/activity/verify.ts": {
    held: {
      "everything that was compared is in order": [
        "cli/src/activity/reports.test.ts > exits with 0 if the records are in order and with 1 if they are not",
        "records/src/verify/columns.test.ts > notices a change of each column, or names it as not covered",
        "records/src/verify/columns.test.ts > notices a removed row of each table, or says that it does not",
      ],
      "NOT in order": [
        "cli/src/activity/reports.test.ts > reports wrong counts even if the hash chains are in order",
      ],
    },
  },
  "packages/cli/src/activity/checkpoint.ts": {
    held: {
      "so nothing was signed": [
        "cli/src/activity/reports.test.ts > detects removed newest records with a checkpoint, and refuses to sign invalid records",
      ],
    },
  },
  "packages/cli/src/lint/rewrite-tools.ts": {
    held: {
      "unchanged: JavaScript cannot": [
        "cli/src/lint/exact-numbers.test.ts > refuses to guess which of two equal doubles was moved",
      ],
      "proved to accept the same as before": STEPS,
      "not proved, but tried on": [
        "tool-checks/rewrite/rewrite.property.test.ts > gives the same results, even for values that it did not try",
      ],
      "nothing was changed": [
        "cli/src/lint/lint.test.ts > writes the rewritten tools, and reports errors that remain",
      ],
      "no other schema is known that accepts": [
        "cli/src/lint/lint.test.ts > writes the rewritten tools, and reports errors that remain",
      ],
    },
  },
  "packages/records/src/rollout/readiness.ts": {
    held: {
      "safe: ${count(checked)} checked, 0 would be blocked": [
        ...ROLLOUT,
        "records/src/sql/rollout.test.ts > is not known to be safe",
      ],
      "strict already": [
        ...ROLLOUT,
        "records/src/sql/rollout.test.ts > are facts, and not called safe by settings that may be others",
      ],
    },
  },
  "packages/console/src/rollout/readiness-table.tsx": {
    held: {
      "strict or safe to turn strict": [
        "console/src/rollout/readiness.test.ts > says for each tool whether strict is safe in all directions",
      ],
    },
  },
  "packages/console/src/rollout/rollout-page.tsx": {
    held: {
      "Nothing was recorded in this period": [
        "console/src/rollout/rollout-page.test.ts > does not call strict safe if nothing was recorded",
      ],
    },
  },
  "packages/console/src/overview/empty-cards.ts": {
    held: {
      "servers are running.": [
        "overview/empty-cards.test.ts > says that servers are in order only if each runs: %j",
      ],
      "none failed, and none was refused": [
        "overview/empty-cards.test.ts > says that none of %i calls failed",
      ],
      "and no difference is recorded": [
        "overview/empty-cards.test.ts > says that results match only if some were compared: %i tools",
      ],
    },
  },
  "packages/console/src/servers/client-list-view.tsx": { held: { '"the same"': VIEW } },
  "packages/gateway/src/features/adapt/adapt.ts": {
    held: { "narrower: nothing that the server's refuses": STEPS },
  },
};
