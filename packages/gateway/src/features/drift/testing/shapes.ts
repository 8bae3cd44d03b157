import { type CompiledSchema, compileDeclared } from "@touchstone/core/advanced";
import {
  addToShape,
  emptyShape,
  type Shape,
  shapeBudgetFor,
} from "../../../../../records/src/drift/shape.ts";
import { readShape, writeShape } from "../../../../../records/src/drift/shape-text.ts";
import { addCheckToShape } from "../verdicts.ts";

/** The shape of values whose verdicts are unknown. */
export function shapeOf(...values: readonly unknown[]): Shape {
  const shape = emptyShape();
  for (const value of values) addToShape(shape, value, shapeBudgetFor(shape));
  return shape;
}

/**
 * The shape of values that a gateway has checked, and the values that it reads: a check of a reference to itself
 * would never end.
 */
export function judged(declared: CompiledSchema, values: readonly unknown[]) {
  const shape = emptyShape();
  const seen = values.filter((value) => {
    const check = declared.validate(value);
    if (check.outcome !== "pass" && check.outcome !== "violation") return false;
    addToShape(shape, value, shapeBudgetFor(shape));
    addCheckToShape(shape, value, check);
    return true;
  });
  return { seen, shape: readShape(writeShape(shape)) };
}

/** The same for a schema that is not compiled yet. */
export function judgedBy(value: unknown, ...values: readonly unknown[]): Shape {
  return judged(compileDeclared({ value }), values).shape;
}
