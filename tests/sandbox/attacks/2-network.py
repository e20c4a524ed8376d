#% connects to a port of this machine
import socket
def connect():
    s = socket.create_connection(("127.0.0.1", PORT), 1)
    s.sendall(b"canary")
    return s.recv(10) or 1 / 0
attempt("tcp", connect)
#% sends an HTTP request
import urllib.request
attempt("http", lambda: urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=1).read())
attempt("https", lambda: urllib.request.urlopen("https://example.com/", timeout=1).read())
#% resolves a name
import socket
def resolve():
    found = socket.getaddrinfo("example.com", 80)
    return [a for *_, a in found if not a[0].startswith("172.29.")] or 1 / 0
attempt("dns", resolve)
#% sends datagrams and raw packets
import socket
def datagram():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(b"canary", ("127.0.0.1", PORT))
    s.settimeout(0.2)
    return s.recv(10)
attempt("udp", datagram)
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).send(b"x"))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).send(b"x"))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).send(b"x"))
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1)))
#% connects to a Unix socket and an abstract socket
import socket
for name in [UNIX, "\0portolan-canary"]:
    def knock():
        s = socket.socket(socket.AF_UNIX)
        s.connect(name)
        s.sendall(b"canary")
        return s.recv(10) or 1 / 0
    attempt(name, knock)
#% listens
import socket
def listen():
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    s.listen()
    s.settimeout(0.2)
    return s.accept()
attempt("listen", listen)
#% connects with asyncio
import asyncio
async def reach():
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", PORT), 1)
    writer.write(b"canary")
    return await reader.read(10) or 1 / 0
attempt("asyncio", lambda: asyncio.run(reach()))
#% creates sockets with system calls
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (41, 198, 425):
    attempt(number, lambda: libc.syscall(number, 2, 1, 0) > 0 or 1 / 0)
attempt("socket", lambda: libc.socket(2, 1, 0) > 0 and libc.connect(3, b"\2\0" + PORT.to_bytes(2, "big") + b"\x7f\0\0\1" + bytes(8), 16) == 0 or 1 / 0)
#: harmless
#: pyodide harmless | threw | died
#: deno harmless | threw | died
#% uses inherited descriptors
import socket
for n in range(0, 64):
    try:
        s = socket.socket(fileno=os.dup(n))
        if s.family != socket.AF_UNIX:
            reached.append(n)
    except OSError:
        pass
#% uses a socket pair, which is harmless
import socket
a, b = socket.socketpair()
a.sendall(b"x")
attempt("connect", lambda: a.connect(UNIX))
attempt("inet pair", lambda: socket.socketpair(socket.AF_INET))
#: harmless | threw
#% fetches with the functions of Pyodide
attempt("pyfetch", lambda: __import__("pyodide.http").http.open_url(f"http://127.0.0.1:{PORT}/"))
attempt("micropip", lambda: __import__("micropip"))
attempt("pip", lambda: __import__("subprocess").check_call([sys.executable, "-m", "pip", "install", "x"]))
