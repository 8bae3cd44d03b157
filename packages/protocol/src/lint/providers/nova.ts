import { BEDROCK } from "./bedrock.ts";
import { type Provider, words } from "./provider.ts";

/**
 * Amazon Nova through Bedrock's Converse API: "Only three fields are supported in the top-level Object - type (must be
 * set to 'object'), properties, and required" (https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html,
 * for version 1 of the models). Others are refused ("extraneous key [definitions] is not permitted"):
 * https://github.com/zed-industries/zed/issues/28521 (2025-04-10, Zed 0.182.1),
 * https://github.com/zed-industries/zed/issues/31815 (2025-05-31, Nova Premier),
 * https://github.com/pydantic/pydantic-ai/issues/1623 (2025-04-30: "disallowed and result in a hard API error").
 */
export const NOVA: Provider = {
  ...BEDROCK,
  name: "nova",
  title: "Amazon Nova",
  places: { "number-range": BEDROCK.places["number-range"] ?? (() => []) },
  allowedAtTop: words("type properties required"),
};
