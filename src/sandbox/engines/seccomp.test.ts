import { describe, expect, it } from 'vitest';
import { seccompFilter } from './seccomp.js';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const ANSWERS: Readonly<Record<number, string>> = {
  2147418112: 'allow',
  2147483648: 'kill',
  327680: 'success',
  327681: 'EPERM',
  327718: 'ENOSYS',
};

/** Interprets the filter as the kernel would: the four instructions that it uses. */
function ask(machine: 'x64' | 'arm64', number: number, args: readonly number[] = [], audit = AUDIT[machine]): string {
  const bytes = seccompFilter(machine) ?? new Uint8Array();
  const program = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [n, value] of args.entries()) data.setUint32(16 + 8 * n, value, true);
  let accumulator = 0;
  for (let at = 0; ; at += 1) {
    const value = program.getUint32(at * 8 + 4, true);
    const [ifTrue, ifFalse] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)];
    switch (program.getUint16(at * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x15:
        at += accumulator === value ? ifTrue : ifFalse;
        break;
      case 0x25:
        at += accumulator > value ? ifTrue : ifFalse;
        break;
      case 0x45:
        at += (accumulator & value) !== 0 ? ifTrue : ifFalse;
        break;
      case 0x06:
        return ANSWERS[value] ?? value.toString(16);
      default:
        throw new Error(`an instruction that the filter should not have at ${at}`);
    }
  }
}

describe('seccompFilter', () => {
  it.each<{ title: string; x64: number; arm64: number; args?: readonly number[]; answer: string }>([
    { title: 'read', x64: 0, arm64: 63, answer: 'allow' },
    { title: 'write', x64: 1, arm64: 64, answer: 'allow' },
    { title: 'mmap', x64: 9, arm64: 222, answer: 'allow' },
    { title: 'execve', x64: 59, arm64: 221, answer: 'allow' },
    { title: 'futex', x64: 202, arm64: 98, answer: 'allow' },
    { title: 'ppoll', x64: 271, arm64: 73, answer: 'allow' },
    { title: 'openat2, which is new but known', x64: 437, arm64: 437, answer: 'allow' },
    { title: 'socket', x64: 41, arm64: 198, answer: 'EPERM' },
    { title: 'connect', x64: 42, arm64: 203, answer: 'EPERM' },
    { title: 'a pair of Unix sockets', x64: 53, arm64: 199, args: [1, 1], answer: 'EPERM' },
    { title: 'epoll_create1', x64: 291, arm64: 20, answer: 'EPERM' },
    { title: 'inotify_init1', x64: 294, arm64: 26, answer: 'EPERM' },
    { title: 'fsetxattr', x64: 190, arm64: 7, answer: 'EPERM' },
    { title: 'sendfile', x64: 40, arm64: 71, answer: 'EPERM' },
    { title: 'splice', x64: 275, arm64: 76, answer: 'EPERM' },
    { title: 'timer_create', x64: 222, arm64: 107, answer: 'EPERM' },
    { title: 'io_setup', x64: 206, arm64: 0, answer: 'EPERM' },
    { title: 'seccomp', x64: 317, arm64: 277, answer: 'EPERM' },
    { title: 'seccomp by its other name', x64: 157, arm64: 167, args: [22, 2], answer: 'EPERM' },
    { title: 'another prctl', x64: 157, arm64: 167, args: [15], answer: 'allow' },
    { title: 'landlock_create_ruleset', x64: 444, arm64: 444, answer: 'EPERM' },
    { title: 'fcntl that duplicates a descriptor', x64: 72, arm64: 25, args: [0, 1030], answer: 'allow' },
    { title: 'fcntl that enlarges a pipe', x64: 72, arm64: 25, args: [0, 1031], answer: 'EPERM' },
    { title: 'an open file description lock', x64: 72, arm64: 25, args: [0, 37], answer: 'EPERM' },
    { title: 'a process lock, which is not stored', x64: 72, arm64: 25, args: [0, 6], answer: 'success' },
    { title: 'waiting for a process lock', x64: 72, arm64: 25, args: [0, 7], answer: 'success' },
    { title: 'a new thread', x64: 56, arm64: 220, args: [0x3d0f00], answer: 'allow' },
    { title: 'a new process', x64: 56, arm64: 220, args: [17], answer: 'EPERM' },
    { title: 'a new process in a new user namespace', x64: 56, arm64: 220, args: [0x10000011], answer: 'EPERM' },
    { title: 'clone3, whose flags the filter cannot read', x64: 435, arm64: 435, answer: 'ENOSYS' },
    { title: 'inserting input into a terminal', x64: 16, arm64: 29, args: [0, 0x5412], answer: 'EPERM' },
    { title: 'another terminal request', x64: 16, arm64: 29, args: [0, 0x5401], answer: 'allow' },
    { title: 'mount', x64: 165, arm64: 40, answer: 'EPERM' },
    { title: 'ptrace', x64: 101, arm64: 117, answer: 'EPERM' },
    { title: 'bpf', x64: 321, arm64: 280, answer: 'EPERM' },
    { title: 'io_uring_setup', x64: 425, arm64: 425, answer: 'EPERM' },
    { title: 'memfd_create', x64: 319, arm64: 279, answer: 'EPERM' },
    { title: 'shmget', x64: 29, arm64: 194, answer: 'EPERM' },
    { title: 'keyctl', x64: 250, arm64: 219, answer: 'EPERM' },
    { title: 'a system call newer than the table', x64: 453, arm64: 453, answer: 'ENOSYS' },
    { title: 'a very large number', x64: 0x3fffffff, arm64: 0x3fffffff, answer: 'ENOSYS' },
    { title: 'a call of the 32-bit table', x64: 0x40000000, arm64: 0x40000000, answer: 'kill' },
  ])('answers $title with $answer', ({ x64, arm64, args = [], answer }) => {
    expect({ x64: ask('x64', x64, args), arm64: ask('arm64', arm64, args) }).toEqual({ x64: answer, arm64: answer });
  });

  it('denies fork and vfork, which only one machine has', () => {
    expect([ask('x64', 57), ask('x64', 58)]).toEqual(['EPERM', 'EPERM']);
  });

  it('kills a system call of another architecture', () => {
    expect([ask('x64', 0, [], AUDIT.arm64), ask('x64', 0, [], 0x40000003)]).toEqual(['kill', 'kill']);
  });

  it('returns no filter for an architecture without a table', () => {
    expect(seccompFilter('riscv64')).toBeUndefined();
  });
});
