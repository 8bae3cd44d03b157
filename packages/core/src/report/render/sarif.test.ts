import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { long } from "../../testing/sample.ts";
import { renderSarif, sarifUri } from "./sarif.ts";
import { BAD, BROKEN, checked, GOOD, LOSSY, UNREAD } from "./testing/documents.ts";
import { SARIF_SCHEMA } from "./testing/sarif-schema.ts";

const TOOL = { name: "touchstone", version: "1.2.3" };

interface Location {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region: Readonly<Record<"startLine" | "startColumn" | "endColumn", number>>;
  };
  readonly logicalLocations: readonly { readonly fullyQualifiedName: string }[];
}

interface Result {
  readonly ruleId: string;
  readonly level: string;
  readonly locations: readonly Location[];
}

const NOWHERE: Location = {
  physicalLocation: {
    artifactLocation: { uri: "" },
    region: { startLine: 0, startColumn: 0, endColumn: 0 },
  },
  logicalLocations: [],
};

describe("renderSarif", () => {
  it("gives each issue its rule, level and region", () => {
    const { runs } = JSON.parse(renderSarif([GOOD, BAD, LOSSY, BROKEN], TOOL));
    const told = (runs[0].results as readonly Result[]).map(({ ruleId, level, locations }) => {
      const [{ physicalLocation, logicalLocations } = NOWHERE] = locations;
      const { startLine, startColumn, endColumn } = physicalLocation.region;
      const at = `${startLine}:${startColumn}-${endColumn}`;
      const [pointer] = logicalLocations.map(({ fullyQualifiedName }) => fullyQualifiedName);
      return [physicalLocation.artifactLocation.uri, ruleId, level, at, pointer];
    });
    expect(told).toEqual([
      ["a%20b.json", "required", "error", "1:1-2", "/city"],
      ["a%20b.json", "extra", "error", "2:3-15", "/town\u202e"],
      ["a%20b.json", "type", "error", "3:7-10", "/n"],
      ["lossy.json", "number", "warning", "1:17-33", "/n"],
      ["broken.json", "protocol", "error", "2:3-3", ""],
    ]);
  });

  it("gives each issue a fingerprint that lines do not change", () => {
    const prints = (...documents: Parameters<typeof renderSarif>[0]): string[] =>
      JSON.parse(renderSarif(documents, TOOL)).runs[0].results.map(
        (result: { partialFingerprints: { primaryLocationLineHash: string } }) =>
          result.partialFingerprints.primaryLocationLineHash,
      );
    const text = '{"town":"x","n":"1"}';
    const flat = prints(checked("x.json", text));
    expect(new Set(flat).size).toBe(3);
    for (const print of flat) expect(print).toMatch(/^[0-9a-f]{16}:1$/);
    expect(prints(checked("x.json", `\n\n${text.replaceAll(",", ",\n  ")}`))).toEqual(flat);
    expect(prints(checked("y.json", text))).not.toContain(flat[0]);
    const twice = prints(UNREAD, UNREAD);
    expect(twice.map((print) => print.slice(-2))).toEqual([":1", ":2"]);
  });

  it("marks the undeclared key, even if paths are the engine's own", () => {
    const document = checked("x.json", '{"city":"x","n":1,"town":2}', undefined, "instance");
    const { runs } = JSON.parse(renderSarif([document], TOOL));
    expect(runs[0].results[0].locations[0]).toMatchObject({
      physicalLocation: { region: { startColumn: 19, endColumn: 25 } },
      logicalLocations: [{ fullyQualifiedName: "" }],
    });
  });

  it("reports that a document could not be read and that the run failed", () => {
    const text = renderSarif([GOOD, UNREAD], TOOL);
    const [run] = JSON.parse(text).runs;
    expect(run.invocations).toEqual([{ executionSuccessful: false }]);
    expect(run.results).toEqual([
      {
        ruleId: "file",
        ruleIndex: 12,
        level: "error",
        message: { text: expect.stringContaining("gone.json cannot be read") },
        locations: [
          {
            physicalLocation: { artifactLocation: { uri: "gone.json" }, region: { startLine: 1 } },
          },
        ],
        partialFingerprints: { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/) },
      },
    ]);
    expect(run.tool.driver.rules[12].id).toBe("file");
    expect(compileDeclared({ value: SARIF_SCHEMA }).validateText(text).errors).toEqual([]);
    expect(JSON.parse(renderSarif([GOOD, BAD], TOOL)).runs[0]).not.toHaveProperty("invocations");
  });

  it.each([
    ["a b/#1?.json", "a%20b/%231%3F.json"],
    ["50%.json", "50%25.json"],
    ["a:b.json", "a%3Ab.json"],
    ["/tmp/a b.json", "file:///tmp/a%20b.json"],
    ["//tmp/a", "file:///tmp/a"],
  ])("writes the path %s as %s", (path, uri) => {
    expect(sarifUri(path)).toBe(uri);
    const base = new URL("file:///");
    expect(decodeURIComponent(new URL(uri, base).pathname)).toBe(`/${path.replace(/^\/+/, "")}`);
  });

  it("writes valid SARIF, whatever the texts", long, () => {
    const schema = compileDeclared({ value: SARIF_SCHEMA });
    expect(schema.error).toBeUndefined();
    const text = fc.string({ unit: "binary", maxLength: 12 });
    fc.assert(
      fc.property(text, fc.dictionary(text, fc.jsonValue(), { maxKeys: 4 }), (name, value) => {
        const document = checked(name, JSON.stringify(value));
        const log = renderSarif([document, BAD, LOSSY, BROKEN], TOOL);
        expect(schema.validateText(log).errors).toEqual([]);
      }),
      { numRuns: 50 },
    );
    expect(schema.validateText(renderSarif([], TOOL)).valid).toBe(true);
  });

  it("contains no character that a terminal acts on", () => {
    expect(renderSarif([BAD], TOOL)).not.toMatch(/\p{Cf}/u);
  });
});
