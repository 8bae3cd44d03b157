import { terminalJson } from "../terminal/serialise.ts";
import { toYaml } from "../terminal/yaml.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  RESPONSE_FORMATS,
  type SUMMARY_FORMATS,
} from "./options.ts";

/** How a command writes its single response. */
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

export function responseFormat(options: Options): ResponseFormat {
  return outputFormat(options, RESPONSE_FORMATS);
}

/** Writes a response to stdout. @param text its form for people, with its line feed */
export function writeResponse(
  { stdout }: ActivityIo,
  format: (typeof SUMMARY_FORMATS)[number],
  answer: unknown,
  text: () => string,
): void {
  switch (format) {
    case "json":
      stdout.write(terminalJson(answer, "lines"));
      return;
    case "yaml":
      stdout.write(toYaml(answer));
      return;
    case "table":
    case "wide":
      stdout.write(text());
  }
}
