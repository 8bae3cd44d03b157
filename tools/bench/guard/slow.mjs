// An engine that is too slow on purpose, for the guard to detect: it repeats a former mistake of `validate`. It lives
// in a second instance of the engine, so that nothing else gets slower.
import { fileURLToPath } from "node:url";

const built = (path) =>
  import(fileURLToPath(new URL(`../../../packages/core/build/${path}`, import.meta.url)));

/** Returns `compileDeclared` of an engine that copies the limits of a check into a new object for each check. */
export async function slowCompile() {
  const [{ compileDeclared }, { Engine }] = await Promise.all([
    built("advanced.js"),
    built("engine/engine.js"),
  ]);
  if (compileDeclared === undefined)
    throw new Error("the engine that was built has no compileDeclared");
  const { check } = Engine.prototype;
  Engine.prototype.check = function checkWithCopy(instance, limits, isValid) {
    return check.call(this, instance, { ...limits, isValid }, isValid);
  };
  return compileDeclared;
}
