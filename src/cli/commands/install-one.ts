import { ErrorCode, PortolanError } from '../../base/index.js';
import {
  type Installed,
  type InstallOptions,
  type InstallPlan,
  install,
  planInstall,
  type Verification,
  verifyInstall,
} from '../../use-cases/index.js';

/** An installation in one client, for the report. */
export interface InstallOutcome {
  readonly installed: Installed;
  readonly verification: Verification;
  /** The files with servers that the client still starts. */
  readonly remaining: InstallPlan['takeOver'];
}

/** Installs in one client. The entry is started once, unless that was done before for the same entry. */
export async function installOne(
  client: string,
  options: InstallOptions,
  verified?: Verification,
): Promise<InstallOutcome> {
  const verification = verified ?? (await verifyInstall(await planInstall(client, options), options));
  if (options.takeOver) refuseIfBroken(client, verification);
  const installed = await install(client, options);
  const { takeOver } = await planInstall(client, { ...options, takeOver: true });
  return { installed, verification, remaining: options.takeOver ? [] : takeOver };
}

/** Without Portolan the client would be left without any server. */
function refuseIfBroken(client: string, verification: Verification): void {
  if (verification.kind !== 'fails') return;
  throw new PortolanError(ErrorCode.ConnectionError, `Portolan does not start for ${client}: ${verification.because}`, {
    hint: `nothing was changed; ${verification.hint}`,
  });
}
