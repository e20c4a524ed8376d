import { describe, expect, it } from 'vitest';
import { cgroupPlaces } from './cgroup-places.js';

const UNIFIED = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
const MEMORY = '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory';
const CPU = '32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu';
const DISK = '22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw';

describe('cgroupPlaces', () => {
  it.each([
    {
      title: 'offers an ordinary user its cgroup and every ancestor, the nearest first',
      mounts: [DISK, UNIFIED],
      own: '0::/user.slice/app.slice/x.scope\n',
      isRoot: false,
      expected: [
        { version: 2, folder: '/sys/fs/cgroup/user.slice/app.slice/x.scope' },
        { version: 2, folder: '/sys/fs/cgroup/user.slice/app.slice' },
        { version: 2, folder: '/sys/fs/cgroup/user.slice' },
        { version: 2, folder: '/sys/fs/cgroup' },
      ],
    },
    {
      title: 'offers root its own cgroup only',
      mounts: [UNIFIED],
      own: '0::/system.slice/x.service\n',
      isRoot: true,
      expected: [{ version: 2, folder: '/sys/fs/cgroup/system.slice/x.service' }],
    },
    {
      title: 'finds the hierarchy of version 1 that controls memory',
      mounts: [CPU, MEMORY],
      own: '4:memory:/a/b\n1:cpu:/c\n0::/\n',
      isRoot: true,
      expected: [{ version: 1, folder: '/sys/fs/cgroup/memory/a/b' }],
    },
    {
      title: 'follows a container that sees only its own part of the hierarchy',
      mounts: [MEMORY.replace(' / /sys', ' /docker/1 /sys')],
      own: '4:cpu,memory:/docker/1/inner\n',
      isRoot: false,
      expected: [{ version: 1, folder: '/sys/fs/cgroup/memory/inner' }],
    },
    {
      title: 'offers nothing for a cgroup outside the visible part',
      mounts: [MEMORY.replace(' / /sys', ' /docker/1 /sys')],
      own: '4:memory:/docker/10\n',
      isRoot: true,
      expected: [],
    },
    {
      title: 'offers nothing for a cgroup above the namespace',
      mounts: [UNIFIED],
      own: '0::/../other\n',
      isRoot: false,
      expected: [],
    },
    { title: 'offers nothing without cgroups', mounts: [DISK], own: '0::/\n', isRoot: true, expected: [] },
    { title: 'offers nothing for malformed files', mounts: ['x - y', ''], own: '\0', isRoot: true, expected: [] },
  ])('$title', ({ mounts, own, isRoot, expected }) => {
    expect(cgroupPlaces(mounts.join('\n'), own, isRoot)).toEqual(expected);
  });
});
