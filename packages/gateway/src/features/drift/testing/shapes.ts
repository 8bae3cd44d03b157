import { type CompiledSchema, compileSchema } from "@touchstone/core";
import { emptyShape, observe, roomFor, type Shape } from "../shape.ts";
import { readShape, writeShape } from "../shape-text.ts";
import { addVerdict } from "../verdicts.ts";

/** The shape of values of which no verdict is known. */
export function shapeOf(...values: readonly unknown[]): Shape {
  const shape = emptyShape();
  for (const value of values) observe(shape, value, roomFor(shape));
  return shape;
}

/**
 * What is kept of values that a gateway has checked, and those that it looks at: a reference that leads to
 * itself alone ends no check.
 */
export function judged(declared: CompiledSchema, values: readonly unknown[]) {
  const shape = emptyShape();
  const seen = values.filter((value) => {
    const check = declared.checkValue(value);
    if (check.outcome !== "pass" && check.outcome !== "violation") return false;
    observe(shape, value, roomFor(shape));
    addVerdict(shape, value, check);
    return true;
  });
  return { seen, shape: readShape(writeShape(shape)) };
}

/** The same of a schema. */
export function judgedBy(value: unknown, ...values: readonly unknown[]): Shape {
  return judged(compileSchema({ value }), values).shape;
}
