/** A file, link or directory takes up to 1.3 kB of kernel memory that the size of a tmpfs does not include. */
const MAX_INODES = 8_192;

/**
 * Python code that mounts the writable directories of a guest in bubblewrap and then drops the capability for it. Before
 * that, and if a step fails, the directories are read-only. bubblewrap 0.8 cannot limit the number of inodes, and its
 * tmpfs cannot be remounted because it belongs to the outer user namespace. So the guest creates its own mount namespace
 * and one tmpfs that all directories share, so that its limits apply to the whole guest.
 */
export function writableFolders(folder: string, bytes: number): string {
  return `
import ctypes, os
def mount_folders():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
    CLONE_NEWNS, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND = 0x20000, 2, 4, 8, 4096
    def done(failed):
        if failed:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        done(libc.unshare(CLONE_NEWNS))
        limits = b"size=${bytes},nr_inodes=${MAX_INODES},mode=0700"
        done(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, limits))
        os.mkdir("/tmp/folder")
        os.mkdir("/tmp/scratch")
        for source, target in (("folder", "${folder}"), ("scratch", "/dev/shm"), ("scratch", "/tmp")):
            done(libc.mount(b"/tmp/" + source.encode(), target.encode(), None, MS_BIND, None))
        os.chdir("${folder}")
    except OSError:
        MNT_DETACH = 2
        for target in (b"${folder}", b"/dev/shm", b"/tmp", b"/tmp"):
            libc.umount2(target, MNT_DETACH)
    finally:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        if libc.capset(header, (ctypes.c_uint32 * 6)()):
            raise SystemExit("cannot drop capabilities: " + os.strerror(ctypes.get_errno()))
mount_folders()
del mount_folders
`;
}
