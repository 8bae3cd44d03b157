// Loaded before a program (`node --import`): packages import each other's single modules (`build`), not their bundles
// (`dist`), so that what runs can be counted by file.
import { register } from "node:module";

register("./resolve.mjs", import.meta.url);
