import {
  type Author,
  authorFields,
  authorText,
  type ProblemIgnores,
  reasonField,
} from "@touchstone/records/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import type { Problem } from "@touchstone/records/schemas";
import type { Logger } from "@touchstone/util";
import type { IgnoreBody } from "../api/admin-operations.ts";
import { AdminError } from "./errors.ts";

/** The longest time for which a problem is ignored. */
const MOST_DAYS = 366;
const DAY_MS = 86_400_000;

/** The stores that decisions about problems need. */
export interface ProblemDecisions {
  readonly problemIgnores: ProblemIgnores;
  append(entries: readonly ActivityEntry[]): Promise<unknown>;
}

/**
 * Ignores a problem until a given time. The record is written first.
 * @throws {AdminError} `BAD_REQUEST` for another time, `NOT_FOUND` if the problem was removed meanwhile
 */
export async function ignoreProblem(
  store: ProblemDecisions,
  log: Logger,
  decision: { readonly problem: Problem; readonly author: Author; readonly body: IgnoreBody },
): Promise<void> {
  const { problem, author, body } = decision;
  const now = new Date();
  const until = new Date(body.until);
  const most = now.getTime() + MOST_DAYS * DAY_MS;
  if (!ISO.test(body.until) || !(until.getTime() > now.getTime() && until.getTime() <= most)) {
    throw new AdminError(
      "BAD_REQUEST",
      `"until" must be an RFC 3339 date-time after now, at most ${MOST_DAYS} days from now, such as ${new Date(now.getTime() + 7 * DAY_MS).toISOString()}.`,
    );
  }
  const end = until.toISOString();
  await note(store, log, decision, `is ignored until ${end}`);
  const { actor, caller, given_reason: reason } = authorFields(author);
  const kept = await store.problemIgnores.add({
    ...{ problem: problem.id, until: end, since: now.toISOString() },
    ...{ actor: actor ?? "", caller: caller ?? null, reason: reason ?? null },
  });
  if (!kept) throw new AdminError("NOT_FOUND", `There is no problem ${problem.id} anymore.`);
}

/** Shows a problem again. The record is written first, if the problem was ignored. */
export async function unignoreProblem(
  store: ProblemDecisions,
  log: Logger,
  decision: { readonly problem: Problem; readonly author: Author },
): Promise<void> {
  const { problem } = decision;
  if (problem.ignored !== null) await note(store, log, decision, "is no longer ignored");
  await store.problemIgnores.end(problem.id, new Date().toISOString());
}

const ISO = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

async function note(
  store: ProblemDecisions,
  log: Logger,
  { problem, author }: { readonly problem: Problem; readonly author: Author },
  what: string,
): Promise<void> {
  const { id, server, tool, place, rule } = problem;
  const at = place === "" ? "the root" : place;
  const reason = `problem ${id} (${rule} at ${at} of ${server ?? "-"}/${tool}) ${what}`;
  await store.append([
    {
      type: "config_change",
      source: "gateway",
      server: server ?? undefined,
      reason,
      ...authorFields(author),
    },
  ]);
  log.info(reason, { by: authorText(author), ...reasonField(author) });
}
