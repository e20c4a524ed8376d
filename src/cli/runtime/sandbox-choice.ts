/** The values of `--sandbox` and of the setting `sandbox.engine`. Repeated here, because the bridge must not load the settings module. */
export const SANDBOX_CHOICES = ['auto', 'bwrap', 'pyodide', 'deno', 'podman', 'docker', 'off'] as const;
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

export function sandboxChoice(value: string | undefined): SandboxChoice | undefined {
  return SANDBOX_CHOICES.find((known) => known === value);
}
