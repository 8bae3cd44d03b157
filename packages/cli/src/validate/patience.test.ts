import { compileSchema } from "@touchstone/core";
import { expect, it } from "vitest";
import { PATIENCE, PatientDeadline } from "./patience.ts";

it("gives a large schema more time to be read, and checks what they have everywhere", () => {
  const given = (patient: boolean): readonly number[] => {
    const asked: number[] = [];
    const inner = {
      run<T>(milliseconds: number, task: () => T): T {
        asked.push(milliseconds);
        return task();
      },
    };
    const deadline = new PatientDeadline(inner);
    if (!patient) deadline.settle();
    const pattern = "(a|b)*c";
    const values = Array.from({ length: 1000 }, (_, index) => `value ${index}`);
    const schema = compileSchema(
      { value: { type: "array", uniqueItems: true, items: { enum: values, pattern } } },
      { deadline },
    );
    expect(schema.fault).toBeUndefined();
    const read = asked.length;
    deadline.settle();
    schema.checkValue(Array.from({ length: 2000 }, () => ({ ...values })));
    return [
      ...asked.slice(0, read).map((time) => time / (patient ? PATIENCE : 1)),
      ...asked.slice(read),
    ];
  };
  const patient = given(true);
  expect(patient.length).toBeGreaterThan(0);
  expect(patient).toEqual(given(false));
});
