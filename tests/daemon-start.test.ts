import { describe, expect, it } from 'vitest';
import { configure } from './client-over-stdio.js';
import { type DaemonHouse, daemonHouse } from './daemon-harness.js';

const start = (house: DaemonHouse, ...words: string[]) => house.run(['daemon', 'start', ...words]);

describe('portolan daemon start', () => {
  it('returns when the daemon can be found by others', async () => {
    await using house = daemonHouse();
    configure(house.machine, {});
    const { status, stdout } = await start(house, '--json');
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      { running: true, pid: await house.pid(), socket: house.socket, announced: true },
    ]);
    const { servers } = JSON.parse((await house.run(['ps', '--json'])).stdout);
    expect(servers).toMatchObject([
      {
        id: `portolan_${await house.pid()}`,
        transports: [{ type: 'socket', path: house.socket }],
        tools: expect.arrayContaining(['search_tools', 'execute_tool']),
      },
    ]);
  });

  it('fails where HTTP is asked for and the daemon that runs has none', async () => {
    await using house = daemonHouse();
    configure(house.machine, {});
    await start(house);
    const pid = await house.pid();
    const error = `The daemon runs as ${pid} without HTTP: portolan daemon stop, then start it again with --http.`;
    expect(await start(house, '--http', '127.0.0.1:0')).toMatchObject({ status: 1, stdout: '', stderr: `${error}\n` });
    const asJson = await start(house, '--http', '127.0.0.1:0', '--json');
    expect([asJson.status, JSON.parse(asJson.stdout)]).toEqual([
      1,
      { running: true, pid, socket: house.socket, announced: true, error },
    ]);
    expect(await start(house)).toMatchObject({ status: 0 });
  });

  it('is content with a daemon that serves the address already, and with no other', async () => {
    await using house = daemonHouse();
    configure(house.machine, {});
    const { http, pid } = JSON.parse((await start(house, '--http', '127.0.0.1:0', '--json')).stdout);
    const { port } = new URL(http);
    for (const same of [`127.0.0.1:${port}`, port, '127.0.0.1:0'])
      expect(await start(house, '--http', same)).toMatchObject({ status: 0, stderr: '' });
    expect(await start(house, '--http', `localhost:${port}`)).toMatchObject({
      status: 1,
      stderr: `The daemon runs as ${pid} with HTTP on ${http}: portolan daemon stop, then start it again with --http localhost:${port}.\n`,
    });
  });
});

describe('portolan daemon logs', () => {
  it('shows when each daemon began and which process it was, also to a program', async () => {
    await using house = daemonHouse();
    configure(house.machine, {});
    await start(house);
    const began = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: 'info',
      message: `portolan listens on ${house.socket}`,
      pid: await house.pid(),
    };
    const { stdout } = await house.run(['daemon', 'logs']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([began]);
    const { path, lines } = JSON.parse((await house.run(['daemon', 'logs', '--json'])).stdout);
    expect([path, lines.map((line: string) => JSON.parse(line))]).toEqual([
      expect.stringMatching(/daemon\.log$/),
      [began],
    ]);
  });
});
