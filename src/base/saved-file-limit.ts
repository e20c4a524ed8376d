/** How much content of the files that a program saves is returned; `sandbox.maxFileBytes` changes it. */
export const SAVED_FILE_BYTES = 64 * 1024;
