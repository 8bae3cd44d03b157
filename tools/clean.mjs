// Removes the outputs of a build; `tsc -b` never removes the outputs of deleted sources.
import "./help.mjs";

import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
for (const name of readdirSync(packages)) {
  for (const made of ["build", "dist"]) {
    rmSync(`${packages}${name}/${made}`, { recursive: true, force: true });
  }
}
