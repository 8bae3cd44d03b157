import { _, type Code, type KeywordCxt, type Name } from "ajv";
import { useFunction } from "./replace.ts";

/** By schema: the name, in its code, of whether the object has the usual prototype. */
const plain = new WeakMap<KeywordCxt["it"], Name>();

/**
 * Code that tells whether the object has an own property that is not `undefined`.
 *
 * `Object.prototype.hasOwnProperty` costs more than all the rest of a simple schema. An object whose
 * prototype is `Object.prototype` has a property itself when it has it at all and
 * `Object.prototype` does not, which is asked for each time: names such as `constructor`, and those
 * that a program has put there, take the slow way.
 *
 * Its code must stand where the code that follows in the same schema sees what it declares.
 */
export function ownProperty(cxt: KeywordCxt): (name: string) => Code {
  const { gen, data, it } = cxt;
  const hasOwn = useFunction(cxt, Object.prototype.hasOwnProperty);
  const prototype = gen.scopeValue("obj", { ref: Object.prototype });
  let usual = plain.get(it);
  if (usual === undefined) {
    const getPrototypeOf = useFunction(cxt, Object.getPrototypeOf);
    usual = gen.const("plain", _`${getPrototypeOf}(${data}) === ${prototype}`);
    plain.set(it, usual);
  }
  return (name) =>
    _`${data}[${name}] !== undefined && (${usual} && ${prototype}[${name}] === undefined || ${hasOwn}.call(${data}, ${name}))`;
}
