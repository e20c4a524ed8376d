/** What `--sandbox` takes: the words of the setting `sandbox.engine`. Written out, because a client's pipe must not load the settings for it. */
export const SANDBOX_CHOICES = ['auto', 'bwrap', 'pyodide', 'deno', 'podman', 'docker', 'off'] as const;
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

export function sandboxChoice(said: string | undefined): SandboxChoice | undefined {
  return SANDBOX_CHOICES.find((known) => known === said);
}
