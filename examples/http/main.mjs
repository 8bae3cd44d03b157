// Starts an example when it is the program that Node was given.
import { isProgram } from "../is-program.mjs";

export async function runAsProgram(moduleUrl, start) {
  if (!isProgram(moduleUrl)) return;
  const { PASSWORD: password, PORT = "8000" } = process.env;
  if (!password) {
    console.error("Set PASSWORD to the password that requests have to bring.");
    process.exitCode = 2;
    return;
  }
  const { url } = await start({ port: Number(PORT), user: "ada", password, limit: 600 });
  console.log(`${url}  (user: ada)`);
}
