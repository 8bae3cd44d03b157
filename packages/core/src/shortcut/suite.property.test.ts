import { describe, expect, it } from "vitest";
import { testContext } from "../engine/testing/context.ts";
import { isValid } from "../engine/testing/interpret.ts";
import { scanWith } from "../json/scan.ts";
import { encodeUtf8 } from "../json/text.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import { graphOf } from "../testing/judges.ts";
import { long } from "../testing/sample.ts";
import { sharedPath } from "../testing/shared.ts";
import { readRemotes, readSuite } from "../testing/suite.ts";
import { schemaImage } from "./schema-image.ts";
import { changed } from "./testing/changed.ts";
import { spelled } from "./testing/spelled.ts";

const folder = sharedPath("suites", "json-schema-test-suite");
const CHANGES = 12;

describe.skipIf(folder === undefined)(
  "the scanner on values near those of the official suite",
  () => {
    it("reports what the interpreter reports, or nothing", { ...long, timeout: 180_000 }, () => {
      const documents = readRemotes(folder ?? "");
      const tally = { yes: 0, no: 0 };
      let seed = 1;
      for (const { dialect, part, file, schema, tests } of readSuite(folder ?? "")) {
        if (part !== "required") continue;
        const graph = graphOf(schema, documents, dialect, false);
        const image = schemaImage(graph);
        if (image === undefined) continue;
        for (const { data } of tests) {
          const value: unknown = JSON.parse(data);
          for (let i = 0; i < CHANGES; i++) {
            seed += 1;
            const text = spelled(i === 0 ? value : changed(value, seed), seed);
            const bytes = encodeUtf8(text);
            const { exact, unique } = scanWith(bytes, { exact: true, unique: true }, wasmScanners);
            if (exact !== true || unique !== true) continue;
            const answer = wasmScanners.use(bytes.length, (scanner) =>
              scanner.accept(bytes, image),
            );
            if (answer === undefined) continue;
            const expected = isValid(graph, JSON.parse(text), testContext());
            expect(answer, `${dialect} ${file} ${schema} on ${text}`).toBe(expected);
            tally[answer ? "yes" : "no"]++;
          }
        }
      }
      expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(10_000);
    });
  },
);
