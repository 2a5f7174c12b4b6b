# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

"""interrupted_bar.py GELU: `gelu bench ffn` on a terminal draws a bar; Ctrl-C clears it and ends the program."""

import os
import pty
import signal
import sys

CLEAR = b"\r\x1b[K"

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "bench", "ffn", "--shape", "8x8", "--rows", "1", "--seconds", "60"])
output = b""
while b"bench [" not in output or not output.endswith(b"left"):
    output += os.read(terminal, 1024)
os.write(terminal, b"\x03")
try:
    while part := os.read(terminal, 1024):
        output += part
except OSError:  # how the end of a pseudo-terminal reads on Linux
    pass
_, status = os.waitpid(pid, 0)
assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status
assert output.endswith(CLEAR), output[-80:]
