import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { responseSchema } from "../packages/console/src/api/operations.ts";
import { compileDeclared } from "../packages/core/src/advanced.ts";
import { CAPTURE_LINE_SCHEMAS } from "../packages/gateway/src/insight/capture/read-line.ts";
import type { Operation } from "../packages/gateway/src/server/api/operation.ts";
import { OPERATIONS } from "../packages/gateway/src/server/api/operations.ts";
import { COMPONENTS } from "../packages/gateway/src/server/api/schemas.ts";
import { querySchema } from "../packages/gateway/src/server/validate.ts";
import { SCHEMA } from "../packages/gateway/src/settings/schema.ts";
import { BATCH_SCHEMA } from "../packages/http/src/batch.ts";
import { OBJECT } from "../packages/protocol/src/messages/schema.ts";
import { MESSAGE_TABLES } from "../packages/protocol/src/messages/tables.ts";
import { LOCK_SCHEMA } from "../packages/protocol/src/tool-checks/lock/lock-schema.ts";
import { SIGNED_SCHEMA } from "../packages/records/src/verify/checkpoint.ts";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const MESSAGES = MESSAGE_TABLES.map(({ definitions, errors }) => ({
  $defs: definitions,
  anyOf: [{}, ...Object.values(errors)],
}));

/** The schemas of the API's responses, as the console checks them. */
const RESPONSES = (Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).map((id) => {
  const { components, ...schema } = responseSchema(id);
  return { ...schema, $defs: (components as { readonly schemas: object }).schemas };
});

/** The schemas that each file compiles without their metaschema. */
const OWN: Readonly<Record<string, readonly object[]>> = {
  "console/src/api/operations.ts": RESPONSES,
  "gateway/src/config/check.ts": [SCHEMA],
  "gateway/src/insight/capture/read-line.ts": Object.values(CAPTURE_LINE_SCHEMAS),
  "gateway/src/pipeline/judge.ts": [OBJECT],
  "records/src/verify/checkpoint.ts": [SIGNED_SCHEMA],
  "gateway/src/server/validate.ts": Object.values<Operation>(OPERATIONS).flatMap(
    ({ query, body }) => [
      ...(query === undefined ? [] : [querySchema(query)]),
      ...(body === undefined ? [] : [{ ...body.schema, $defs: COMPONENTS.schemas }]),
    ],
  ),
  "http/src/batch.ts": [BATCH_SCHEMA],
  "protocol/src/judge/repeated-texts.ts": MESSAGES,
  "protocol/src/tool-checks/lock/lock-file.ts": [LOCK_SCHEMA],
  "protocol/src/messages/compiled.ts": MESSAGES,
  "protocol/src/validators/tool-call.ts": [OBJECT],
};

it("the program's own schemas match the metaschema, which compiling them skips", () => {
  const users = readdirSync(packages, { recursive: true, encoding: "utf8" })
    .filter((file) => /^[^/\\]+[/\\]src[/\\].*\.tsx?$/.test(file) && !file.includes(".test."))
    .filter((file) => /\bcompileOwn\(/.test(readFileSync(join(packages, file), "utf8")))
    .map((file) => file.split(sep).join("/"));
  expect(users.sort()).toEqual([...Object.keys(OWN), "core/src/compile.ts"].sort());
  for (const [file, schemas] of Object.entries(OWN)) {
    expect(schemas.length, file).toBeGreaterThan(0);
    for (const value of schemas) {
      // A reference into another part of a document would be an error in itself.
      const text = JSON.stringify(value).replaceAll("#/components/schemas/", "#/$defs/");
      expect(compileDeclared({ text }).error, file).toBeUndefined();
    }
  }
});
