import {
  approvalDigest,
  BEGIN_DIGEST,
  digestsText,
  firstUseDigest,
  MAX_DIGESTS,
} from "../../approval-digest.ts";
import type { PinItem, PinKind } from "../../contracts/pin-store.ts";
import type { ActivityEntry } from "../../record.ts";
import type { ReadDatabase } from "../database.ts";
import { approvalEvidence, pinRows } from "./evidence.ts";

/** Records approvals that are not made by a command or request. */
export interface ApprovalLog {
  /**
   * Records the start of recorded approvals, with the existing ones, unless a record in the store has done so.
   * Earlier builds recorded no first uses.
   * @throws ActivityError if the store cannot be read or written
   */
  begin(): Promise<void>;
  /**
   * Records the approval of a server's first declarations of a kind.
   * @throws ActivityError if the store cannot be written
   */
  firstUse(server: string, kind: PinKind, items: readonly PinItem[]): Promise<void>;
}

/** @param reading sees every record that was appended before */
export function createApprovalLog(parts: {
  readonly reading: () => ReadDatabase;
  readonly append: (entries: readonly ActivityEntry[]) => Promise<unknown>;
}): ApprovalLog {
  let begun: Promise<void> | undefined;

  async function beginOnce(): Promise<void> {
    const db = parts.reading();
    const before = await db.read(async (run) => {
      if ((await approvalEvidence(db, run)).begins.length > 0) return undefined;
      const { pins, firstUses } = await pinRows(db, run);
      return [
        ...firstUses.map(({ server, kind }) => firstUseDigest(server, kind)),
        ...pins.flatMap(({ server, state, ...item }) =>
          state === "approved" || state === "revoked" ? [approvalDigest(state, server, item)] : [],
        ),
      ];
    });
    if (before === undefined) return;
    const what = before.length === 0 ? "" : `; ${before.length} from before are taken over`;
    const steps = digestBatches(before);
    await parts.append(
      (steps.length === 0 ? [[]] : steps).map((digests) => ({
        type: "config_change" as const,
        source: "gateway" as const,
        reason: `approvals are recorded from now on${what}`,
        approvals: digestsText([BEGIN_DIGEST, ...digests]),
      })),
    );
  }

  async function begin(): Promise<void> {
    begun ??= beginOnce();
    try {
      await begun;
    } catch (error) {
      begun = undefined;
      throw error;
    }
  }

  return {
    begin,
    async firstUse(server, kind, items) {
      await begin();
      const first = firstUseDigest(server, kind);
      const digests = items.map((item) => approvalDigest("approved", server, item));
      const steps = digestBatches(digests);
      await parts.append(
        (steps.length === 0 ? [[]] : steps).map((some) => ({
          type: "config_change" as const,
          source: "gateway" as const,
          server,
          reason: `approved on first use: ${some.length} of kind ${kind}`,
          approvals: digestsText([first, ...some]),
        })),
      );
    },
  };
}

/** Splits digests into batches that fit into a record with one further digest. */
export function digestBatches<T>(digests: readonly T[]): readonly (readonly T[])[] {
  const size = MAX_DIGESTS - 1;
  const count = Math.ceil(digests.length / size);
  return Array.from({ length: count }, (_, at) => digests.slice(at * size, (at + 1) * size));
}
