import { seccompFilter } from './seccomp.js';

/** Maps Python's machine names to those of Node. */
const MACHINES = { x86_64: 'x64', aarch64: 'arm64' };

/** The variables the code may see; podman and docker add others, which are removed. */
const KEPT = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'PWD',
  'LC_CTYPE',
  'PYTHONUTF8',
  'MALLOC_ARENA_MAX',
  'OPENBLAS_NUM_THREADS',
];

/**
 * Python code that installs the seccomp filter on its own process before it reads a job. A container engine's filter
 * allows processes and sockets, and in bubblewrap the guest must first mount its directories. On an architecture without
 * a table nothing is filtered.
 */
export function ownFilter(): string {
  const filters = Object.entries(MACHINES).map(([name, architecture]) => [
    name,
    Buffer.from(seccompFilter(architecture) ?? []).toString('base64'),
  ]);
  return `
import base64, ctypes, os
for name in os.environ.keys() - set(${JSON.stringify(KEPT)}):
    del os.environ[name]
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]
steps = base64.b64decode(${JSON.stringify(Object.fromEntries(filters))}.get(os.uname().machine, ""))
if steps:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    PR_SET_SECCOMP, MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
    program = Program(len(steps) // 8, steps)
    if prctl(PR_SET_NO_NEW_PRIVS, 1, None, 0, 0) or prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0):
        raise SystemExit("cannot install the seccomp filter: " + os.strerror(ctypes.get_errno()))
    del prctl, program
del Program, steps
`;
}
