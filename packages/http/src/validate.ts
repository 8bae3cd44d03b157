import { errors } from "./answers/errors.ts";
import { json } from "./answers/respond.ts";
import { jsonFault, type KeyLimits, scanText, validateScanned } from "./check-response.ts";
import type { Judge } from "./judge.ts";
import type { Body } from "./request/body.ts";
import { type ApiRequest, unknownRepair, wantedRepairs, wantsDetail } from "./request/request.ts";
import { invalidJson, refused, type ValidateResult } from "./result.ts";
import type { Tools } from "./tools.ts";

/** What validation needs. Nothing in it, or imported by this module, can run a tool. */
export interface Validation extends KeyLimits {
  readonly tools: (left: AbortSignal) => Promise<Tools | undefined>;
  readonly judge: Judge;
  /** Returns why a tool is not in the list, in words for the client. Never throws. */
  readonly whyMissing: (name: string) => string | undefined;
  readonly maxBodyBytes: number;
  readonly maxIssues: number;
}

/**
 * The response if the host returns no tools: declarations are unknown, so nothing is valid, and a validation never
 * responds with 5xx.
 */
export const NO_TOOLS: ValidateResult = {
  ...refused("Invalid schema: the list of tools is not available", "schema"),
  checked: false,
};

/** The response to a body that cannot be checked. */
export function refuseBody(body: Exclude<Body, { ok: true }>): Response {
  if (body.reason === "refused") return body.response;
  if (body.reason === "too_large") return errors.tooLarge(body.detail);
  return json(400, JSON.stringify(invalidJson(body.detail)));
}

/** The response to a query with unknown repairs. */
export function refuseRepairs(unknown: string): Response {
  return json(400, JSON.stringify(refused(unknownRepair(unknown), "enum")));
}

/**
 * `POST /tools/{name}/validate`: checks the body by the tool's input schema. In this order: 404, 413, 400 for a body
 * that is not JSON or an invalid query, 200 with the verdict.
 */
export async function validate(
  validation: Validation,
  request: ApiRequest,
  name: string,
): Promise<Response> {
  const { tools: ask, judge, maxBodyBytes, maxIssues, whyMissing } = validation;
  const tools = await ask(request.incoming.signal);
  if (tools === undefined) return json(200, JSON.stringify(NO_TOOLS));
  const tool = tools.get(name);
  if (tool === undefined) return errors.toolNotFound(name, whyMissing(name));
  const body = await request.read(maxBodyBytes);
  if (!body.ok) return refuseBody(body);
  const wanted = wantedRepairs(request);
  if ("unknown" in wanted) return refuseRepairs(wanted.unknown);
  const { kinds: repair } = wanted;
  const left = request.incoming.signal;
  const options = { detail: wantsDetail(request), maxIssues, repair, left };
  const scan = await scanText(body.bytes, tool, validation);
  const fault = jsonFault(scan);
  if (fault !== undefined) return json(400, JSON.stringify(fault));
  return json(200, (await validateScanned(judge, tool, body.bytes, scan, options)).text);
}
