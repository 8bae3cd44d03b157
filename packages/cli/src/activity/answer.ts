import { toJson } from "../terminal/serialise.ts";
import { toYaml } from "../terminal/yaml.ts";
import {
  type ActivityIo,
  ANSWER_FORMATS,
  type Options,
  outputFormat,
  type SUMMARY_FORMATS,
} from "./options.ts";

/** How a command writes its single response. */
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

export function answerFormat(options: Options): AnswerFormat {
  return outputFormat(options, ANSWER_FORMATS);
}

/** Writes a response to stdout. @param text its form for people, with its line feed */
export function writeAnswer(
  { stdout }: ActivityIo,
  format: (typeof SUMMARY_FORMATS)[number],
  answer: unknown,
  text: () => string,
): void {
  switch (format) {
    case "json":
      stdout.write(toJson(answer, "lines"));
      return;
    case "yaml":
      stdout.write(toYaml(answer));
      return;
    case "table":
    case "wide":
      stdout.write(text());
  }
}
