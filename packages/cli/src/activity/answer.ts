import { toJson, toYaml } from "../terminal/serialise.ts";
import { type ActivityIo, type Options, outputFormat } from "./options.ts";

const FORMATS = ["table", "json", "yaml"] as const;

/** How a command writes its one answer. */
export type AnswerFormat = (typeof FORMATS)[number];

/** @throws CliExit 2 as {@link outputFormat} does */
export function answerFormat(options: Options): AnswerFormat {
  return outputFormat(options, FORMATS);
}

/** Writes an answer to stdout. @param text its form for people, with its line feed */
export function writeAnswer(
  { stdout }: ActivityIo,
  format: AnswerFormat,
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
      stdout.write(text());
  }
}
