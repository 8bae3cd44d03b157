export {
  MAX_PAUSE_MS,
  NO_PAUSES,
  PAUSE_FILE,
  type Pause,
  type Pauses,
  type ReadPauses,
  readPauses,
  writePauses,
} from "./pause-file.ts";
