import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const source = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../packages/${path}`, import.meta.url)), "utf8");

/** The names that a module exports to others, with those of types. */
function namesOf(path: string): readonly string[] {
  const text = source(path);
  if (/export (?:\*|const|function|class|interface|type \w)/.test(text)) {
    throw new Error(`${path}: export each name by itself, from its own file`);
  }
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/^.* as /, ""),
      )
      .filter((name) => name !== ""),
  );
}

/**
 * What somebody sees who imports a library. A name that is not needed for one of the examples of its README, or to
 * write down what they return, belongs in `advanced`.
 */
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  core: [
    "Check",
    "CheckOptions",
    "CompileOptions",
    "CompiledSchema",
    "FromSchema",
    "Issue",
    "JsonSchema",
    "RepairOptions",
    "Repaired",
    "SchemaError",
    "compile",
    "mcpSchemaValidator",
    "renderForModel",
    "repairValue",
    "validate",
  ],
  protocol: [
    "JSONRPC_VERSION",
    "MessageValidator",
    "MessageValidatorOptions",
    "SchemaValidator",
    "SpecificationValidator",
    "SpecificationValidatorOptions",
    "ToolCallValidator",
    "ToolCallValidatorOptions",
    "ToolSchemas",
    "ValidatorLogger",
    "ValidatorResult",
    "judgeMessage",
    "readFrame",
    "validateMessage",
    "validateToolCall",
  ],
  runner: [
    "Checked",
    "CheckedOptions",
    "ContractOptions",
    "ContractSide",
    "InvalidSchemaError",
    "PatchOperation",
    "RepairKind",
    "RepairReceipt",
    "ToolContract",
    "ToolInputError",
    "ToolOutputError",
    "ToolSchema",
    "ToolSchemaOptions",
    "checked",
    "toolSchema",
  ],
  capability: [
    "CapabilityError",
    "CapabilityErrorCode",
    "CheckContext",
    "CheckFindings",
    "Finding",
    "LevelChecks",
    "ToolCallToValidate",
    "ToolValidation",
    "ToolValidationOptions",
    "ToolValidator",
    "ToolValidatorOptions",
    "ValidateOptions",
    "ValidationClient",
    "hasCapability",
    "withToolValidation",
  ],
};

const MOST = 15;

describe.each(Object.entries(ROOTS))("the root of %s", (name, names) => {
  it(`has these names, at most ${MOST}`, () => {
    expect(namesOf(`${name}/src/index.ts`).toSorted()).toEqual(names.toSorted());
    expect(names.length).toBeLessThanOrEqual(MOST);
  });
});

describe.each(["core", "protocol", "capability"])("@touchstone/%s/advanced", (name) => {
  it("is exported, and has the names of the root", async () => {
    const { exports } = JSON.parse(source(`${name}/package.json`));
    expect(exports["./advanced"]["@touchstone/source"]).toBe("./src/advanced.ts");
    const advanced = namesOf(`${name}/src/advanced.ts`);
    expect(namesOf(`${name}/src/index.ts`).filter((each) => !advanced.includes(each))).toEqual([]);
  });
});

/** The names of `http` that are values: the others are the types of what its three functions take and return. */
it("the root of http has few functions", () => {
  const values = [...source("http/src/index.ts").matchAll(/export \{([^}]*)\}/g)].flatMap(
    ([, names = ""]) => names.split(",").map((each) => each.trim()),
  );
  expect(values.filter((each) => each !== "" && !each.startsWith("type ")).toSorted()).toEqual([
    "OptionError",
    "buildUIRoutes",
    "createHandler",
    "createNodeHandler",
    "loadCheckThreads",
  ]);
});
