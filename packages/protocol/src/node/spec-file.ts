/// <reference types="node" />
import { open } from "node:fs/promises";
import { issuesResult, messageOf, type ValidatorResult } from "@touchstone/core/advanced";
import {
  SpecificationValidator,
  type SpecificationValidatorOptions,
} from "../validators/specification.ts";

/** The largest file that is read, in bytes. */
const MAX_BYTES = 16_777_216;

async function readText(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_BYTES}`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/**
 * Reads a Markdown file in UTF-8 and audits it as `SpecificationValidator` does. Never rejects: a file that cannot be
 * read gives an error in the result, the only error possible.
 */
export async function auditSpecFile(
  path: string,
  options?: SpecificationValidatorOptions,
): Promise<ValidatorResult> {
  try {
    return new SpecificationValidator(options).validateSpecFile(await readText(path));
  } catch (thrown) {
    const reason = messageOf(thrown);
    const message = `the specification cannot be read: ${reason}`;
    return issuesResult([{ path: "", message, rule: "guard" }], [], options?.logger);
  }
}
