import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { compareMessages } from "../testing/message-conformance.ts";
import { OFFICIAL } from "../testing/official.ts";
import { randomOf } from "../testing/random.ts";
import { ERRATA } from "./errata.ts";
import { MESSAGE_TABLES } from "./tables.ts";

describe.skipIf(OFFICIAL === undefined)("message schemas compared with MCP's own", () => {
  for (const { version } of MESSAGE_TABLES) {
    const options = version === "2025-11-25" ? {} : long;
    it(`accept and refuse the same in ${version}, except for the errata`, options, () => {
      const random = randomOf(20_260_728);
      const { tallies, differences } = compareMessages(
        OFFICIAL ?? "",
        [version],
        () => random() < 0.015,
      );
      const [tally] = tallies;
      expect(tally?.refusedGood).toEqual([]);
      expect(tally?.notMutated).toEqual(
        version >= "2026-07-28" ? ["ReadResourceResultResponse"] : [],
      );
      expect(tally?.refused).toBeGreaterThan(50);
      expect(tally?.accepted).toBeGreaterThan(50);
      expect(differences.filter(({ erratum }) => erratum === undefined)).toEqual([]);
      const known = ERRATA.filter(({ versions }) => versions.includes(version)).map(({ id }) => id);
      for (const { erratum } of differences) expect(known).toContain(erratum);
    });
  }
});
