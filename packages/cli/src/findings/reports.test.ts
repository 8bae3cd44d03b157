import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SARIF_SCHEMA } from "../../../core/src/report/render/testing/sarif-schema.ts";
import type { Report } from "./finding.ts";
import { renderJunitReport } from "./junit.ts";
import { renderSarifReport } from "./sarif.ts";

const FINDING = { rule: "r", level: "error", subject: "t", path: "/a", message: "m" } as const;

function placeOf(name: string, finding: object = {}) {
  const report: Report = { name, subjects: ["t"], findings: [{ ...FINDING, ...finding }] };
  const log = JSON.parse(renderSarifReport(report, "1"));
  const { artifactLocation, region } = log.runs[0].results[0].locations[0].physicalLocation;
  return [artifactLocation.uri, region.startLine, region.startColumn];
}

it.each([
  ["tools.json", "tools.json"],
  ["a b/天.json", "a%20b/%E5%A4%A9.json"],
  ["example.com:8080", "example.com%3A8080"],
  ["c:d/e.json", "c%3Ad/e.json"],
  [resolve("a b.json"), "a%20b.json"],
  [resolve("../a b.json"), pathToFileURL(resolve("../a b.json")).href],
])("writes the file %j as the URI %s", (name, uri) => {
  expect(placeOf(name)).toEqual([uri, 1, 1]);
  expect(placeOf("2 files", { file: name, line: 3, column: 4 })).toEqual([uri, 3, 4]);
});

const SCHEMA = compileDeclared({ value: SARIF_SCHEMA });
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\u202e", "]]>", "&#x1b;", "\ud800"),
);
const finding = fc.record(
  {
    rule: text,
    level: fc.constantFrom("error", "warning", "note"),
    subject: text,
    path: text,
    message: text,
    fix: text,
    file: text,
    line: fc.integer({ min: 1 }),
    column: fc.integer({ min: 1 }),
  },
  { requiredKeys: ["rule", "level", "subject", "path", "message"] },
);
const report = fc.record({ name: text, subjects: fc.array(text), findings: fc.array(finding) });

it("writes valid SARIF and valid XML for any findings", () => {
  fc.assert(
    fc.property(report, (given) => {
      const log = JSON.parse(renderSarifReport(given as Report, "1"), withoutNames);
      expect(SCHEMA.validate(log).errors).toEqual([]);
      const xml = renderJunitReport(given as Report, "note");
      expect(xml.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      for (const [, hex = ""] of xml.matchAll(/&#x([0-9A-Fa-f]+);/g)) {
        expect(Number.parseInt(hex, 16)).toSatisfy(isXmlCharacter);
      }
    }),
    { numRuns: 100 },
  );
});

/** The excerpt of SARIF's schema in the tests of core only knows locations with their full names. */
function withoutNames(key: string, value: unknown): unknown {
  if (key !== "logicalLocations" || !Array.isArray(value)) return value;
  return value.map(({ name: _, ...others }) => others);
}

/** XML 1.0, production 2. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code < 0xd800 || (code > 0xdfff && code !== 0xfffe && code !== 0xffff);
}
