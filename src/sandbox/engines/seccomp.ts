const NONE = -1;

/** System calls that a Python program over pipes never needs, with their numbers on x86-64 and arm64. */
const DENIED: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  // Network. Pairs are denied too, because a socket buffers kernel memory up to a system setting.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  // Processes. Threads are allowed below.
  fork: [57, NONE],
  vfork: [58, NONE],
  unshare: [272, 97],
  setns: [308, 268],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  // File system layout.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  open_tree: [428, 428],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  swapon: [167, 224],
  swapoff: [168, 225],
  // Memory that no process limit counts.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  semget: [64, 190],
  semop: [65, 193],
  semctl: [66, 191],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  mq_timedsend: [242, 182],
  mq_timedreceive: [243, 183],
  mq_notify: [244, 184],
  mq_getsetattr: [245, 185],
  // Likewise: pages that stay in a pipe after their file has released them.
  vmsplice: [278, 75],
  splice: [275, 76],
  tee: [276, 77],
  sendfile: [40, 71],
  remap_file_pages: [216, 234],
  // Kernel objects whose number no process limit bounds.
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  epoll_create: [213, NONE],
  epoll_create1: [291, 20],
  inotify_init: [253, NONE],
  inotify_init1: [294, 26],
  timer_create: [222, 107],
  io_setup: [206, 0],
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  // Kernel interfaces with a history of vulnerabilities.
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, NONE],
  get_kernel_syms: [177, NONE],
  query_module: [178, NONE],
  reboot: [169, 142],
  iopl: [172, NONE],
  ioperm: [173, NONE],
  modify_ldt: [154, NONE],
  personality: [135, 92],
  acct: [163, 89],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  vhangup: [153, 58],
  syslog: [103, 116],
  uselib: [134, NONE],
  ustat: [136, NONE],
  sysfs: [139, NONE],
  _sysctl: [156, NONE],
  // Clock, host name and memory policy of the machine.
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  move_pages: [279, 239],
  mbind: [237, 235],
  migrate_pages: [256, 238],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  set_mempolicy_home_node: [450, 450],
};

interface Machine {
  readonly index: 0 | 1;
  /** AUDIT_ARCH_*, which identifies the system call table of a call. */
  readonly audit: number;
  readonly clone: number;
  readonly ioctl: number;
  readonly fcntl: number;
  readonly prctl: number;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { index: 0, audit: 0xc000003e, clone: 56, ioctl: 16, fcntl: 72, prctl: 157 },
  arm64: { index: 1, audit: 0xc00000b7, clone: 220, ioctl: 29, fcntl: 25, prctl: 167 },
};

// Its number is the same on both architectures. It is denied with ENOSYS, so that the C library uses `clone`, whose
// flags the filter can read.
const CLONE3 = 435;
/** Newer system calls are unknown to this table and get ENOSYS. */
const LAST_KNOWN = 452;
/** Set in the system call numbers of the x32 ABI on x86-64. */
const X32_BIT = 0x40000000;
const CLONE_THREAD = 0x10000;
/** TIOCSTI, TIOCLINUX, TIOCSETD: they insert input into the owner's terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c, 0x5423];
/** F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ: kernel memory that no process limit bounds. */
const DENIED_FILE_REQUESTS = [37, 38, 1024, 1026, 1031];
/**
 * F_SETLK, F_SETLKW. The kernel would store any number of these locks. Locks never conflict within one process, and there
 * is only one, so the filter returns success without storing the lock. SQLite needs this to use files.
 */
const LOCK_REQUESTS = [6, 7];
const PR_SET_SECCOMP = 22;

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const KILL_PROCESS = 0x80000000;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
/** Skips the call and returns 0. */
const SUCCEED = ERRNO;
const EPERM = 1;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`; the low halves of the arguments. */
const NUMBER = 0;
const AUDIT = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [LOAD_WORD, 0, 0, offset];
const give = (answer: number): Instruction => [RETURN, 0, 0, answer];
/** Skips the next `steps` instructions unless the condition holds. */
const unless = (code: number, value: number, steps: number): Instruction => [code, 0, steps, value];

/** Returns the same action for each of these values. */
const answers = (values: readonly number[], answer: Instruction): Instruction[] =>
  values.flatMap((value) => [unless(JUMP_EQUAL, value, 1), answer]);
/** Checks one argument of a system call. Values without an action are allowed. */
const forCall = (number: number, argument: number, program: readonly Instruction[]): Instruction[] => [
  ...[unless(JUMP_EQUAL, number, program.length + 2), load(argument), ...program, give(ALLOW)],
];

/** The filter in the kernel's format, or undefined for an architecture without a table. */
export function seccompFilter(architecture: string): Uint8Array | undefined {
  const machine = MACHINES[architecture];
  if (!machine) return undefined;
  const refuse = give(ERRNO | EPERM);
  const denied = Object.values(DENIED)
    .map((numbers) => numbers[machine.index])
    .filter((number) => number !== NONE);
  const program: Instruction[] = [
    load(AUDIT),
    [JUMP_EQUAL, 1, 0, machine.audit],
    give(KILL_PROCESS),
    load(NUMBER),
    unless(JUMP_GREATER, X32_BIT - 1, 1),
    give(KILL_PROCESS),
    unless(JUMP_GREATER, LAST_KNOWN, 1),
    give(ERRNO | ENOSYS),
    unless(JUMP_EQUAL, CLONE3, 1),
    give(ERRNO | ENOSYS),
    ...answers(denied, refuse),
    // Only threads may be created; a new process would have limits of its own.
    ...[unless(JUMP_EQUAL, machine.clone, 4), load(FIRST_ARGUMENT), unless(JUMP_ANY_BIT, CLONE_THREAD, 1)],
    ...[give(ALLOW), refuse],
    ...forCall(machine.prctl, FIRST_ARGUMENT, answers([PR_SET_SECCOMP], refuse)),
    ...forCall(machine.ioctl, SECOND_ARGUMENT, answers(TERMINAL_REQUESTS, refuse)),
    ...forCall(machine.fcntl, SECOND_ARGUMENT, [
      ...answers(DENIED_FILE_REQUESTS, refuse),
      ...answers(LOCK_REQUESTS, give(SUCCEED)),
    ]),
    give(ALLOW),
  ];
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [n, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(n * 8, code, true);
    bytes.setUint8(n * 8 + 2, ifTrue);
    bytes.setUint8(n * 8 + 3, ifFalse);
    bytes.setUint32(n * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
