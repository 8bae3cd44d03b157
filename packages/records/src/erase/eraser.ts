import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { digestsText } from "../approval-digest.ts";
import { type Author, authorFields } from "../author.ts";
import { boundName } from "../bounds.ts";
import { isRecordId } from "../cursor.ts";
import { advancePastId, nextId } from "../ids.ts";
import type { ActivityEntry } from "../record.ts";
import type { Erasure } from "../response-schemas.ts";
import { sessionHash } from "../session-hash.ts";
import { queryBuilder } from "../sql/builder.ts";
import type { Database, RunQuery } from "../sql/database.ts";
import { KEPT } from "../sql/kept.ts";
import type { ErasureScope } from "../sql/kept-part.ts";
import { newestId } from "../sql/newest-id.ts";
import { COLUMNS } from "../sql/rows.ts";
import { type RowRemainder, rowRemainder } from "./left.ts";
import { type ErasureSubject, isSubject, namesSubject } from "./subject.ts";

/** Records of one transaction. Other processes wait for SQLite's only writer for a few milliseconds. */
const STEP = 50;
/** The pause between two steps, for other writers. */
const PAUSE_MS = 15;

export interface ErasureRequest {
  readonly subject: ErasureSubject;
  /** Counts the records, and changes nothing. */
  readonly dryRun: boolean;
  /** The person who requests the erasure, and the reason. The reason must not name the person. */
  readonly author: Author;
  readonly source: "gateway" | "cli";
}

/** The steps that differ between the kinds of stores. */
export interface EraserParts {
  readonly db: Database;
  readonly now: () => Date;
  /** Moves everything that was appended so far into the database. */
  readonly before: () => Promise<unknown>;
  readonly append: (entries: readonly ActivityEntry[]) => Promise<unknown>;
  /**
   * Removes the remains of the old rows from the database and its files.
   * @param isErased whether a record in a journal was erased
   * @returns a description of data that may remain, and what to do about it
   */
  readonly finish: (isErased: (record: unknown) => boolean) => Promise<readonly string[]>;
}

/** Erases what records have about one person. */
export interface ActivityEraser {
  /**
   * Erases arguments, results and names of a caller, or of a session, from the records that exist now, in short
   * transactions. First writes a record of the erasure, with digests of the remaining content. If the process is
   * killed during the erasure, it can be repeated.
   *
   * @throws ActivityError if the store cannot be read or written; the signal's reason once it is aborted
   */
  erase(request: ErasureRequest, options?: { readonly signal?: AbortSignal }): Promise<Erasure>;
  close(): Promise<void>;
}

export function createEraser(parts: EraserParts, close: () => Promise<void>): ActivityEraser {
  const { db, now, before, append, finish } = parts;
  const build = queryBuilder(db.dialect);

  async function page(run: RunQuery, column: Column, value: string, after: string, bound: string) {
    const query = build
      .selectFrom("activity")
      .selectAll()
      .where(column, "=", value)
      .where("id", ">", after)
      .where("id", "<=", bound)
      .orderBy("id")
      .limit(STEP);
    return run(query.compile());
  }

  async function overwrite(rows: readonly RowRemainder[]): Promise<void> {
    await db.write("prune", async (run) => {
      for (const { row, values } of rows) {
        const set = Object.fromEntries(COLUMNS.map(({ name }, at) => [name, values[at]]));
        const update = build
          .updateTable("activity")
          .set(set)
          .where("id", "=", row.id)
          .where("hash", "=", row.hash);
        await run(update.compile());
      }
      for (const { uncount } of KEPT) await uncount?.(run);
    });
  }

  /** Returns how many records still name the subject. */
  async function missed([column, value]: readonly [Column, string], bound: string) {
    const query = build
      .selectFrom("activity")
      .select(sql<number>`count(*)`.as("count"))
      .where(column, "=", value)
      .where("id", "<=", bound);
    return Number((await db.read((run) => run(query.compile())))[0]?.count ?? 0);
  }

  return {
    async erase({ subject, dryRun, author, source }, { signal } = {}) {
      const by = authorFields(withoutSubject(author, subject));
      await before();
      const label = nextId(now());
      const bound = await db.read((run) => newestId(db, run));
      const [column, value] = columnOf(subject);
      let records = 0;
      let edited = 0;
      let unsalted = 0;
      for (let after = ""; ; ) {
        signal?.throwIfAborted();
        const rows = await db.read((run) => page(run, column, value, after, bound));
        if (rows.length === 0) break;
        after = rows.at(-1)?.id ?? "";
        const left = rows.map((row) => rowRemainder(row, db.place));
        const digests = left.flatMap(({ digest }) => digest ?? []);
        records += left.length;
        edited += left.length - digests.length;
        unsalted += left.filter(({ isSalted }) => !isSalted).length;
        if (dryRun) continue;
        // Retention removes records by id: the record of an erasure must not be removed before those that it is
        // about, and their process may have had another clock.
        if (isRecordId(after)) advancePastId(after);
        await append([
          {
            type: "config_change",
            source,
            ...by,
            reason: reasonOf(column, left.length, label),
            erasures: digests.length === 0 ? undefined : digestsText(digests),
          },
        ]);
        await overwrite(left);
        await pause(PAUSE_MS);
      }
      let kept = { approvals: 0, requests: 0, console_sessions: 0, views: 0 };
      for (const { erase } of KEPT) {
        kept = { ...kept, ...(await erase?.(db, { column, value }, dryRun)) };
      }
      const others = kept.approvals + kept.requests + kept.console_sessions + kept.views;
      if (!dryRun && records === 0 && others > 0) {
        await append([
          { type: "config_change", source, ...by, reason: reasonOf(column, 0, label) },
        ]);
      }
      const isErased = (record: unknown): boolean => {
        const of = record as Readonly<Record<string, unknown>> | null;
        return of !== null && of[column] === value && String(of["id"]) <= bound;
      };
      const remains = dryRun ? [] : [...(await finish(isErased))];
      const count = dryRun ? 0 : await missed([column, value], bound);
      if (count > 0) {
        remains.push(
          `${count} records could not be erased: they came while it ran, or their rows are damaged. Run the command ` +
            "again. If the number stays the same, delete the rows that touchstone activity verify names",
        );
      }
      const erasure = dryRun ? null : label;
      return { erasure, records, edited, unsalted, ...kept, remains };
    },
    close,
  };
}

type Column = ErasureScope["column"];

function columnOf(subject: ErasureSubject): readonly [Column, string] {
  if (subject.caller !== undefined) return ["caller", boundName(subject.caller)];
  return ["session", sessionHash(subject.session)];
}

function reasonOf(column: Column, count: number, label: string): string {
  const whose = column === "caller" ? "one caller" : "one session";
  return `erased what ${count === 1 ? "1 record" : `${count} records`} had about ${whose} (erasure ${label})`;
}

/**
 * Returns an author without the texts that name the subject of the erasure, because the record of it must not contain
 * them.
 */
function withoutSubject(author: Author, subject: ErasureSubject): Author {
  const { actor, caller, address, reason, ...others } = author;
  const isOwn = isSubject(caller, subject);
  const kept = (text: string | undefined): string | undefined =>
    text === undefined || namesSubject(text, subject) ? undefined : text;
  return {
    ...others,
    actor: kept(actor) ?? "(hidden)",
    caller: isOwn ? undefined : caller,
    address: isOwn ? undefined : address,
    reason: kept(reason),
  };
}
