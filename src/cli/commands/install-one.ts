import { ErrorCode, PortolanError } from '../../base/index.js';
import { type InstallOptions, install, planInstall, type Verification, verifyInstall } from '../../use-cases/index.js';
import type { Io } from '../runtime/command.js';
import { installJson, installLines } from '../runtime/install-report.js';

/** Installs in one client and prints the result. Returns whether the written entry works. */
export async function installOne(client: string, options: InstallOptions, io: Io, json: boolean): Promise<boolean> {
  const plan = await planInstall(client, options);
  const verification = await verifyInstall(plan, options);
  if (options.takeOver) refuseIfBroken(client, verification);
  const installed = await install(client, options);
  const remaining = options.takeOver ? [] : (await planInstall(client, { ...options, takeOver: true })).takeOver;
  if (json) io.out(JSON.stringify(installJson(installed, verification), null, 2));
  else for (const line of installLines(installed, verification, remaining, io)) io.out(line);
  return verification.kind !== 'fails';
}

/** Without Portolan the client would be left without any server. */
function refuseIfBroken(client: string, verification: Verification): void {
  if (verification.kind !== 'fails') return;
  throw new PortolanError(ErrorCode.ConnectionError, `Portolan does not start for ${client}: ${verification.because}`, {
    hint: 'nothing was changed; start `portolan serve` in a terminal to see the problem',
  });
}
