import { describe, expect, it } from "vitest";
import { joinAnswers } from "./messages.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const join = (answers: string[], batch: boolean): string =>
  Buffer.from(joinAnswers(answers.map(bytes), batch)).toString();

describe("joinAnswers", () => {
  const table: [string[], boolean, string][] = [
    [['{"id":1.0 }'], false, '{"id":1.0 }'],
    [['{"id":1.0 }'], true, '[{"id":1.0 }]'],
    [['{"id":1}', '{"id":2}'], true, '[{"id":1},{"id":2}]'],
    [['[{"id":1} , {"id":2}]'], true, '[{"id":1} , {"id":2}]'],
    [['{"id":0}', '[{"id":1} , {"id":2}]'], true, '[{"id":0},{"id":1},{"id":2}]'],
  ];
  it.each(table)("%j, batch %s", (answers, batch, expected) => {
    expect(join(answers, batch)).toBe(expected);
  });
});
